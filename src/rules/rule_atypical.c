/*
 * A recording that does not show what a step usually takes: calls of the driver that take
 * far longer than they do once a job is warm (creating a context, loading modules, taking
 * the first memory), compiling, or a host that waits for GPU work from before the
 * recording. None of it is a cause to fix; all of it is a reason to record later.
 */
#include "base/mem.h"
#include "evidence/device_idle.h"
#include "price/evidence_text.h"
#include "replay/call_kind.h"
#include "rules/device_calls.h"
#include "rules/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a call: so much of it the GPU must be idle, as far as is recorded. A call that waits
 * for its work is no start-up. */
static const double IDLE_MIN_FRAC = 0.9;

/* Work that was launched before a wait and begins in this last part of it stood in a
 * queue behind something. */
static const double QUEUED_UNTIL_FRAC = 0.9;

enum reason { REASON_NONE, REASON_DRIVER, REASON_COMPILE, REASON_BACKLOG, REASON_COUNT };

struct found {
    struct stretches when[REASON_COUNT]; /* threads side by side count once */
    double ns[REASON_COUNT];             /* of these, in the window */
    size_t calls[REASON_COUNT];
    const struct host_op *longest[REASON_COUNT];
    const struct host_thread *thread[REASON_COUNT]; /* of the longest */
    uint8_t *step;                                  /* (steps) has some */
};

/* Device work by its begin, and since when graphs are launched. */
struct queue {
    struct queued {
        int64_t begin_ns, call_ns;
    } * work; /* (n) */
    size_t n;
    int64_t graph_ns; /* INT64_MAX: never */
};

/* --- what a call is --- */

static bool compiles(const char *name)
{
    static const char *const words[] = {"torch/_dynamo/convert_frame.py(",
                                        "torch/_inductor/compile_fx.py(",
                                        "triton/compiler/compiler.py("};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static int compare_queued(const void *a, const void *b)
{
    const struct queued *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static struct queue queue_of(const struct evidence *e)
{
    const struct spans *s = &e->run->spans;
    struct queue q = {.graph_ns = INT64_MAX};
    q.work = mem_alloc((e->n_work + 1) * sizeof *q.work);
    for (size_t i = 0; i < e->n_work; i++) {
        const struct launched_work *w = &e->work[i];
        if (e->run->lanes.rank[w->lane] != e->rank_row)
            continue;
        q.work[q.n++] = (struct queued){s->begin_ns[w->span], w->call_begin_ns};
        const char *call = run_name(e->run, s->name[e->replay->launch[w->span]]);
        if (w->call_begin_ns < q.graph_ns && call_kind_of(call) == CALL_KIND_GRAPH_LAUNCH)
            q.graph_ns = w->call_begin_ns;
    }
    if (q.n)
        qsort(q.work, q.n, sizeof *q.work, compare_queued);
    return q;
}

/* Is there work that was launched before the wait, or by it, and began only at its end?
 * What is before it on the GPU was then launched before the recording: graphs, whose
 * kernels may not be recorded, are left out. */
static bool waits_for_backlog(const struct queue *q, const struct host_op *wait)
{
    double dur_ns = (double)host_op_ns(wait);
    int64_t from_ns = wait->begin_ns + (int64_t)(QUEUED_UNTIL_FRAC * dur_ns);
    int64_t to_ns = wait->end_ns + (int64_t)((1 - QUEUED_UNTIL_FRAC) * dur_ns);
    size_t low = 0, high = q->n;
    if (q->graph_ns <= wait->begin_ns)
        return false;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (q->work[mid].begin_ns < from_ns)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < q->n && q->work[low].begin_ns <= to_ns; low++)
        if (q->work[low].call_ns <= wait->begin_ns)
            return true;
    return false;
}

static enum reason reason_of(const struct evidence *e, const struct queue *q,
                             const struct host_op *op)
{
    const char *name = evidence_name(e, op);
    if (op->kind == SPAN_KIND_PYTHON)
        return compiles(name) ? REASON_COMPILE : REASON_NONE;
    if (op->kind != SPAN_KIND_RUNTIME && op->kind != SPAN_KIND_SYNC)
        return REASON_NONE;
    switch (call_kind_of(name)) {
    case CALL_KIND_DEVICE_SYNC:
    case CALL_KIND_STREAM_SYNC:
    case CALL_KIND_EVENT_SYNC:
    case CALL_KIND_COPY:
    case CALL_KIND_COPY_SYNC:
        return waits_for_backlog(q, op) ? REASON_BACKLOG : REASON_NONE;
    case CALL_KIND_FREE:
        /* of one step alone nobody knows whether the next one does it again */
        return e->whatif.window.steps == 1 ? REASON_NONE : REASON_DRIVER;
    default:
        return REASON_DRIVER;
    }
}

/* --- all of them --- */

static bool is_call(const struct host_op *op)
{
    return op->kind == SPAN_KIND_RUNTIME || op->kind == SPAN_KIND_SYNC;
}

static void add_call(struct found *x, const struct evidence *e,
                     const struct host_thread *t, const struct host_op *op,
                     enum reason reason)
{
    int32_t step = e->run->spans.step[op->span];
    stretches_add(&x->when[reason], op->begin_ns, op->end_ns);
    x->calls[reason]++;
    if (step >= 0)
        x->step[step] = 1;
    if (!x->longest[reason] || host_op_ns(op) > host_op_ns(x->longest[reason])) {
        x->longest[reason] = op;
        x->thread[reason] = t;
    }
}

/* A call inside another is a part of it, whatever that one is. */
static void find_in(const struct evidence *e, const struct host_thread *t,
                    const struct stretch_sums *idle, const struct queue *q,
                    double least_ns, struct found *x)
{
    int64_t until_ns = INT64_MIN;
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if ((double)host_op_ns(op) < least_ns || op->begin_ns < until_ns)
            continue;
        double idle_ns = stretch_sums_in(idle, op->begin_ns, op->end_ns);
        enum reason reason = idle_ns < IDLE_MIN_FRAC * (double)host_op_ns(op)
                                 ? REASON_NONE
                                 : reason_of(e, q, op);
        if (reason)
            add_call(x, e, t, op, reason);
        if (reason || is_call(op))
            until_ns = op->end_ns;
    }
}

