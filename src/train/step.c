/*
 * One step: data, forward, backward, optimizer, and what is left. A phase ends where the
 * next begins, so that the phases add up to the step.
 */
#include "base/clock.h"
#include "probe/probe.h"
#include "train/stop_signal.h"
#include "train/trainer.h"

#include <math.h>

static void phase_end(struct trainer *t, enum phase phase)
{
    int64_t now_ns = clock_now_ns();
    t->phase_ns[phase] += now_ns - t->phase_begin_ns;
    if (probe_enabled)
        probe_record_until(t->phase_begin_ns, now_ns, SPAN_KIND_PHASE, phase_text[phase],
                           0);
    t->phase_begin_ns = now_ns;
}

double trainer_phase_share(const struct trainer *t, enum phase phase)
{
    double all = 0;
    for (int i = 0; i < PHASE_COUNT; i++)
        all += (double)t->phase_ns[i];
    return all > 0 ? (double)t->phase_ns[phase] / all : NAN;
}

/* What the micro-batches of a step leave: the sum of losses and how many tokens were
 * scored, over all ranks in the end. */
struct step_sums {
    double loss, scored;
};

static void add_losses(struct step_sums *sums, const struct model *m,
                       const int32_t *targets)
{
    for (int64_t i = 0; i < m->M; i++) {
        sums->loss += (double)m->loss[i];
        sums->scored += targets[i] >= 0;
    }
}

static enum status sum_over_ranks(struct trainer *t, struct step_sums *sums,
                                  struct err *err)
{
    double all[] = {sums->loss, sums->scored, stop_signal_seen() != 0};
    t->stop_asked = all[2] != 0;
    if (t->comm.size == 1)
        return STATUS_OK;
    enum status s = comm_allreduce_sum(&t->comm, t->model.grad,
                                       (size_t)t->model.params.table.total, err);
    if (s == STATUS_OK)
        s = comm_allreduce_sum_f64(&t->comm, all, 3, err);
    sums->loss = all[0];
    sums->scored = all[1];
    t->stop_asked = all[2] != 0; /* all ranks leave after the same step */
    return s;
}

/* Which tensors this step updates. Ranks may have other CPUs and sum otherwise: where two
 * gradients are as good as equal, rank 0 decides. */
static enum status choose_tensors(struct trainer *t, struct err *err)
{
    const struct param_table *params = &t->model.params.table;
    struct selection *chosen = &t->selection;
    if (!chosen->k)
        return STATUS_OK;
    struct op_cost cost = selection_cost(chosen, params);
    int64_t begin_ns = probe_begin();
    selection_choose(chosen, &t->clip, t->model.grad, params);
    probe_end(begin_ns, SPAN_KIND_OP, "gradient.rank", cost.flop, cost.bytes);
    if (t->comm.size == 1)
        return STATUS_OK;
    return comm_broadcast(&t->comm, chosen->chosen, params->n * sizeof *chosen->chosen, 0,
                          err);
}

/* Every token of a step weighs the same, whichever micro-batch or rank it is in: the
 * gradients are sums over the planned number of tokens, and what was not scored is made
 * up for here. */
static enum status optimizer_update(struct trainer *t, int64_t step, double token_scale,
                                    struct step_report *report, struct err *err)
{
    struct model *m = &t->model;
    const struct param_table *params = &m->params.table;
    struct op_cost cost = clip_cost(&t->clip);
    int64_t begin_ns = probe_begin();
    report->gradient_norm = clip_norm(&t->clip, m->grad) * token_scale;
    probe_end(begin_ns, SPAN_KIND_OP, "gradient.norm", cost.flop, cost.bytes);
    report->skipped = !isfinite(report->gradient_norm);
    if (report->skipped)
        return STATUS_OK;
    enum status s = choose_tensors(t, err);
    if (s != STATUS_OK)
        return s;
    double scale = clip_scale(report->gradient_norm, t->config->gradient_clip);
    const bool *chosen = t->selection.chosen;
    cost = optimizer_cost(&t->optimizer, params, chosen);
    begin_ns = probe_begin();
    optimizer_step(&t->optimizer, &m->store, m->grad, params, chosen, step + 1,
                   report->learning_rate, scale * token_scale);
    probe_end(begin_ns, SPAN_KIND_OP, t->config->optimizer, cost.flop, cost.bytes);
    return STATUS_OK;
}

static void pass_end(void *context, enum model_pass pass)
{
    phase_end(context, pass == MODEL_FORWARD ? PHASE_FORWARD : PHASE_BACKWARD);
}

static enum status micro_batch(struct trainer *t, int64_t position, bool first,
                               real scale, struct step_sums *sums, struct err *err)
{
    struct batch data;
    enum status s = prefetch_next(t->prefetch, &data, err);
    if (s != STATUS_OK)
        return s;
    if (data.position != position)
        BUG("batch %lld instead of %lld", (long long)data.position, (long long)position);
    struct model_batch batch = {data.inputs, data.targets, position};
    t->data_wait_ns += data.waited_ns;
    phase_end(t, PHASE_DATA);
    const struct model_watch watch = {pass_end, t};
    model_learn(&t->model, &batch, scale, !first, &watch);
    add_losses(sums, &t->model, data.targets);
    return STATUS_OK;
}

enum status trainer_step(struct trainer *t, int64_t step, struct step_report *report,
                         struct err *err)
{
    int64_t parts = t->config->gradient_accumulation;
    double planned = (double)(t->model.M * t->comm.size * parts);
    struct step_sums sums = {0};
    *report = (struct step_report){0};
    int64_t cpu_begin_ns = clock_cpu_ns(), step_begin_ns = clock_now_ns();
    t->phase_begin_ns = step_begin_ns;
    enum status s = STATUS_OK;
    for (int64_t i = 0; i < parts && s == STATUS_OK; i++) {
        /* A step of many parts can take minutes; ranks can only leave it together. */
        report->abandoned = i > 0 && t->comm.size == 1 && stop_signal_seen();
        if (report->abandoned)
            return STATUS_OK;
        s = micro_batch(t, step * parts + i, i == 0, (real)(1.0 / planned), &sums, err);
    }
    if (s == STATUS_OK)
        s = sum_over_ranks(t, &sums, err);
    phase_end(t, PHASE_BACKWARD);

    report->learning_rate = schedule_rate(&t->schedule, step);
    report->loss = sums.scored > 0 ? sums.loss / sums.scored : 0;
    if (s == STATUS_OK && sums.scored > 0)
        s = optimizer_update(t, step, planned / sums.scored, report, err);
    phase_end(t, PHASE_OPTIMIZER);
    t->step_cpu_ns = clock_cpu_ns() - cpu_begin_ns;
    if (probe_enabled)
        probe_record_until(step_begin_ns, t->phase_begin_ns, SPAN_KIND_STEP, "step",
                           step);
    return s;
}
