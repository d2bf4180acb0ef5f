/*
 * A replacement is measured beside the job's own way, both in isolation. The step then
 * loses what its own spans took and gets the other way's cost, because the spans are what
 * the step really has. Only where both ways cost nearly the same the difference of the
 * two in isolation is the better figure: what isolation gets wrong is then the same on
 * both sides and larger than the difference.
 */
#include "findings/replaced.h"

#include "base/mem.h"
#include "base/stats.h"
#include "findings/price.h"

#include <string.h>

/* From this part of the job's own way on, the other way costs nearly the same. */
static const double NEARLY_FRAC = 0.8;

/* --- what was measured --- */

struct ways {
    double *now, *instead; /* (n) of one way for one subject */
};

/* Medians over the rounds of this rule, subject and way. */
static void medians(const struct evidence *e, size_t like, struct ways *w, double *now_ns,
                    double *instead_ns)
{
    const struct replacements *r = &e->run->replacements;
    size_t n = 0;
    for (size_t i = 0; i < r->table.n; i++)
        if (r->rank[i] == e->rank_row && r->rule[i] == r->rule[like] &&
            r->subject[i] == r->subject[like] && r->how[i] == r->how[like]) {
            w->now[n] = (double)r->now_ns[i];
            w->instead[n++] = (double)r->instead_ns[i];
        }
    *now_ns = stats_median(w->now, n);
    *instead_ns = stats_median(w->instead, n);
}

static bool is_asked(const struct evidence *e, size_t i, const char *rule)
{
    const struct replacements *r = &e->run->replacements;
    return r->rank[i] == e->rank_row && !strcmp(run_name(e->run, r->rule[i]), rule);
}

static bool is_first_of_subject(const struct evidence *e, size_t i, const char *rule)
{
    const struct replacements *r = &e->run->replacements;
    for (size_t k = 0; k < i; k++)
        if (is_asked(e, k, rule) && r->subject[k] == r->subject[i])
            return false;
    return true;
}

/* The way with the largest gain for the subject of row `like`. */
static void best_way(const struct evidence *e, size_t like, const char *rule,
                     struct ways *w, double *now_ns, double *instead_ns)
{
    const struct replacements *r = &e->run->replacements;
    medians(e, like, w, now_ns, instead_ns);
    for (size_t i = like + 1; i < r->table.n; i++) {
        double now, instead;
        if (!is_asked(e, i, rule) || r->subject[i] != r->subject[like] ||
            r->how[i] == r->how[i - 1])
            continue;
        medians(e, i, w, &now, &instead);
        if (now - instead > *now_ns - *instead_ns) {
            *now_ns = now;
            *instead_ns = instead;
        }
    }
}

bool evidence_replacement(const struct evidence *e, const char *rule, double *now_ns,
                          double *instead_ns)
{
    size_t n = e->run->replacements.table.n, found = 0;
    struct ways w = {mem_alloc((n + 1) * sizeof *w.now),
                     mem_alloc((n + 1) * sizeof *w.instead)};
    *now_ns = *instead_ns = 0;
    for (size_t i = 0; i < n; i++) {
        double now, instead;
        if (!is_asked(e, i, rule) || !is_first_of_subject(e, i, rule))
            continue;
        best_way(e, i, rule, &w, &now, &instead);
        *now_ns += now;
        *instead_ns += instead;
        found++;
    }
    mem_free(w.now);
    mem_free(w.instead);
    return found > 0;
}

/* --- what stays --- */

bool replaced_as_measured(const struct evidence *e, struct finding *f)
{
    double now_ns, instead_ns, held_ns = price_untraced_ns(e, &f->edits);
    if (held_ns <= 0 || !evidence_replacement(e, f->rule->name, &now_ns, &instead_ns) ||
        now_ns <= 0)
        return false;
    double gain_ns = held_ns - instead_ns;
    if (instead_ns > NEARLY_FRAC * now_ns)
        gain_ns = now_ns - instead_ns;
    double keep = 1 - gain_ns / held_ns;
    edit_list_set_keep(&f->edits, keep > 0 ? keep : 0);
    f->price = PRICE_MEASURED;
    return true;
}