/* The reason that has most of it. */
static enum reason sum_up(struct found *x, const struct stretches *idle)
{
    enum reason most = REASON_NONE;
    for (int r = 1; r < REASON_COUNT; r++) {
        stretches_settle(&x->when[r]);
        struct stretches in = stretches_in(&x->when[r], idle);
        x->ns[r] = stretches_ns(&in);
        stretches_release(&in);
        stretches_release(&x->when[r]);
        most = x->calls[r] && (!most || x->ns[r] > x->ns[most]) ? (enum reason)r : most;
    }
    return most;
}

static double of_step_ns(const struct found *x, const struct evidence *e, enum reason r)
{
    return evidence_of_step_ns(e, x->ns[r] / (double)e->steps);
}

static void tell(struct finding *x, const struct evidence *e, const struct found *found,
                 double least_ns)
{
    const char *between = "";
    if (found->calls[REASON_DRIVER]) {
        evidence_say(x,
                     "{} of a step pass in {} of {} or more on an idle GPU, as when "
                     "a context is created, modules are loaded or the first memory is "
                     "allocated (the longest: {})",
                     quantity_time("driver_ms", of_step_ns(found, e, REASON_DRIVER)),
                     quantity_plural("driver_calls", (double)found->calls[REASON_DRIVER],
                                     "driver call", "driver calls"),
                     quantity_time("least_ms", least_ns),
                     quantity_words(evidence_name(e, found->longest[REASON_DRIVER])));
        between = "; ";
    }
    if (found->calls[REASON_COMPILE]) {
        evidence_say(x, "{}{} of a step go into compiling", quantity_words(between),
                     quantity_time("compile_ms", of_step_ns(found, e, REASON_COMPILE)));
        between = "; ";
    }
    if (found->calls[REASON_BACKLOG])
        evidence_say(
            x,
            "{}for {} of a step the host waits for GPU work that is not recorded, "
            "most likely of before the recording: the GPU only seems idle",
            quantity_words(between),
            quantity_time("backlog_ms", of_step_ns(found, e, REASON_BACKLOG)));
}

void rule_atypical_recording(const struct rule *rule, const struct evidence *e,
                             struct findings *f)
{
    enum { HELD_FRAC, LEAST_NS, STEPS_FRAC };
    struct found found = {.step =
                              mem_zalloc(e->run->steps.table.n + 1, sizeof *found.step)};
    struct stretches idle =
        device_idle(e, e->whatif.window.begin_ns, e->whatif.window.end_ns);
    struct stretch_sums sums = stretch_sums_new(&idle);
    struct queue queue = queue_of(e);
    for (size_t k = 0; k < e->n_threads; k++)
        find_in(e, &e->threads[k], &sums, &queue, rule->limit[LEAST_NS].value, &found);
    enum reason most = sum_up(&found, &idle);
    mem_free(queue.work);
    stretch_sums_release(&sums);
    stretches_release(&idle);
    double ns = 0, steps = 0;
    for (int i = 1; i < REASON_COUNT; i++)
        ns += found.ns[i];
    for (size_t i = 0; i < e->run->steps.table.n; i++)
        steps += found.step[i];
    mem_free(found.step);
    /* what most steps do is no start-up */
    bool often = e->steps > 1 && steps > rule->limit[STEPS_FRAC].value * (double)e->steps;
    if (!most || often ||
        ns / (double)e->steps < rule->limit[HELD_FRAC].value * e->traced_step_ns)
        return;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_INTERVAL;
    x->holds_ns = evidence_of_step_ns(e, ns / (double)e->steps);
    device_where(x->where, sizeof x->where, e, found.thread[most], found.longest[most]);
    tell(x, e, &found, rule->limit[LEAST_NS].value);
    finding_withhold_price(x, "it is no part of a typical step");
}
