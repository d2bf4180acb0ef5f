/* Batches put together element by element: the fetch's time is in the collate function.
 */
#include "price/evidence_text.h"
#include "price/finding.h"
#include "rules/fetches.h"
#include "rules/rule.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Is it a frame of a function that puts batches together: "data.py(27): collate_rows"? */
static bool is_collate(const char *frame)
{
    const char *function = strrchr(frame, ':');
    if (!function || !strstr(frame, ".py("))
        return false;
    for (const char *s = function; *s; s++) {
        static const char word[] = "collate";
        size_t i = 0;
        while (word[i] && tolower((unsigned char)s[i]) == word[i])
            i++;
        if (!word[i])
            return true;
    }
    return false;
}

/* Of the fetches' time, the part inside frames of such a function; -1: no frames. */
static double frames_frac(const struct evidence *e, const struct fetches *f,
                          const char **where)
{
    const struct host_thread *t = &e->threads[e->main_thread];
    double ns = 0;
    if (!e->has_frames)
        return -1;
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        bool nested = false;
        if (op->kind != SPAN_KIND_PYTHON || !is_collate(evidence_name(e, op)) ||
            !op->fetch)
            continue;
        for (int32_t k = op->parent; k >= 0 && !nested; k = t->op[k].parent)
            nested = is_collate(evidence_name(e, &t->op[k]));
        if (nested)
            continue;
        *where = evidence_name(e, op);
        ns += (double)host_op_ns(op);
    }
    return ns / (double)e->steps / f->traced_ns;
}

/* Operators' own time in the fetches and in all, of the window. */
static void own_times(const struct evidence *e, double *fetch_ns, double *all_ns)
{
    *fetch_ns = *all_ns = 0;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            if (op->kind != SPAN_KIND_OP || op->op_parent >= 0)
                continue;
            *all_ns += (double)host_op_ns(op);
            if (k == e->main_thread && op->fetch)
                *fetch_ns += (double)host_op_ns(op);
        }
    }
}

/* The same from places in the program, which may come from other steps than the window:
 * the part that such places have of all operators, held against the fetch's part. */
static double sites_frac(const struct evidence *e, const char **where)
{
    const struct sites *s = &e->run->sites;
    double collate_ns = 0, sites_ns = 0, fetch_ns, all_ns;
    int64_t most_ns = 0;
    for (size_t i = 0; i < s->table.n; i++) {
        if (s->rank[i] != e->rank_row)
            continue;
        sites_ns += (double)s->self_ns[i];
        if (!is_collate(run_name(e->run, s->line[i])))
            continue;
        collate_ns += (double)s->self_ns[i];
        if (s->self_ns[i] > most_ns)
            *where = run_name(e->run, s->line[i]);
        most_ns = s->self_ns[i] > most_ns ? s->self_ns[i] : most_ns;
    }
    own_times(e, &fetch_ns, &all_ns);
    if (sites_ns <= 0 || fetch_ns <= 0)
        return 0;
    return collate_ns / sites_ns * all_ns / fetch_ns;
}

/* The same as timed without the tracer; -1: it was not. */
static double timed_frac(const struct evidence *e)
{
    double collate_ns = evidence_timing_median(e, TIMING_KIND_COLLATE);
    double fetch_ns = evidence_timing_median(e, TIMING_KIND_LOADER);
    return fetch_ns > 0 && !isnan(collate_ns) ? collate_ns / fetch_ns : -1;
}

/* Of the fetches' time, as what tells it best; *where: the function, where it is known.
 */
static double collate_frac(const struct evidence *e, const struct fetches *f,
                           const char **where)
{
    double timed = timed_frac(e), seen = frames_frac(e, f, where);
    if (seen < 0)
        seen = sites_frac(e, where);
    if (!**where)
        *where = "the loader's collate_fn";
    return fmin(1, timed < 0 ? seen : timed);
}

void rule_collate_work(const struct rule *rule, const struct evidence *e,
                       struct findings *f)
{
    enum { COLLATE_FRAC, FETCHING_FRAC };
    struct fetches fetches = fetches_find(e);
    const char *where = "";
    double frac = 0;
    if (fetches.longest && fetches.share_frac >= rule->limit[FETCHING_FRAC].value &&
        !fetches.workers)
        frac = collate_frac(e, &fetches, &where);
    if (frac < rule->limit[COLLATE_FRAC].value) {
        edit_list_release(&fetches.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = fetches.edits;
    edit_list_set_keep(&x->edits, 1 - frac);
    x->timed_ns = isnan(fetches.timed_ns) ? 0 : fetches.timed_ns;
    x->holds_timed = x->timed_ns > 0;
    x->holds_ns =
        frac * (x->holds_timed ? x->timed_ns : evidence_of_step_ns(e, fetches.traced_ns));
    x->price = PRICE_REPLAYED;
    x->low_frac = 0.7; /* docs/rules/collate-work.md: whole tensors cost something too */
    snprintf(x->where, sizeof x->where, "%s", where);
    evidence_say(x,
                 "{} of a step goes into fetching its batch, {} of that into the "
                 "function that puts it together",
                 quantity_percent("fetching_frac", fetches.share_frac, 1),
                 quantity_percent("collate_of_fetching_frac", frac, 0));
    snprintf(x->missing, sizeof x->missing,
             "what the same batch costs when it is put together from whole tensors");
}
