/*
 * Training: step, validate each eval_interval and at the end, save when it is due, say
 * how it goes. What a step does is step.c; what there is to compose is trainer.c.
 */
#include "base/clock.h"
#include "base/log.h"
#include "metrics/metrics.h"
#include "train/progress.h"
#include "train/publish.h"
#include "train/run_record.h"
#include "train/save.h"
#include "train/stop_signal.h"
#include "train/train.h"
#include "train/trainer.h"
#include "train/usage.h"

#include <math.h>
#include <string.h>

/* So many steps in a row without a usable gradient: it will not get better. */
enum { SKIPPED_STEPS_MAX = 10 };

/* All that a run has beside the trainer itself. */
struct loop {
    struct trainer t;
    struct progress progress;
    struct metrics metrics;
    struct saver saver;
    struct usage usage;
    struct publisher publisher;
    struct run *run; /* or NULL */
    int32_t rank;    /* its row in run */
    int skipped;     /* steps in a row */
};

static enum status validate(struct loop *l, int64_t step, struct evaluation *e,
                            struct err *err)
{
    int64_t begin_ns = clock_now_ns();
    publish_begin(&l->publisher, LIVE_DOING_VALIDATING);
    enum status s = trainer_evaluate(&l->t, e, err);
    l->usage.evaluate_ns += clock_now_ns() - begin_ns;
    if (s != STATUS_OK)
        return s;
    publish_validation(&l->publisher, step, e->loss);
    publish_end(&l->publisher);
    l->progress.validation_loss = e->loss;
    metrics_scalar(&l->metrics, "validation/loss", step + 1, e->loss);
    if (l->run)
        record_evaluation(l->run, l->rank, step, e);
    return STATUS_OK;
}

/* Validation is due after this step; the one at the end is the caller's. */
static bool validation_due(const struct loop *l, int64_t step)
{
    int64_t interval = l->t.config->eval_interval;
    return interval && (step + 1) % interval == 0 && step + 1 < l->t.steps;
}

static enum status check_skipped(struct loop *l, int64_t step,
                                 const struct step_report *r, struct err *err)
{
    if (!r->skipped) {
        l->skipped = 0;
        return STATUS_OK;
    }
    if (++l->skipped < SKIPPED_STEPS_MAX) {
        log_line("step %lld: the gradient is not finite (loss %g): nothing was moved",
                 (long long)step + 1, r->loss);
        return STATUS_OK;
    }
    return err_set(err, STATUS_FAILED,
                   "the gradient was not finite in %d steps in a row, the last at step "
                   "%lld (loss %g), training stops: use a smaller learning_rate (now "
                   "%.1e), more warmup_steps or a smaller gradient_clip",
                   l->skipped, (long long)step + 1, r->loss, r->learning_rate);
}

static void write_metrics(struct loop *l, int64_t step, const struct step_report *r,
                          int64_t dur_ns)
{
    struct metrics *m = &l->metrics;
    double tokens = (double)l->t.model.M * l->t.comm.size *
                    (double)l->t.config->gradient_accumulation;
    if ((step + 1) % l->t.config->log_interval == 0 || step + 1 == l->t.steps) {
        metrics_scalar(m, "train/loss", step + 1, r->loss);
        metrics_scalar(m, "train/learning_rate", step + 1, r->learning_rate);
        metrics_scalar(m, "train/gradient_norm", step + 1, r->gradient_norm);
        metrics_scalar(m, "train/tokens_per_s", step + 1, tokens * 1e9 / (double)dur_ns);
        metrics_scalar(m, "train/step_ms", step + 1, (double)dur_ns / 1e6);
        metrics_scalar(m, "train/data_wait_frac", step + 1,
                       progress_data_wait_frac(&l->progress));
        metrics_scalar(m, "memory/peak_rss_bytes", step + 1, usage_peak_rss_bytes());
    }
    metrics_commit(m, step + 1);
}

/* One that fails is no reason to stop: what was learned is in memory, and the next save
 * may find room again. The last one decides: save_last(). */
static void save_on_the_way(struct loop *l, int64_t step)
{
    struct err err = ERR_INIT;
    char next[128];
    int64_t begin_ns = clock_now_ns();
    publish_begin(&l->publisher, LIVE_DOING_SAVING);
    enum status s = saver_save(&l->saver, &l->t, step + 1, &err);
    l->usage.save_ns += clock_now_ns() - begin_ns;
    publish_save(&l->publisher, l->saver.saved_step, l->saver.failed);
    publish_end(&l->publisher);
    if (s == STATUS_OK)
        return;
    saver_next(next, sizeof next, &l->t, step + 1);
    log_urgent(
        "gait: warning: step %lld is not saved: %s; training goes on, the next save "
        "is tried %s",
        (long long)step + 1, err.text, next);
}

static enum status save_last(struct loop *l, int64_t step, struct err *err)
{
    int64_t begin_ns = clock_now_ns();
    publish_begin(&l->publisher, LIVE_DOING_SAVING);
    enum status s = saver_save_last(&l->saver, &l->t, step + 1, err);
    l->usage.save_ns += clock_now_ns() - begin_ns;
    publish_save(&l->publisher, l->saver.saved_step, l->saver.failed);
    publish_end(&l->publisher);
    return s;
}

