/* The device runs dry because the host launches short kernels more slowly than they run.
 */
#include "base/mem.h"
#include "base/stats.h"
#include "evidence/device_idle.h"
#include "price/evidence_text.h"
#include "price/price.h"
#include "rules/device_calls.h"
#include "rules/fetches.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>

struct launch_series {
    int64_t *gap_ns; /* (n) from a launch to the next of its thread */
    size_t n, cap;
    int64_t *work_ns; /* (n_work) how long what they launched ran */
    size_t n_work, cap_work;
    size_t calls;
    struct edit_list edits;
};

/* From launch to launch, as long as they follow each other closely. */
static void find_launches(const struct evidence *e, double keep, int64_t longest_ns,
                          struct launch_series *l)
{
    int64_t from_ns = 0, before_ns = 0;
    int32_t lane = -1;
    for (size_t i = 0; i <= e->n_work; i++) {
        const struct launched_work *w = i < e->n_work ? &e->work[i] : NULL;
        if (w && (e->run->lanes.rank[w->lane] != e->rank_row ||
                  w->call_begin_ns < e->whatif.window.begin_ns ||
                  w->call_begin_ns >= e->whatif.window.end_ns))
            continue;
        if (w) {
            vec_grow(l->work_ns, l->cap_work, l->n_work + 1);
            l->work_ns[l->n_work++] = e->run->spans.dur_ns[w->span];
        }
        if (w && w->lane == lane && w->call_begin_ns == before_ns)
            continue; /* another work of the same call: a graph */
        l->calls += w != NULL;
        bool follows = w && w->lane == lane && w->call_begin_ns - before_ns <= longest_ns;
        if (follows) {
            vec_grow(l->gap_ns, l->cap, l->n + 1);
            l->gap_ns[l->n++] = w->call_begin_ns - before_ns;
        } else {
            if (lane >= 0)
                edit_list_dispatch(&l->edits, lane, from_ns, before_ns, keep);
            if (w)
                from_ns = w->call_begin_ns;
        }
        if (w) {
            before_ns = w->call_begin_ns;
            lane = w->lane;
        }
    }
}

/* Ranges in which a batch is fetched are another rule's. */
static void drop_input(const struct evidence *e, struct edit_list *l)
{
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            if (!evidence_is_fetch(e, &t->op[i]))
                continue;
            size_t n = 0;
            for (size_t r = 0; r < l->n; r++)
                if (l->edit[r].lane != t->lane ||
                    l->edit[r].begin_ns > t->op[i].begin_ns ||
                    l->edit[r].end_ns <= t->op[i].begin_ns)
                    l->edit[n++] = l->edit[r];
            l->n = n;
        }
    }
}

static double idle_frac(const struct evidence *e)
{
    const struct time_split *s =
        e->rank->step_split.known ? &e->rank->step_split : &e->rank->whole;
    double span_ns = (double)s->ns[TIME_CLASS_SPAN];
    return s->known && span_ns > 0 ? (double)s->ns[TIME_CLASS_IDLE_HOST] / span_ns : 0;
}

/* Of the window, when the device idles while the host goes from launch to launch: not
 * while it sleeps, prepares data or does anything else between them. */
static double launching_frac(const struct evidence *e, const struct edit_list *l)
{
    struct stretches launching = {0};
    for (size_t i = 0; i < l->n; i++)
        stretches_add(&launching, l->edit[i].begin_ns, l->edit[i].end_ns);
    stretches_settle(&launching);
    struct stretches idle =
        device_idle(e, e->whatif.window.begin_ns, e->whatif.window.end_ns);
    struct stretches in = stretches_in(&idle, &launching);
    double ns = stretches_ns(&in);
    stretches_release(&in);
    stretches_release(&idle);
    stretches_release(&launching);
    return ns / (e->traced_step_ns * (double)e->steps);
}

void rule_launch_bound(const struct rule *rule, const struct evidence *e,
                       struct findings *f)
{
    enum { IDLE_FRAC, LAUNCHES, KEPT_FRAC, LONGEST_NS };
    struct launch_series l = {0};
    double idle = idle_frac(e);
    if (idle < rule->limit[IDLE_FRAC].value)
        return;
    find_launches(e, rule->limit[KEPT_FRAC].value, (int64_t)rule->limit[LONGEST_NS].value,
                  &l);
    drop_input(e, &l.edits);
    bool many = (double)l.calls >= rule->limit[LAUNCHES].value * (double)e->steps && l.n;
    int64_t gap_ns = l.n ? stats_median_int64(l.gap_ns, l.n) : 0;
    int64_t work_ns = l.n_work ? stats_median_int64(l.work_ns, l.n_work) : 0;
    mem_free(l.gap_ns);
    mem_free(l.work_ns);
    if (!many || work_ns >= gap_ns) {
        edit_list_release(&l.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    double launching = fmin(idle, launching_frac(e, &l.edits));
    double part_ns = price_traced_gain_ns(e, &l.edits);
    edit_list_set_keep(&l.edits, 0);
    double all_ns = price_traced_gain_ns(e, &l.edits);
    edit_list_set_keep(&l.edits, rule->limit[KEPT_FRAC].value);
    x->edits = l.edits;
    x->price = PRICE_MODELLED;
    /* while the device works, it waits for no launch */
    x->holds_ns = fmin(price_untraced_ns(e, &l.edits), launching * e->step_ns);
    x->low_frac =
        1 - rule->limit[KEPT_FRAC].value; /* as small a part of the stated part */
    x->high_frac = part_ns > 0 && all_ns > part_ns ? all_ns / part_ns : 1;
    snprintf(x->where, sizeof x->where, "%.0f launches%s",
             (double)l.calls / (double)e->steps, x->of_recording ? "" : " a step");
    evidence_say(
        x,
        "for {} of the time the device idles while the host is between one launch "
        "and the next; a launch comes every {}, what it launches takes {} "
        "(medians)",
        quantity_percent("idle_frac", launching, 0),
        quantity_us("launch_interval_ms", (double)gap_ns),
        quantity_us("launched_work_ms", (double)work_ns));
    evidence_beside(
        x, quantity_whole("launches_per_step", (double)l.calls / (double)e->steps));
    snprintf(x->missing, sizeof x->missing,
             "how much of the host's work between launches a compiled or captured step "
             "still needs; capturing and compiling themselves");
}
