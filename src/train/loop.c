/*
 * Training: step, validate each eval_interval and at the end, say how it goes. What a
 * step does is step.c; what there is to compose is trainer.c.
 */
#include "base/clock.h"
#include "train/progress.h"
#include "train/run_record.h"
#include "train/train.h"
#include "train/trainer.h"

#include <math.h>
#include <string.h>

/* Where losses go, if anywhere. */
struct loss_sink {
    struct run *run; /* or NULL */
    int32_t rank;
};

static enum status validate(struct trainer *t, struct progress *p, struct loss_sink sink,
                            int64_t step, struct evaluation *e, struct err *err)
{
    enum status s = trainer_evaluate(t, e, err);
    if (s != STATUS_OK)
        return s;
    p->validation_loss = e->loss;
    if (sink.run)
        record_evaluation(sink.run, sink.rank, step, e);
    return STATUS_OK;
}

/* Validation is due after this step; the one at the end is the caller's. */
static bool validation_due(const struct config *c, int64_t step)
{
    return c->eval_interval && (step + 1) % c->eval_interval == 0 && step + 1 < c->steps;
}

static enum status run_steps(struct trainer *t, struct progress *p, struct loss_sink sink,
                             struct train_result *result, struct err *err)
{
    const struct config *c = t->config;
    struct step_report report;
    struct evaluation e;
    enum status s = STATUS_OK;
    for (int64_t step = 0; step < c->steps && s == STATUS_OK; step++) {
        int64_t begin_ns = clock_now_ns();
        s = trainer_step(t, step, &report, err);
        if (s != STATUS_OK)
            break;
        int64_t dur_ns = clock_now_ns() - begin_ns;
        if (validation_due(c, step))
            s = validate(t, p, sink, step, &e, err);
        if (sink.run && (step + 1) % c->log_interval == 0)
            record_step_loss(sink.run, sink.rank, step, &report);
        progress_step(p, step, &report, dur_ns);
        result->steps = step + 1;
        result->loss = report.loss;
    }
    return s;
}

static enum status train_and_validate(struct trainer *t, struct progress *p,
                                      struct loss_sink sink, struct train_result *result,
                                      struct err *err)
{
    struct evaluation e;
    enum status s = run_steps(t, p, sink, result, err);
    if (s == STATUS_OK)
        s = validate(t, p, sink, t->config->steps - 1, &e, err);
    if (s != STATUS_OK)
        return s;
    result->parameters = t->model.params.table.count;
    result->validation_loss = e.loss;
    result->validation_standard_error = e.standard_error;
    result->validation_tokens = e.tokens;
    result->entropy = t->dataset.entropy_nats_per_char;
    result->validation_text_nats = t->dataset.validation_nats_per_char;
    result->wall_s = (double)p->wall_ns / 1e9;
    progress_end(p);
    return trainer_save(t, t->config->steps, err);
}

enum status train_run(const struct config *config, struct train_result *result,
                      struct run *out, struct err *err)
{
    struct trainer t;
    struct progress progress;
    struct loss_sink sink = {out, -1};
    memset(result, 0, sizeof *result);
    result->loss = NAN;
    enum status s = trainer_open(&t, config, err);
    if (s != STATUS_OK)
        return s;
    s = trainer_check_save(&t, err);
    if (s != STATUS_OK) {
        trainer_close(&t, s);
        return s;
    }
    if (out) {
        sink.rank = (int32_t)ranks_add(&out->ranks, record_rank(out, &t));
        record_facts(out, sink.rank, &t);
    }
    progress_init(&progress, &t);
    progress_header(&progress);
    s = train_and_validate(&t, &progress, sink, result, err);
    if (out)
        record_memory(out, sink.rank, &t, clock_now_ns());
    trainer_close(&t, s);
    return s;
}
