/* A few steps with every span recorded, as a run. Nothing is logged between the recorded
 * steps, and their losses are kept aside until the recording has ended. */
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "machine/machine.h"
#include "probe/probe.h"
#include "train/run_record.h"
#include "train/save.h"
#include "train/step_costs.h"
#include "train/train.h"
#include "train/trainer.h"
#include "train/try_settings.h"

static enum status warm_up(struct trainer *t, struct err *err)
{
    struct step_report report;
    enum status s = STATUS_OK;
    for (int64_t i = 0; i < t->config->profile_warmup && s == STATUS_OK; i++)
        s = trainer_step(t, i, &report, err);
    return s;
}

static void record_checkpoint(struct run *out, int32_t rank, struct trainer *t,
                              const char *dir)
{
    double seconds;
    struct err err = ERR_INIT;
    struct strbuf beside;
    if (!*dir || t->comm.rank != 0)
        return;
    strbuf_init(&beside);
    strbuf_printf(&beside, "%s.gait-profile-", dir);
    if (save_timed(&seconds, t, beside.s, &err))
        run_add_note(out, rank, -1, "checkpoint: not timed: %s", err.text);
    else
        run_add_fact(out, rank, "train.checkpoint_seconds", seconds, "s", ORIGIN_MEASURED,
                     "one, written beside checkpoint_dir and removed");
    strbuf_release(&beside);
}

static enum status fill_run(struct run *out, struct trainer *t, const char *dir,
                            const struct step_report *reports,
                            const struct step_costs *costs, int64_t begin_ns,
                            struct err *err)
{
    const struct config *c = t->config;
    int32_t rank;
    enum status s = probe_finish(out, record_rank(out, t), 0, &rank, err);
    if (s != STATUS_OK)
        return s;
    for (int64_t i = 0; i < c->profile_steps; i++)
        record_step_loss(out, rank, c->profile_warmup + i, &reports[i]);
    record_memory(out, rank, t, begin_ns);
    record_facts(out, rank, t);
    step_costs_record(costs, out, rank, c->profile_steps);
    record_checkpoint(out, rank, t, dir);
    machine_describe(out, rank);
    machine_measure(out, rank, t->threads);
    return STATUS_OK;
}

static enum status profile(const struct config *config, const char *dir, bool with_tries,
                           struct run *out, struct err *err)
{
    struct trainer t;
    struct step_costs costs;
    enum status s = trainer_open(&t, config, err);
    if (s != STATUS_OK)
        return s;
    struct step_report *reports =
        mem_zalloc((size_t)config->profile_steps, sizeof *reports);
    s = trainer_check_products(&t, err);
    if (s == STATUS_OK)
        trainer_warn(&t);
    if (s == STATUS_OK)
        s = warm_up(&t, err);
    int64_t begin_ns = clock_now_ns();
    if (s == STATUS_OK)
        s = record_steps(&t, config->profile_warmup, config->profile_steps, reports,
                         &costs, err);
    if (s == STATUS_OK && with_tries)
        trainer_time_precision(&t);
    if (s == STATUS_OK)
        s = fill_run(out, &t, dir, reports, &costs, begin_ns, err);
    if (s == STATUS_OK && with_tries && t.comm.rank == 0) /* its row, too */
        try_settings(out, 0, &t, config->profile_warmup + config->profile_steps, &costs,
                     config->profile_steps);
    mem_free(reports);
    trainer_close(&t, s);
    return s;
}

/* A profile neither goes on from checkpoints nor leaves one; it times one. */
enum status train_profile(const struct config *config, bool with_tries, struct run *out,
                          struct err *err)
{
    struct config own;
    config_init(&own);
    config_copy(&own, config);
    enum status s = config_set(&own, "checkpoint_dir", "", err);
    if (s == STATUS_OK)
        s = profile(&own, config->checkpoint_dir, with_tries, out, err);
    config_release(&own);
    return s;
}
