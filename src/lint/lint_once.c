/*
 * From each file that no other imports, its imports are searched breadth first, so that
 * the file nearest to where a program begins speaks for it. What such a search does not
 * reach (imports in a ring) is searched from where it is met.
 */
#include "lint/lint_once.h"

#include "base/mem.h"
#include "lint/lint_rule.h"

#include <string.h>

enum { PROGRAM_FILES_MAX = 500 };

struct search {
    const struct source_project *p;
    const bool *hits; /* (units, rules): has the unit such a hit? */
    bool *counts;     /* (units, rules) */
    bool *reached;    /* (units) by any search */
    int32_t *seen;    /* (units) number of the search that saw it last */
    int32_t *queue;   /* (units) */
    bool *told;       /* (rules) in this search */
};

static void tell(struct search *s, int32_t unit)
{
    for (size_t r = 0; r < lint_rule_count; r++) {
        size_t at = (size_t)unit * lint_rule_count + r;
        if (s->hits[at] && !s->told[r])
            s->counts[at] = s->told[r] = true;
    }
}

static void search_from(struct search *s, int32_t root, int32_t number)
{
    size_t n = 0;
    memset(s->told, 0, lint_rule_count * sizeof *s->told);
    s->queue[n++] = root;
    s->seen[root] = number;
    for (size_t i = 0; i < n && i < PROGRAM_FILES_MAX; i++) {
        const struct source_unit *u = &s->p->units[s->queue[i]];
        s->reached[s->queue[i]] = true;
        tell(s, s->queue[i]);
        for (int32_t k = 0; k < u->n_imports; k++) {
            if (s->seen[u->imports[k]] == number)
                continue;
            s->seen[u->imports[k]] = number;
            s->queue[n++] = u->imports[k];
        }
    }
}

/* Files that no other imports, first; then those that only a ring reaches. */
static void search_all(struct search *s)
{
    const struct source_project *p = s->p;
    bool *imported = mem_zalloc(p->n + 1, sizeof *imported);
    int32_t number = 0;
    for (size_t u = 0; u < p->n; u++)
        for (int32_t i = 0; i < p->units[u].n_imports; i++)
            imported[p->units[u].imports[i]] = true;
    for (size_t u = 0; u < p->n; u++)
        if (!imported[u])
            search_from(s, (int32_t)u, ++number);
    for (size_t u = 0; u < p->n; u++)
        if (!s->reached[u])
            search_from(s, (int32_t)u, ++number);
    mem_free(imported);
}

static bool *hits_of(const struct source_project *p)
{
    bool *hits = mem_zalloc(p->n * lint_rule_count + 1, sizeof *hits);
    for (size_t u = 0; u < p->n; u++) {
        const struct source_unit *unit = &p->units[u];
        for (size_t i = 0; unit->given && i < unit->file.n_hits; i++) {
            const struct source_hit *h = &unit->file.hits[i];
            bool *hit = &hits[u * lint_rule_count + (size_t)h->query];
            if (h->once && !*hit)
                *hit = source_hit_holds(p->query, &unit->file, h, unit->program_words);
        }
    }
    return hits;
}

bool *lint_once(const struct source_project *p)
{
    bool *hits = hits_of(p);
    struct search s = {
        .p = p,
        .hits = hits,
        .counts = mem_zalloc(p->n * lint_rule_count + 1, sizeof(bool)),
        .reached = mem_zalloc(p->n + 1, sizeof(bool)),
        .seen = mem_zalloc(p->n + 1, sizeof(int32_t)),
        .queue = mem_zalloc(p->n + 1, sizeof(int32_t)),
        .told = mem_zalloc(lint_rule_count + 1, sizeof(bool)),
    };
    search_all(&s);
    mem_free(hits);
    mem_free(s.reached);
    mem_free(s.seen);
    mem_free(s.queue);
    mem_free(s.told);
    return s.counts;
}
