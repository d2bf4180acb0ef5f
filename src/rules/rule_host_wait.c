/*
 * The host stops until the device has caught up. Where it stops to look at a value
 * (.item(), a small .cpu(), nonzero) the whole operation would go; where the program says
 * "synchronize", the call would return at once. Copies and the allocator have rules of
 * their own.
 */
#include "price/evidence_text.h"
#include "price/price.h"
#include "rules/device_calls.h"
#include "rules/places.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>

struct found {
    struct edit_list gone;      /* what reads is taken out */
    struct edit_list unblocked; /* everything only stops waiting: the least */
    struct places places;
    const struct host_op *last_outer;
    double held_ns, waiting_ns; /* whole operations; of these, the calls that wait */
    size_t reads, syncs;
};

static void add_wait(const struct evidence *e, const struct host_thread *t,
                     const struct host_op *call, const struct host_op *outer,
                     enum wait_cause cause, struct found *x)
{
    edit_list_unblock(&x->unblocked, call->span);
    x->waiting_ns += (double)host_op_ns(call) / (double)e->steps;
    if (outer == x->last_outer) /* a copy and the wait for it are one operation */
        return;
    x->last_outer = outer;
    if (cause == WAIT_CAUSE_READ) {
        evidence_edit_op(e, &x->gone, t, outer, 0, false);
        x->reads++;
    } else {
        edit_list_unblock(&x->gone, call->span);
        x->syncs++;
    }
    x->held_ns += (double)host_op_ns(outer) / (double)e->steps;
    places_add(&x->places, e, t, outer);
}

static void find_waits(const struct evidence *e, struct found *x)
{
    struct launch_times launches = device_launch_times(e);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *outer, *call = &t->op[i];
            enum wait_cause cause = device_wait_cause(e, t, call, &outer);
            bool beside =
                call->begin_ns < launches.first_ns || call->begin_ns > launches.last_ns;
            if (cause == WAIT_CAUSE_READ || (cause == WAIT_CAUSE_SYNC && !beside))
                add_wait(e, t, call, outer, cause, x);
        }
    }
}

/* reads and syncs: a step. */
static void tell_stops(struct finding *told, double reads, double syncs)
{
    evidence_append(told, "a step stops", NULL, 0);
    if (reads > 0)
        evidence_say(told, " {} to read a value from the device",
                     quantity_times("reads_per_step", reads));
    if (syncs > 0)
        evidence_say(told, "{} {} to synchronise with {}",
                     quantity_words(reads > 0 ? " and" : ""),
                     quantity_times("syncs_per_step", syncs),
                     quantity_words(reads > 0 ? "it" : "the device"));
}

void rule_host_wait(const struct rule *rule, const struct evidence *e, struct findings *f)
{
    enum { WAITING_FRAC, REPEATS };
    struct found x = {0};
    find_waits(e, &x);
    if (!device_repeats(e, x.reads + x.syncs, x.held_ns, rule->limit[REPEATS].value) ||
        !x.places.n || x.held_ns < rule->limit[WAITING_FRAC].value * e->traced_step_ns) {
        edit_list_release(&x.gone);
        edit_list_release(&x.unblocked);
        return;
    }
    struct finding *told = findings_add(f, rule);
    double all_ns = price_traced_gain_ns(e, &x.gone);
    double least_ns = price_traced_gain_ns(e, &x.unblocked);
    told->edits = x.gone;
    told->holds_ns = evidence_of_step_ns(e, x.held_ns);
    told->price = PRICE_REPLAYED;
    if (all_ns > 0 && least_ns < all_ns)
        told->low_frac = least_ns > 0 ? least_ns / all_ns : 0;
    places_tell(&x.places, told->where, sizeof told->where);
    tell_stops(told, (double)x.reads / (double)e->steps,
               (double)x.syncs / (double)e->steps);
    if (x.reads)
        evidence_say(
            told, "; of the time that this takes, {} is in calls that wait",
            quantity_percent("waiting_frac", fmin(1, x.waiting_ns / x.held_ns), 0));
    if (x.reads)
        snprintf(told->missing, sizeof told->missing,
                 "what takes the reading's place: keeping the value on the device costs "
                 "the host an operation");
    edit_list_release(&x.unblocked);
}