/* A signal came, here or at another rank: save what there is and say how to go on. */
static enum status stop(struct loop *l, int64_t step, struct err *err)
{
    const char *dir = l->t.config->checkpoint_dir;
    enum status s = save_last(l, step, err);
    if (s != STATUS_OK)
        return s;
    if (l->t.comm.rank != 0)
        return STATUS_FAILED; /* out of the loop; rank 0 says it */
    if (!*dir)
        return err_set(err, STATUS_FAILED,
                       "stopped after step %lld of %lld; nothing was saved: set "
                       "checkpoint_dir to keep what a stopped run has learned",
                       (long long)step + 1, (long long)l->t.steps);
    return err_set(err, STATUS_FAILED,
                   "stopped after step %lld of %lld and saved to %s; the same command "
                   "goes on from there",
                   (long long)step + 1, (long long)l->t.steps, dir);
}

/* One step and what follows it. */
static enum status advance(struct loop *l, int64_t step, struct train_result *result,
                           struct err *err)
{
    struct step_report report = {0};
    struct evaluation e;
    int64_t begin_ns = clock_now_ns();
    enum status s = trainer_step(&l->t, step, &report, err);
    int64_t dur_ns = clock_now_ns() - begin_ns;
    if (s == STATUS_OK && report.abandoned)
        return stop(l, step - 1, err);
    if (s == STATUS_OK)
        s = check_skipped(l, step, &report, err);
    if (s != STATUS_OK)
        return s;
    usage_step(&l->usage, &l->t, dur_ns);
    if (validation_due(l, step))
        s = validate(l, step, &e, err);
    if (l->run && (step + 1) % l->t.config->log_interval == 0)
        record_step_loss(l->run, l->rank, step, &report);
    progress_step(&l->progress, step, &report, dur_ns);
    write_metrics(l, step, &report, dur_ns);
    publish_step(&l->publisher, step, &report, dur_ns, &l->usage);
    result->steps = step + 1;
    result->loss = report.loss;
    if (s == STATUS_OK && step + 1 < l->t.steps && saver_due(&l->saver, &l->t, step + 1))
        save_on_the_way(l, step);
    return s;
}

static enum status run_steps(struct loop *l, struct train_result *result, struct err *err)
{
    enum status s = STATUS_OK;
    for (int64_t step = l->t.first_step; step < l->t.steps && s == STATUS_OK; step++) {
        s = advance(l, step, result, err);
        if (s == STATUS_OK && l->t.stop_asked && step + 1 < l->t.steps)
            s = stop(l, step, err);
    }
    return s;
}

static enum status train_and_validate(struct loop *l, struct train_result *result,
                                      struct err *err)
{
    struct evaluation e;
    enum status s = run_steps(l, result, err);
    log_status_clear();
    if (s == STATUS_OK)
        s = validate(l, l->t.steps - 1, &e, err);
    if (s != STATUS_OK)
        return s;
    if (l->t.first_step < l->t.steps) /* else it stands there already */
        metrics_commit(&l->metrics, l->t.steps);
    result->parameters = l->t.model.params.table.count;
    result->validation_loss = e.loss;
    result->validation_standard_error = e.standard_error;
    result->validation_tokens = e.tokens;
    result->entropy = l->t.dataset.entropy_nats_per_char;
    result->validation_text_nats = l->t.dataset.validation_nats_per_char;
    result->wall_s = (double)l->progress.wall_ns / 1e9;
    if (l->t.first_step < l->t.steps)
        s = save_last(l, l->t.steps - 1, err);
    usage_result(&l->usage, &l->t, &result->usage);
    result->usage.failed_saves = l->saver.failed;
    result->complete = true;
    return s;
}

/* What can fail before the first step does so here. */
static enum status prepare(struct loop *l, struct err *err)
{
    struct trainer *t = &l->t;
    bool first = t->comm.rank == 0;
    saver_init(&l->saver, t);
    enum status s = trainer_check_products(t, err);
    if (s == STATUS_OK)
        trainer_warn(t);
    if (s == STATUS_OK)
        s = metrics_open(&l->metrics, first ? t->config->log_dir : "",
                         t->first_step ? t->first_step + 1 : 0, err);
    if (s != STATUS_OK)
        return s;
    if (l->run) {
        l->rank = (int32_t)ranks_add(&l->run->ranks, record_rank(l->run, t));
        record_facts(l->run, l->rank, t);
    }
    progress_init(&l->progress, t);
    progress_header(&l->progress);
    struct strbuf model;
    strbuf_init(&model);
    progress_model(&model, t);
    s = publish_open(&l->publisher, t, model.s, err);
    strbuf_release(&model);
    log_line("%s", "");
    return s;
}

enum status train_run(const struct config *config, struct train_result *result,
                      struct run *out, struct err *err)
{
    struct loop l;
    memset(&l, 0, sizeof l);
    memset(result, 0, sizeof *result);
    result->loss = NAN;
    l.run = out;
    enum status s = publish_check(config, err);
    if (s == STATUS_OK)
        s = trainer_open(&l.t, config, err);
    if (s != STATUS_OK)
        return s;
    result->steps = result->resumed = l.t.first_step;
    stop_signal_watch();
    usage_begin(&l.usage);
    s = prepare(&l, err);
    if (s == STATUS_OK)
        s = train_and_validate(&l, result, err);
    if (out && l.progress.trainer)
        record_memory(out, l.rank, &l.t, clock_now_ns());
    publish_close(&l.publisher, s, err);
    stop_signal_release();
    metrics_close(&l.metrics);
    /* Rank 0 speaks for all: a launcher ends the others as soon as one leaves with an
     * error, and rank 0 before it has spoken if that one was faster. */
    bool told_by_another = l.t.agreed_to_stop && l.t.comm.rank != 0;
    trainer_close(&l.t, s);
    return told_by_another ? STATUS_OK : s;
}
