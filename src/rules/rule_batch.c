/*
 * A batch so small that the cost which every step has, whatever its batch, is a large
 * part of it. Told a sample: twice the batch shares that cost among twice as many.
 */
#include "base/mem.h"
#include "base/stats.h"
#include "evidence/host_gaps.h"
#include "evidence/host_time.h"
#include "evidence/outer_ops.h"
#include "evidence/sequences.h"
#include "evidence/watched.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The batch of a layer's input: "[[8,128,256],…": 8. 0: it is no such operator. */
static int64_t batch_of(const struct evidence *e, const struct host_op *op)
{
    static const char *const layers[] = {"aten::linear", "aten::conv1d", "aten::conv2d",
                                         "aten::conv3d"};
    const char *name = evidence_name(e, op), *shapes;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        if (strcmp(name, layers[i]))
            continue;
        shapes = run_name(e->run, e->run->spans.shapes[op->span]);
        if (shapes[0] == '[' && shapes[1] == '[')
            return strtoll(shapes + 2, NULL, 10);
    }
    return 0;
}

/* The largest of the layers' inputs: a layer may see a part of the batch. */
static int64_t batch_size(const struct evidence *e)
{
    int64_t most = 0;
    const struct host_thread *t = &e->threads[e->main_thread];
    for (size_t i = 0; i < t->n; i++) {
        int64_t n = t->op[i].kind == SPAN_KIND_OP ? batch_of(e, &t->op[i]) : 0;
        most = n > most ? n : most;
    }
    return most;
}

/* The optimizer moves every parameter once a step. */
static double optimizer_frac(const struct evidence *e)
{
    const struct host_thread *t = &e->threads[e->main_thread];
    double timed_ns = evidence_timing_median(e, TIMING_KIND_OPTIMIZER), ns = 0;
    if (!isnan(timed_ns))
        return timed_ns / e->step_ns;
    for (size_t i = 0; i < t->n; i++)
        if (outer_ops_is_optimizer(e, &t->op[i]))
            ns += (double)host_op_ns(&t->op[i]);
    return ns / (double)e->steps / e->traced_step_ns;
}

/* What asking for an operator takes, of all of them: their number times what the tenth
 * shortest takes that the program itself called. */
static double asking_frac(const struct evidence *e)
{
    size_t n = 0, cap = 0;
    double *ns = NULL;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            if (t->op[i].kind != SPAN_KIND_OP || t->op[i].op_parent >= 0)
                continue;
            vec_grow(ns, cap, n + 1);
            ns[n++] = (double)host_op_ns(&t->op[i]);
        }
    }
    double least_ns = n ? stats_quantile(ns, n, 0.1) : 0;
    least_ns = fmax(0, least_ns - e->event_cost_ns);
    mem_free(ns);
    return least_ns * (double)n / (double)e->steps / e->traced_step_ns;
}

/* Is that around work which could go? Others tell of it. */
static bool is_needless(const struct evidence *e, int32_t op)
{
    const struct host_thread *t = &e->threads[e->main_thread];
    return op >= 0 && watched_is_needless(e, t, &t->op[op]);
}

/* What python-time tells of, of a step. */
static double told_frac(const struct evidence *e, double least_frac)
{
    double ns = 0;
    if (!e->watched || !host_time_known(e))
        return 0;
    double *line_ns = host_time_in_python(e);
    for (size_t i = 0; i < e->run->lines.table.n; i++)
        ns += line_ns[i] >= least_frac * e->step_ns ? line_ns[i] : 0;
    mem_free(line_ns);
    return ns / e->step_ns;
}

/* Python between operators, as far as it is their asking: not long stretches, which do
 * something of their own, nor what is around needless work. */
static double between_frac(const struct evidence *e, double long_frac)
{
    struct host_gaps g;
    double ns = 0;
    host_gaps_init(&g, e, 1);
    for (size_t i = 0; i < g.n; i++) {
        const struct host_gap *gap = &g.gap[i];
        double gap_ns = (double)(gap->end_ns - gap->begin_ns) - e->event_cost_ns;
        if (gap_ns < long_frac * e->traced_step_ns && !is_needless(e, gap->before) &&
            !is_needless(e, gap->after))
            ns += gap_ns;
    }
    host_gaps_release(&g);
    double frac = fmax(0, ns) / (double)e->steps / e->traced_step_ns;
    return fmax(0, frac - told_frac(e, long_frac));
}

