#include "train/training_metrics.h"

#include "base/clock.h"

#include <assert.h>
#include <math.h>

/*
 * X(kind, name, unit, when it is known, value, help). Below, s is the status, t the
 * trainer, f the figures. Where a value is known it may still be NaN: a loss that diverged
 * is shown as such.
 */
#define STEPPED (s->step > s->first_step)
#define VALIDATED (s->validation_step > 0)
#define IF_FINITE (isfinite(value))

#define SINGLE_METRICS(X)                                                                \
    X(COUNTER, "gait.steps", "{step}", true, (double)(s->step - s->first_step),          \
      "Optimizer steps done by this process")                                            \
    X(COUNTER, "gait.tokens", "{token}", true,                                           \
      (double)(s->step - s->first_step) * s->tokens_per_step,                            \
      "Tokens trained on by this process, all ranks together")                           \
    X(COUNTER, "gait.step.time", "s", true, (double)f->steps_ns / 1e9,                   \
      "Time spent in steps, without validation and checkpoints")                         \
    X(COUNTER, "gait.data.wait", "s", true, (double)f->data_wait_ns / 1e9,               \
      "Time that steps of rank 0 waited for data")                                       \
    X(COUNTER, "gait.validation.time", "s", true, s->validation_s,                       \
      "Time spent in validation")                                                        \
    X(COUNTER, "gait.checkpoint.time", "s", true, s->saving_s,                           \
      "Time spent saving checkpoints")                                                   \
    X(COUNTER, "gait.checkpoints.failed", "{checkpoint}", true, (double)s->failed_saves, \
      "Checkpoints that could not be saved")                                             \
    X(COUNTER, "gait.steps.skipped", "{step}", true, (double)s->skipped_steps,           \
      "Steps that moved nothing, as their gradient was not finite")                      \
    X(COUNTER, "gait.otlp.dropped", "{message}", f->undelivered >= 0,                    \
      (double)f->undelivered,                                                            \
      "Messages to the OTLP collector that did not arrive whole")                        \
    X(GAUGE, "gait.step", "", true, (double)s->step,                                     \
      "The last step done, counted from the start of the whole training")                \
    X(GAUGE, "gait.steps.planned", "{step}", true, (double)s->steps,                     \
      "Steps of the whole training")                                                     \
    X(GAUGE, "gait.step.duration", "s", STEPPED, (double)f->step_ns / 1e9,               \
      "How long the last step took")                                                     \
    X(GAUGE, "gait.throughput.tokens", "{token}/s", IF_FINITE,                           \
      s->steps_per_s * s->tokens_per_step,                                               \
      "Tokens trained on per second of steps, over the last second")                     \
    X(GAUGE, "gait.loss", "", STEPPED, s->loss,                                          \
      "Training loss of the last step, in nats per token")                               \
    X(GAUGE, "gait.validation.loss", "", VALIDATED, s->validation_loss,                  \
      "Loss of the last validation, in nats per token")                                  \
    X(GAUGE, "gait.validation.step", "", VALIDATED, (double)s->validation_step,          \
      "The step after which the last validation was")                                    \
    X(GAUGE, "gait.checkpoint.step", "", s->saved_step > 0, (double)s->saved_step,       \
      "The step of the last checkpoint")                                                 \
    X(GAUGE, "gait.learning_rate", "", STEPPED, s->learning_rate,                        \
      "Learning rate of the last step")                                                  \
    X(GAUGE, "gait.gradient_norm", "", STEPPED, s->gradient_norm,                        \
      "Norm of the last step's gradient, before clipping")                               \
    X(GAUGE, "gait.ranks", "", true, (double)s->ranks, "Processes that train together")  \
    X(GAUGE, "gait.memory.peak", "By", IF_FINITE, s->peak_rss_bytes,                     \
      "The most memory that the process of rank 0 has had")                              \
    X(GAUGE, "gait.memory.limit", "By", IF_FINITE, s->limit_bytes,                       \
      "The memory that the plan of rank 0 was held against")

#define PHASE_NAME "gait.phase.time"
#define PHASE_HELP "Time of rank 0 by the phases of its steps"
#define PLAN_NAME "gait.memory.plan"
#define PLAN_HELP "Memory planned at rank 0, by what it is for"
#define LEFT_NAME "gait.remaining"
#define LEFT_HELP                                                                        \
    "How long the steps that are left take, by the faster and by the slower of the "     \
    "recent and the average rate"
