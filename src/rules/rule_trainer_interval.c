/* Validations and checkpoints of Gait's own trainer, by its settings: a profile holds
 * none of them, but what they consist of. */
#include "evidence/repeated.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>

/* Weights and two moments, 4 bytes each. */
static const double BYTES_A_PARAMETER = 12;

static double setting(const struct evidence *e, const char *key)
{
    return run_fact(e->run, e->rank_row, key);
}

void rule_trainer_evaluation_often(const struct rule *rule, const struct evidence *e,
                                   struct findings *f)
{
    enum { SHARE_FRAC };
    double interval = setting(e, "config.eval_interval");
    double batches = setting(e, "config.eval_batches");
    double rows = setting(e, "config.eval_batch_size");
    double batch = setting(e, "config.batch_size");
    double forward_ns = e->rank->phases.ns[PHASE_FORWARD];
    rows = rows > 0 ? rows : batch;
    double cost_ns = batches * forward_ns * rows / batch;
    if (!(interval > 0) || !e->rank->phases.known || !isfinite(cost_ns) ||
        !(cost_ns / interval >= rule->limit[SHARE_FRAC].value * e->step_ns))
        return;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_MODELLED;
    x->holds_ns = cost_ns / interval;
    x->direct_gain_ns = cost_ns * (1 / interval - 1 / (REPEATED_RARER * interval));
    x->low_frac = 0.75; /* docs/rules/trainer-evaluation-often.md */
    x->high_frac = 1.1;
    x->apart = true;
    snprintf(x->where, sizeof x->where, "eval_interval: %.0f", interval);
    evidence_say(x,
                 "a validation of {} takes about {} by this run's forward passes, {}: {} "
                 "beside each step; priced for every {}",
                 quantity_plural("batches", batches, "batch", "batches"),
                 quantity_time("cost_ms", cost_ns),
                 quantity_every("interval_steps", interval),
                 quantity_time("per_step_ms", x->holds_ns),
                 quantity_whole("priced_interval_steps", REPEATED_RARER * interval));
    snprintf(x->missing, sizeof x->missing,
             "the validation itself: the recorded steps hold none");
}

void rule_trainer_checkpoint_often(const struct rule *rule, const struct evidence *e,
                                   struct findings *f)
{
    enum { SHARE_FRAC };
    double interval = setting(e, "config.checkpoint_interval");
    double bytes = setting(e, "train.parameters") * BYTES_A_PARAMETER;
    double rate = setting(e, "ceiling.memory_bytes_per_s");
    double timed_ns = setting(e, "train.checkpoint_seconds") * 1e9;
    bool timed = isfinite(timed_ns); /* where there is a folder to write to */
    const char *dir = run_fact_text(e->run, e->rank_row, "config.checkpoint_dir");
    double cost_ns = timed ? timed_ns : bytes / rate * 1e9;
    if (!(timed || *dir) || !(interval > 0) || !isfinite(cost_ns) ||
        !(cost_ns / interval >= rule->limit[SHARE_FRAC].value * e->step_ns))
        return;
    struct finding *x = findings_add(f, rule);
    x->price = timed ? PRICE_INTERVAL : PRICE_MODELLED;
    x->holds_ns = cost_ns / interval;
    x->direct_gain_ns = cost_ns * (1 / interval - 1 / (REPEATED_RARER * interval));
    if (!timed)
        x->high_frac = 10; /* docs/rules/trainer-checkpoint-often.md: disks are slower */
    x->apart = true;
    snprintf(x->where, sizeof x->where, "checkpoint_interval: %.0f", interval);
    evidence_say(x, "a checkpoint has {}, {}: {} beside each step{}; priced for every {}",
                 quantity_bytes("checkpoint_bytes", bytes),
                 quantity_every("interval_steps", interval),
                 quantity_time("per_step_ms", x->holds_ns),
                 quantity_words(timed ? ", as one took that was written"
                                      : " even at the rate of memory"),
                 quantity_whole("priced_interval_steps", REPEATED_RARER * interval));
    if (!timed)
        snprintf(x->missing, sizeof x->missing, "how fast the disk is");
}