/* What the job does with its gradients between the backward pass and the optimizer
 * (clipping, norms), and to clear them: from the first operator to the last, with the
 * Python between them. A forward pass in between is the next part of a batch. */
static double gradients_frac(const struct evidence *e)
{
    const struct host_thread *t = &e->threads[e->main_thread];
    double ns = 0;
    int64_t begin_ns = -1, end_ns = -1;
    bool after_backward = false;
    for (size_t i = 0; i < t->n_outer; i++) {
        const struct host_op *op = outer_op_at(t, i);
        enum op_place place = t->outer[i].place;
        if (place == OP_PLACE_CLEAR)
            ns += (double)host_op_ns(op);
        else if (place == OP_PLACE_OPTIMIZER && begin_ns >= 0)
            ns += (double)(end_ns - begin_ns);
        else if (place == OP_PLACE_CODE && after_backward &&
                 !sequences_is_trained(e, t, op)) {
            begin_ns = begin_ns >= 0 ? begin_ns : op->begin_ns;
            end_ns = op->end_ns;
            continue;
        }
        after_backward = place == OP_PLACE_BACKWARD;
        begin_ns = -1;
    }
    return ns / (double)e->steps / e->traced_step_ns;
}

/* What a step of the batch gains a sample where the recorder ran the model with twice of
 * it: half of what is the same for any batch outside of it, and what two passes took
 * longer than a large one. NAN: it did not. */
static double measured_gain_ns(const struct evidence *e, double optimizer_ns)
{
    double now_ns, instead_ns;
    if (!evidence_replacement(e, "batch-small", &now_ns, &instead_ns) || now_ns <= 0)
        return NAN;
    double outside_ns = optimizer_ns + gradients_frac(e) * e->step_ns;
    double model_ns = fmin(now_ns / 2, e->step_ns - outside_ns);
    return outside_ns / 2 + model_ns * (1 - instead_ns / now_ns);
}

static void set_price(const struct evidence *e, struct finding *x, double optimizer_ns)
{
    x->direct_gain_ns = measured_gain_ns(e, optimizer_ns);
    x->price = PRICE_MEASURED;
    if (!isnan(x->direct_gain_ns))
        return;
    x->price = PRICE_MODELLED;
    x->direct_gain_ns = x->holds_ns / 2;
    x->low_frac = 0.5; /* docs/rules/batch-small.md */
    x->high_frac = 1.5;
    snprintf(
        x->missing, sizeof x->missing,
        "how products and caches fare with more rows; weights and their gradients are "
        "moved once whatever the batch");
}

void rule_batch_small(const struct rule *rule, const struct evidence *e,
                      struct findings *f)
{
    enum { FIXED_FRAC, BATCH_MAX, LONG_FRAC };
    if (e->main_thread == SIZE_MAX)
        return;
    int64_t batch = batch_size(e);
    if (!batch || (double)batch > rule->limit[BATCH_MAX].value)
        return;
    double optimizer = optimizer_frac(e), asking = asking_frac(e);
    double between = between_frac(e, rule->limit[LONG_FRAC].value),
           fixed = optimizer + asking + between;
    if (fixed < rule->limit[FIXED_FRAC].value)
        return;
    struct finding *x = findings_add(f, rule);
    x->apart = true; /* a step of twice the batch takes longer */
    x->samples = (double)batch;
    x->holds_ns = fixed * e->step_ns;
    set_price(e, x, optimizer * e->step_ns);
    snprintf(x->where, sizeof x->where, "a batch of %lld", (long long)batch);
    evidence_say(x,
                 "{} of a step is the same for any batch: optimizer {}, asking for "
                 "operators {}, Python between them {}; priced a sample, with a "
                 "batch of {}",
                 quantity_percent("fixed_frac", fixed, 0),
                 quantity_share("optimizer_frac", optimizer),
                 quantity_share("asking_frac", asking),
                 quantity_share("python_frac", between),
                 quantity_whole("priced_batch", 2 * (double)batch));
    evidence_beside(x, quantity_whole("batch", (double)batch));
}
