#include "tune/intervals.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/strbuf.h"
#include "train/save.h"
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>

enum { WARM_UP_STEPS = 3, STEPS = 9 };

static enum status time_steps(struct tune_intervals *out, struct trainer *t,
                              struct err *err)
{
    double s[STEPS];
    struct step_report report;
    for (int64_t i = 0; i < WARM_UP_STEPS + STEPS; i++) {
        int64_t begin_ns = clock_now_ns();
        enum status st = trainer_step(t, i, &report, err);
        if (st != STATUS_OK)
            return st;
        if (i >= WARM_UP_STEPS)
            s[i - WARM_UP_STEPS] = (double)(clock_now_ns() - begin_ns) / 1e9;
    }
    out->step_s = stats_median(s, STEPS);
    return STATUS_OK;
}

/* once / (interval steps + once) is the share. */
static void choose(struct tune_interval *i, const struct tune_intervals *of)
{
    double steps = ceil(i->once_s * (1 - of->share) / of->share / of->step_s);
    i->steps = steps < 1 ? 1 : steps > 1e9 ? 1000000000 : (int64_t)steps;
}

static void time_evaluation(struct tune_intervals *out, struct trainer *t)
{
    struct evaluation e;
    int64_t begin_ns = clock_now_ns();
    struct tune_interval *i = &out->evaluation;
    struct err err = ERR_INIT;
    if (trainer_evaluate(t, &e, &err)) {
        snprintf(i->why_not, sizeof i->why_not, "%.159s", err.text);
        return;
    }
    i->once_s = (double)(clock_now_ns() - begin_ns) / 1e9;
    choose(i, out);
}

static void time_checkpoint(struct tune_intervals *out, struct trainer *t,
                            const char *dir)
{
    struct tune_interval *c = &out->checkpoint;
    struct strbuf beginning;
    struct err err = ERR_INIT;
    if (!*dir) {
        snprintf(c->why_not, sizeof c->why_not, "checkpoint_dir is not set");
        return;
    }
    strbuf_init(&beginning);
    strbuf_printf(&beginning, "%s-tune-", dir);
    if (save_timed(&c->once_s, t, beginning.s, &err))
        snprintf(c->why_not, sizeof c->why_not, "%.159s", err.text);
    else
        choose(c, out);
    strbuf_release(&beginning);
}

enum status intervals_measure(struct tune_intervals *out, const struct config *config,
                              double share, struct err *err)
{
    struct config own;
    struct trainer *t = mem_zalloc(1, sizeof *t);
    *out = (struct tune_intervals){
        .share = share,
        .evaluation = {.key = "eval_interval", .once_s = NAN},
        .checkpoint = {.key = "checkpoint_interval", .once_s = NAN}};
    config_copy_for_trial(&own, config);
    log_status("timing a validation and a checkpoint");
    enum status s = trainer_open(t, &own, err);
    if (s == STATUS_OK) {
        s = time_steps(out, t, err);
        if (s == STATUS_OK)
            time_evaluation(out, t);
        if (s == STATUS_OK)
            time_checkpoint(out, t, config->checkpoint_dir);
        trainer_close(t, s);
    }
    log_status_clear();
    config_release(&own);
    mem_free(t);
    return s;
}
