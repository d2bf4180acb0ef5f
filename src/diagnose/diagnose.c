#include "diagnose/diagnose.h"

#include "base/log.h"
#include "diagnose/gather.h"
#include "diagnose/step_probe.h"

#include <string.h>

/* The trainer as the settings say, but that it neither goes on from a checkpoint nor
 * leaves one; then other settings with the same data. */
static void look_and_measure(struct training_facts *f, const struct config *own,
                             int64_t steps)
{
    struct trainer t;
    struct err err = ERR_INIT;
    log_status("opening data and model");
    enum status s = trainer_try(&t, own, NULL, &err);
    log_status_clear();
    gather_trainer(f, &t, &err);
    gather_disk(f, &t);
    if (s == STATUS_OK)
        probe_training(f, &t, steps);
    struct dataset data = t.dataset;
    bool has_data = training_facts_has(f, TRAINER_DATA);
    t.data_is_lent = has_data; /* it stays open for the others */
    trainer_close(&t, s);
    if (s == STATUS_OK)
        probe_alternatives(f, own, &data);
    if (has_data)
        dataset_close(&data);
}

static void gather(struct training_facts *f, int64_t steps)
{
    struct config own;
    gather_machine(f);
    if (config_check(f->config, &f->invalid)) {
        f->step.why_not = f->evaluation.why_not = f->checkpoint.why_not =
            training_facts_why_not(f);
        gather_disk(f, NULL);
        return;
    }
    config_copy_for_trial(&own, f->config);
    look_and_measure(f, &own, steps);
    config_release(&own);
    if (f->part != TRAINER_COMPLETE)
        f->step.why_not = f->evaluation.why_not = f->checkpoint.why_not =
            training_facts_why_not(f);
}

void diagnose(struct diagnosis *d, const struct config *config, const char *words,
              int64_t steps)
{
    memset(d, 0, sizeof *d);
    training_facts_init(&d->facts, config, words);
    gather(&d->facts, steps);
    d->estimate = estimate_time(&d->facts);
    checks_run(d->checks, &d->facts, &d->estimate);
    questions_ask(d->answers, &d->facts, &d->estimate);
}

enum outcome_verdict diagnosis_verdict(const struct diagnosis *d)
{
    enum outcome_verdict worst = OUTCOME_OK;
    for (int i = 0; i < CHECK_COUNT; i++)
        if (d->checks[i].verdict < worst)
            worst = d->checks[i].verdict;
    return worst;
}