#define DOING_NAME "gait.doing"
#define DOING_HELP "What the training does now: 1, all others 0"

#define SINGLE_ROW(KIND, row_name, row_unit, known, value, row_help)                     \
    {.kind = METRIC_##KIND, .name = row_name, .unit = row_unit, .help = row_help},
#define PHASE_ROW(v, text)                                                               \
    {.kind = METRIC_COUNTER,                                                             \
     .name = PHASE_NAME,                                                                 \
     .unit = "s",                                                                        \
     .help = PHASE_HELP,                                                                 \
     .label = {"phase", text}},
#define GAUGE_ROW(row_name, row_unit, row_help, key, text)                               \
    {.kind = METRIC_GAUGE,                                                               \
     .name = row_name,                                                                   \
     .unit = row_unit,                                                                   \
     .help = row_help,                                                                   \
     .label = {key, text}},
#define PLAN_ROW(v, text) GAUGE_ROW(PLAN_NAME, "By", PLAN_HELP, "class", text)
#define DOING_ROW(v, text) GAUGE_ROW(DOING_NAME, "", DOING_HELP, "doing", text)

static const struct metric_row rows[] = {
    SINGLE_METRICS(SINGLE_ROW)                             /* */
    PHASE_LIST(PHASE_ROW)                                  /* */
    TENSOR_CLASS_LIST(PLAN_ROW)                            /* */
    GAUGE_ROW(LEFT_NAME, "s", LEFT_HELP, "rate", "faster") /* */
    GAUGE_ROW(LEFT_NAME, "s", LEFT_HELP, "rate", "slower") /* */
    LIVE_DOING_LIST(DOING_ROW)};
enum { ROWS = sizeof rows / sizeof *rows };
static_assert((int)ROWS <= (int)METRIC_ROWS_MAX,
              "all rows have a place in metric_values");

void training_metrics_set(struct metric_set *out, const struct training_figures *f)
{
    const struct live_status *s = f->status;
    const char *run = f->trainer->config->run_name;
    *out = (struct metric_set){.row = rows,
                               .n = ROWS,
                               .run = *run ? run : "gait",
                               .info = {{"model", s->model},
                                        {"dataset", s->dataset},
                                        {"version", GAIT_VERSION},
                                        {"host.name", s->host}},
                               .n_info = 4,
                               .begun_ns = s->begun_ns};
}

/* What no phase explains is what is left of the steps. */
static size_t fill_phases(struct metric_values *out, size_t row,
                          const struct training_figures *f)
{
    int64_t rest_ns = f->steps_ns;
    for (int i = 0; i < PHASE_COUNT; i++) {
        int64_t ns = i == PHASE_UNATTRIBUTED ? rest_ns : f->phase_ns[i];
        rest_ns -= ns;
        metric_set_value(out, row++, fmax(0, (double)ns / 1e9));
    }
    return row;
}

static size_t fill_remaining(struct metric_values *out, size_t row,
                             const struct live_status *s)
{
    double least_s, most_s;
    if (live_status_eta(s, &least_s, &most_s)) {
        metric_set_value(out, row, least_s);
        metric_set_value(out, row + 1, most_s);
    }
    return row + 2;
}

void training_metrics_fill(struct metric_values *out, const struct training_figures *f)
{
    const struct live_status *s = f->status;
    const struct trainer *t = f->trainer;
    size_t row = 0;
    double value;
    *out = (struct metric_values){.at_ns = clock_calendar_ns()};
#define FILL_SINGLE(kind, name, unit, known, expression, help)                           \
    value = expression;                                                                  \
    if (known)                                                                           \
        metric_set_value(out, row, value);                                               \
    row++;
    SINGLE_METRICS(FILL_SINGLE)
    row = fill_phases(out, row, f);
    for (int i = 0; i < TENSOR_CLASS_COUNT; i++)
        metric_set_value(out, row++, (double)trainer_class_bytes(t, i));
    row = fill_remaining(out, row, s);
    for (int i = 0; i < LIVE_DOING_COUNT; i++)
        metric_set_value(out, row++, (enum live_doing)i == s->doing);
}
