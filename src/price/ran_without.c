#include "price/ran_without.h"

#include "base/mem.h"
#include "evidence/extent.h"
#include "evidence/outer_ops.h"
#include "price/price.h"
#include "price/replaced.h"

#include <math.h>
#include <string.h>

/* Pairs of steps: fewer say little. */
enum { PAIRS_LEAST = 5 };

static struct median_interval gain_of(const struct evidence *e, const char *class)
{
    const struct replacements *r = &e->run->replacements;
    struct median_interval gain = {0};
    double *ns = mem_alloc((r->table.n + 1) * sizeof *ns);
    size_t n = 0;
    for (size_t i = 0; i < r->table.n; i++)
        if (r->rank[i] == e->rank_row && !strcmp(run_name(e->run, r->rule[i]), class))
            ns[n++] = (double)(r->now_ns[i] - r->instead_ns[i]);
    if (n >= PAIRS_LEAST)
        gain = stats_median_interval(ns, n);
    mem_free(ns);
    return gain;
}

struct ran_without ran_without_of(const struct evidence *e, enum flow_class of)
{
    const struct watched *w = e->watched;
    struct ran_without r = {.gain = gain_of(e, flow_class_name[of])};
    if (!r.gain.n)
        return r;
    r.plan = flow_plan_of(&w->graph, w->classes.of);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            int32_t call = w->call[k][i];
            if (watched_begins(w, k, t, i) && w->classes.of[call] == of &&
                r.plan[call] != FLOW_RUNS)
                r.traced_ns += outer_op_ns(e, t, &t->op[i]);
        }
    }
    return r;
}

void ran_without_release(struct ran_without *r)
{
    mem_free(r->plan);
    *r = (struct ran_without){0};
}

/* Pairs of a noisy machine can tell what the calls hold neither from nothing nor from
 * more: then they say nothing. */
static bool pairs_tell(const struct ran_without *r, double share, double held_ns)
{
    return r->gain.low > 0 || r->gain.high * share < held_ns;
}

void ran_without_price(const struct ran_without *r, const struct evidence *e,
                       struct finding *x, double traced_ns)
{
    struct extent extent = extent_of(e, &x->edits);
    double edited_ns = (extent.host_ns + extent.blocked_ns) * (double)e->steps;
    if (!r->gain.n || traced_ns <= 0 || edited_ns <= 0)
        return;
    double share = traced_ns / r->traced_ns, held_ns = price_untraced_ns(e, &x->edits);
    double rest_ns = held_ns * fmax(0, 1 - traced_ns / edited_ns);
    if (!pairs_tell(r, share, held_ns - rest_ns))
        return;
    double gain_ns = fmax(0, r->gain.median) * share + rest_ns;
    x->price = PRICE_RUN;
    x->holds_timed = true;
    x->holds_ns = gain_ns;
    x->low_frac = gain_ns > 0 ? (r->gain.low * share + rest_ns) / gain_ns : 1;
    x->high_frac = gain_ns > 0 ? (r->gain.high * share + rest_ns) / gain_ns : 1;
    replaced_set_gain(x, gain_ns, held_ns);
}
