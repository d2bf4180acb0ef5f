#include "price/tried_setting.h"

#include "base/mem.h"
#include "price/evidence_text.h"
#include "price/price.h"
#include "price/replaced.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pairs of steps: fewer say little. */
enum { PAIRS_LEAST = 5 };

/* Of the pairs of one way: medians, and the interval of what is gained. */
static struct tried_setting way_of(const struct evidence *e, name_id rule, name_id how)
{
    const struct replacements *r = &e->run->replacements;
    struct tried_setting t = {.instead = run_name(e->run, how)};
    double *gain = mem_alloc((3 * r->table.n + 1) * sizeof *gain);
    double *now_ns = gain + r->table.n, *instead_ns = now_ns + r->table.n;
    size_t n = 0;
    for (size_t i = 0; i < r->table.n; i++) {
        if (r->rank[i] != e->rank_row || r->rule[i] != rule || r->how[i] != how ||
            r->now_ns[i] <= 0)
            continue;
        t.now = run_name(e->run, r->subject[i]);
        now_ns[n] = (double)r->now_ns[i];
        instead_ns[n] = (double)r->instead_ns[i];
        gain[n] = 1 - instead_ns[n] / now_ns[n];
        n++;
    }
    if (n >= PAIRS_LEAST) {
        t.gain_frac = stats_median_interval(gain, n);
        t.now_ns = stats_median(now_ns, n);
        t.instead_ns = stats_median(instead_ns, n);
    }
    mem_free(gain);
    return t;
}

struct tried_setting tried_setting_of(const struct evidence *e, const char *rule)
{
    const struct replacements *r = &e->run->replacements;
    struct tried_setting best = {.now = NULL};
    name_id last = -1;
    for (size_t i = 0; i < r->table.n; i++) {
        if (r->rank[i] != e->rank_row || r->how[i] == last ||
            strcmp(run_name(e->run, r->rule[i]), rule))
            continue;
        last = r->how[i];
        struct tried_setting t = way_of(e, r->rule[i], last);
        if (t.gain_frac.n &&
            (!best.gain_frac.n || t.gain_frac.median > best.gain_frac.median))
            best = t;
    }
    return best;
}

/* All operators keep the same part. Of fixes that shorten the same ones the one that leaves
 * least counts: what they gain together was not tried. */
static void edit_all(const struct evidence *e, struct edit_list *edits)
{
    if (e->main_thread == SIZE_MAX)
        return;
    const struct host_thread *t = &e->threads[e->main_thread];
    for (size_t i = 0; i < t->n; i++)
        if (t->op[i].kind == SPAN_KIND_OP && t->op[i].op_parent < 0)
            edit_list_host(edits, t->lane, t->op[i].begin_ns, t->op[i].end_ns, 1);
}

struct finding *tried_setting_tell(const struct tried_setting *t,
                                   const struct evidence *e, struct findings *f,
                                   const struct rule *rule)
{
    const struct median_interval *gain = &t->gain_frac;
    if (!gain->n || gain->low <= 0)
        return NULL;
    struct finding *x = findings_add(f, rule);
    edit_all(e, &x->edits);
    double held_ns = price_untraced_ns(e, &x->edits);
    /* what a step waits beside that, for data, stays */
    double gain_ns = gain->median * fmin(e->step_ns, t->now_ns);
    x->price = PRICE_RUN;
    x->holds_timed = true;
    x->holds_ns = gain_ns;
    x->low_frac = gain->low / gain->median;
    x->high_frac = gain->high / gain->median;
    if (held_ns > 0)
        replaced_set_gain(x, gain_ns, held_ns);
    else
        x->direct_gain_ns = gain_ns;
    snprintf(x->where, sizeof x->where, "%s", t->now);
    evidence_say(x,
                 "{} alternating pairs of steps after the recording: {} per step as "
                 "configured, {} with {}",
                 quantity_whole("pairs", (double)gain->n),
                 quantity_time("as_it_is_ms", t->now_ns),
                 quantity_time("instead_ms", t->instead_ns), quantity_words(t->instead));
    return x;
}
