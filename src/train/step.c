/*
 * One step: data, forward, backward, optimizer, and what is left. A phase ends where the
 * next begins, so that the phases add up to the step.
 */
#include "probe/probe.h"
#include "train/trainer.h"

#include <math.h>

static void phase_end(struct trainer *t, enum phase phase)
{
    t->phase_ns[phase] += clock_now_ns() - t->phase_begin_ns;
    if (probe_enabled)
        probe_record(t->phase_begin_ns, SPAN_KIND_PHASE, phase_text[phase], 0, 0, 0);
    t->phase_begin_ns = clock_now_ns();
}

/* The mean of this rank's losses, as its share of the mean over all ranks. */
static double mean_loss(const struct trainer *t)
{
    double sum = 0;
    for (int64_t i = 0; i < t->model.M; i++)
        sum += (double)t->model.loss[i];
    return sum / (double)t->model.M / t->comm.size;
}

static enum status sum_over_ranks(struct trainer *t, double *loss, struct err *err)
{
    if (t->comm.size == 1)
        return STATUS_OK;
    enum status s =
        comm_allreduce_sum(&t->comm, t->model.grad, (size_t)t->model.params.total, err);
    if (s == STATUS_OK)
        s = comm_allreduce_sum_f64(&t->comm, loss, 1, err);
    return s;
}

static void optimizer_step(struct trainer *t, int64_t step, struct step_report *report)
{
    struct gpt2 *m = &t->model;
    struct op_cost cost = clip_cost(&t->clip);
    int64_t begin_ns = probe_begin();
    report->gradient_norm = clip_norm(&t->clip, m->grad);
    probe_end(begin_ns, SPAN_KIND_OP, "gradient.norm", cost.flop, cost.bytes);
    if (!isfinite(report->gradient_norm) || !isfinite(report->loss))
        return; /* check_finite() stops the run; the weights stay as they were */
    double scale = clip_scale(report->gradient_norm, t->config->gradient_clip);
    cost = adamw_cost(&m->params);
    begin_ns = probe_begin();
    adamw_step(&t->adamw, m->param, m->grad, &m->params, step + 1, report->learning_rate,
               scale);
    probe_end(begin_ns, SPAN_KIND_OP, "adamw", cost.flop, cost.bytes);
}

static enum status check_finite(const struct step_report *r, int64_t step,
                                struct err *err)
{
    const char *what = !isfinite(r->loss) ? "loss" : "gradient norm";
    double value = !isfinite(r->loss) ? r->loss : r->gradient_norm;
    if (isfinite(value))
        return STATUS_OK;
    return err_set(err, STATUS_FAILED,
                   "the %s is %g at step %lld, training stops: use a smaller "
                   "learning_rate (now %.1e), more warmup_steps or a smaller "
                   "gradient_clip",
                   what, value, (long long)step + 1, r->learning_rate);
}

enum status trainer_step(struct trainer *t, int64_t step, struct step_report *report,
                         struct err *err)
{
    struct gpt2 *m = &t->model;
    int64_t step_begin_ns = probe_begin();
    t->phase_begin_ns = clock_now_ns();
    enum status s = loader_train(&t->train_data, step, t->inputs, t->targets, err);
    if (s != STATUS_OK)
        return s;
    phase_end(t, PHASE_DATA);

    gpt2_forward(m, t->inputs, t->targets);
    report->loss = mean_loss(t);
    phase_end(t, PHASE_FORWARD);

    gpt2_backward(m, t->inputs, t->targets, (real)(1.0 / (double)(m->M * t->comm.size)),
                  false);
    s = sum_over_ranks(t, &report->loss, err);
    phase_end(t, PHASE_BACKWARD);

    report->learning_rate = schedule_rate(&t->schedule, step);
    if (s == STATUS_OK)
        optimizer_step(t, step, report);
    phase_end(t, PHASE_OPTIMIZER);

    if (s == STATUS_OK)
        s = check_finite(report, step, err);
    phase_end(t, PHASE_OTHER);
    if (step_begin_ns)
        probe_record(step_begin_ns, SPAN_KIND_STEP, "step", 0, 0, step);
    return s;
}
