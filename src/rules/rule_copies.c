/* Data that are moved between host and device: calls that block until it is done, and
 * memory from which the device cannot read by itself. */
#include "analyze/kernel_kind.h"
#include "base/mem.h"
#include "base/stats.h"
#include "price/evidence_text.h"
#include "rules/device_calls.h"
#include "rules/places.h"
#include "rules/rule.h"

#include <stdio.h>
#include <string.h>

/* --- blocking-copy --- */

void rule_blocking_copy(const struct rule *rule, const struct evidence *e,
                        struct findings *f)
{
    enum { BLOCKED_FRAC, REPEATS, LEAST_PART };
    struct edit_list edits = {0};
    struct places places = {0};
    double blocked_ns = 0;
    size_t count = 0;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *outer, *call = &t->op[i];
            if (device_wait_cause(e, t, call, &outer) != WAIT_CAUSE_COPY)
                continue;
            edit_list_unblock(&edits, call->span);
            blocked_ns += (double)host_op_ns(call) / (double)e->steps;
            count++;
            places_add(&places, e, t, call);
        }
    }
    if (!count || !device_repeats(e, count, blocked_ns, rule->limit[REPEATS].value) ||
        blocked_ns < rule->limit[BLOCKED_FRAC].value * e->traced_step_ns) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = edits;
    x->holds_ns = evidence_of_step_ns(e, blocked_ns);
    x->price = PRICE_REPLAYED;
    x->low_frac = rule->limit[LEAST_PART].value;
    places_tell(&places, x->where, sizeof x->where);
    evidence_say(x, "the host blocks until a copy is done, in {} a step; {} of it",
                 quantity_plural("calls_per_step", (double)count / (double)e->steps,
                                 "call", "calls"),
                 quantity_percent("blocked_frac", blocked_ns / e->traced_step_ns, 1));
    snprintf(x->missing, sizeof x->missing,
             "page-locking the host's buffers (cudaHostAlloc), and what copies take when "
             "they share the link and the memory with other work");
}

/* --- pageable-copy --- */

enum direction { TO_DEVICE, TO_HOST, DIRECTIONS };

struct link_use {
    double *rate; /* (n) bytes per ns of pinned copies that are large enough to tell */
    size_t n, cap;
    double low, median, high; /* quartiles of rate */
    double pageable_bytes, pageable_ns;
};

/* -1: neither from nor to the host. */
static int direction_of(enum copy_kind kind, bool *pageable)
{
    *pageable =
        kind == COPY_KIND_PAGEABLE_TO_DEVICE || kind == COPY_KIND_DEVICE_TO_PAGEABLE;
    if (kind == COPY_KIND_PAGEABLE_TO_DEVICE || kind == COPY_KIND_PINNED_TO_DEVICE)
        return TO_DEVICE;
    if (kind == COPY_KIND_DEVICE_TO_PAGEABLE || kind == COPY_KIND_DEVICE_TO_PINNED)
        return TO_HOST;
    return -1;
}

static int copy_of(const struct evidence *e, int64_t span, double least_bytes,
                   bool *pageable)
{
    const struct spans *s = &e->run->spans;
    if (s->kind[span] != SPAN_KIND_COPY || (double)s->bytes[span] < least_bytes ||
        s->dur_ns[span] <= 0 || !device_work_in_window(e, span))
        return -1;
    return direction_of(copy_kind_of(run_name(e->run, s->name[span])), pageable);
}

static void measure_links(const struct evidence *e, double least_bytes,
                          struct link_use *use)
{
    const struct spans *s = &e->run->spans;
    for (size_t i = 0; i < s->table.n; i++) {
        bool pageable;
        int d = copy_of(e, (int64_t)i, least_bytes, &pageable);
        if (d < 0)
            continue;
        if (pageable) {
            use[d].pageable_bytes += (double)s->bytes[i];
            use[d].pageable_ns += (double)s->dur_ns[i];
        } else {
            vec_grow(use[d].rate, use[d].cap, use[d].n + 1);
            use[d].rate[use[d].n++] = (double)s->bytes[i] / (double)s->dur_ns[i];
        }
    }
    for (int d = 0; d < DIRECTIONS; d++)
        if (use[d].n) {
            use[d].low = stats_quantile(use[d].rate, use[d].n, 0.25);
            use[d].median = stats_median(use[d].rate, use[d].n);
            use[d].high = stats_quantile(use[d].rate, use[d].n, 0.75);
        }
}

/* The copies take as long as at these rates. Returns what they lose, in ns. */
static double edit_copies(const struct evidence *e, double least_bytes,
                          const double rate[DIRECTIONS], struct edit_list *edits)
{
    const struct spans *s = &e->run->spans;
    double lost_ns = 0;
    for (size_t i = 0; i < s->table.n; i++) {
        bool pageable;
        int d = copy_of(e, (int64_t)i, least_bytes, &pageable);
        if (d < 0 || !pageable || rate[d] <= 0)
            continue;
        double dur_ns = (double)s->dur_ns[i];
        double keep = (double)s->bytes[i] / rate[d] / dur_ns;
        if (keep >= 1)
            continue;
        if (edits)
            edit_list_work(edits, (int64_t)i, keep);
        lost_ns += (1 - keep) * dur_ns;
    }
    return lost_ns;
}

void rule_pageable_copy(const struct rule *rule, const struct evidence *e,
                        struct findings *f)
{
    enum { HELD_FRAC, LEAST_BYTES };
    struct link_use use[DIRECTIONS] = {0};
    struct edit_list edits = {0};
    double least_bytes = rule->limit[LEAST_BYTES].value;
    measure_links(e, least_bytes, use);
    double median[DIRECTIONS], low[DIRECTIONS], high[DIRECTIONS];
    for (int d = 0; d < DIRECTIONS; d++) {
        median[d] = use[d].median;
        low[d] = use[d].low;
        high[d] = use[d].high;
        mem_free(use[d].rate);
    }
    double lost_ns = edit_copies(e, least_bytes, median, &edits);
    if (lost_ns / (double)e->steps < rule->limit[HELD_FRAC].value * e->traced_step_ns) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    const struct link_use *u = use[TO_DEVICE].pageable_ns > 0 && median[TO_DEVICE] > 0
                                   ? &use[TO_DEVICE]
                                   : &use[TO_HOST];
    x->edits = edits;
    x->price = PRICE_REPLAYED;
    x->holds_ns =
        (use[TO_DEVICE].pageable_ns + use[TO_HOST].pageable_ns) / (double)e->steps;
    x->low_frac = edit_copies(e, least_bytes, low, NULL) / lost_ns;
    x->high_frac = edit_copies(e, least_bytes, high, NULL) / lost_ns;
    snprintf(x->where, sizeof x->where, "copies %s",
             u == &use[TO_DEVICE] ? "to the device" : "to the host");
    evidence_say(
        x, "pageable memory is copied at {}, pinned memory in the same run at {}",
        quantity_rate("pageable_bytes_per_s", 1e9 * u->pageable_bytes / u->pageable_ns),
        quantity_rate("pinned_bytes_per_s", 1e9 * u->median));
    snprintf(x->missing, sizeof x->missing,
             "page-locking the host's buffers (cudaHostAlloc), once for each");
}
