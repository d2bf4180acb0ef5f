/* Settings that are valid and yet seldom meant. */
#include "base/units.h"
#include "config/number_text.h"
#include "diagnose/checks.h"
#include "diagnose/thresholds.h"

#include <math.h>
#include <string.h>

void check_step(struct outcome *o, const struct training_facts *f,
                const struct estimate *e)
{
    (void)e;
    bool failed = f->tried && f->part == TRAINER_PREFETCH;
    if (f->step.too_long) {
        outcome_unknown(o, f->step.why_not.text);
        outcome_next(
            o,
            "gait diagnose %s --batch-size %lld --gradient-accumulation 1 looks at one "
            "part",
            f->words,
            (long long)(f->config->batch_size / f->config->gradient_accumulation));
    } else if (failed || (training_facts_has(f, TRAINER_PREFETCH) && !f->step.known)) {
        outcome_set(o, OUTCOME_FAIL, "%s",
                    failed ? f->failed.text : f->step.why_not.text);
        outcome_next(o, "gait data show %s", f->config->dataset);
    } else if (!check_can_know(o, f, TRAINER_PREFETCH)) {
        return;
    } else if (f->step.skipped) {
        outcome_set(o, OUTCOME_FAIL,
                    "the gradient is not finite after %zu steps: nothing is learned",
                    f->step.ns.n);
        outcome_next(o, "set learning_rate: %s",
                     number_text(f->config->learning_rate / LEARNING_RATE_FAR_RATIO).s);
    } else {
        outcome_set(o, OUTCOME_OK, "%zu steps ran, the gradient is finite", f->step.ns.n);
    }
}

void check_gradient_clip(struct outcome *o, const struct training_facts *f,
                         const struct estimate *e)
{
    (void)e;
    if (f->config->gradient_clip > 0) {
        outcome_set(o, OUTCOME_OK, "gradients are clipped at %g",
                    f->config->gradient_clip);
        return;
    }
    outcome_set(o, OUTCOME_WARN,
                "gradient_clip 0: no clipping; loss spikes will not be caught");
    outcome_next(o, "set gradient_clip: 1.0");
}

/* Kaplan et al., Scaling Laws for Neural Language Models (2020), appendix D.6: a rate for
 * Adam by the number of parameters. Sizes beyond the paper's keep its last rate. */
static double usual_rate(double parameters)
{
    const double largest = 1e10;
    return 0.003239 - 0.0001395 * log(fmin(fmax(parameters, 1), largest));
}

/* A rate for given weights may be as low as one likes. */
void check_learning_rate_size(struct outcome *o, const struct training_facts *f,
                              const struct estimate *e)
{
    (void)e;
    double rate = f->config->learning_rate;
    if (strcmp(f->config->optimizer, "adamw") != 0) {
        outcome_unknown(o, "no usual learning rate is known for sgd");
        return;
    }
    if (!check_can_know(o, f, TRAINER_MODEL))
        return;
    double usual = usual_rate((double)f->parameters), ratio = rate / usual;
    bool low = ratio < 1 / LEARNING_RATE_FAR_RATIO && !*f->config->init_from;
    if (ratio <= LEARNING_RATE_FAR_RATIO && !low) {
        outcome_set(o, OUTCOME_OK, "learning_rate %g is within a factor of %g of %.1e",
                    rate, LEARNING_RATE_FAR_RATIO, usual);
        return;
    }
    outcome_set(o, OUTCOME_WARN,
                "learning_rate %g is far %s what suits %s parameters (about %.1e)", rate,
                low ? "below" : "above", unit_count((double)f->parameters).s, usual);
    outcome_next(o, "set learning_rate: %.1e", usual);
}

void check_warm_up(struct outcome *o, const struct training_facts *f,
                   const struct estimate *e)
{
    (void)e;
    long long warm = f->config->warmup_steps, steps = f->steps;
    if (warm > steps) {
        outcome_unknown(o, "the settings are not valid");
    } else if ((double)warm > WARMUP_MOST_FRAC * (double)steps) {
        outcome_set(o, OUTCOME_WARN,
                    "warmup_steps %lld of %lld steps: most of the training is below its "
                    "learning rate",
                    warm, steps);
        outcome_next(o, "set warmup_steps: %lld", steps / 10);
    } else {
        outcome_set(o, OUTCOME_OK, "warm-up is %lld of %lld steps", warm, steps);
    }
}

void check_log_interval(struct outcome *o, const struct training_facts *f,
                        const struct estimate *e)
{
    (void)e;
    double lines = (double)f->steps / (double)f->config->log_interval;
    if (lines > LOG_LINES_MOST) {
        outcome_set(o, OUTCOME_WARN, "log_interval %lld: %s lines of progress",
                    (long long)f->config->log_interval, unit_thousands((int64_t)lines).s);
        outcome_next(o, "set log_interval: %.0f", ceil((double)f->steps / 100));
    } else {
        outcome_set(o, OUTCOME_OK, "%.0f lines of progress", lines);
    }
}

/* --- by the time that was measured --- */

static bool time_is_known(struct outcome *o, const struct estimate *e)
{
    if (e->known)
        return true;
    outcome_unknown(o, e->why_not.text);
    return false;
}

void check_validation_interval(struct outcome *o, const struct training_facts *f,
                               const struct estimate *e)
{
    if (!time_is_known(o, e))
        return;
    if (e->evaluations < 2 && estimate_is_long(e)) {
        outcome_set(o, OUTCOME_WARN,
                    "eval_interval %lld: no validation before the end of %s",
                    (long long)f->config->eval_interval, unit_ns_of(e->s * 1e9).s);
        outcome_next(o, "set eval_interval: %lld",
                     (long long)(f->steps < 10 ? 1 : f->steps / 10));
    } else {
        outcome_set(o, OUTCOME_OK, "%s",
                    unit_plural((double)e->evaluations, "validation", "validations").s);
    }
}

/* What is beside the steps, of the steps' own time. */
static double share_of_steps(const struct training_facts *f, const struct estimate *e,
                             double s)
{
    double steps_s = (double)e->steps * f->step.ns.median / 1e9;
    return steps_s > 0 ? s / steps_s : 0;
}

void check_validation_cost(struct outcome *o, const struct training_facts *f,
                           const struct estimate *e)
{
    if (!time_is_known(o, e))
        return;
    if (!f->evaluation.known) {
        outcome_unknown(o, f->evaluation.why_not.text);
        return;
    }
    double share = share_of_steps(f, e, e->evaluations_s);
    struct unit_text one = unit_ns_of(f->evaluation.ns);
    struct unit_text n = unit_plural((double)e->evaluations, "validation", "validations");
    if (share <= EVALUATION_MOST_FRAC || e->evaluations_s < BESIDE_LEAST_S) {
        outcome_set(o, OUTCOME_OK, "%s of %s: %s of the steps' time", n.s, one.s,
                    unit_percent(share).s);
        return;
    }
    double batches = floor((double)f->evaluation.of_all * EVALUATION_MOST_FRAC / share);
    outcome_set(o, OUTCOME_WARN, "%s of %s take%s %s of the steps' time", n.s, one.s,
                e->evaluations == 1 ? "s" : "", unit_percent(share).s);
    if (e->evaluations > 1)
        outcome_next(o, "set eval_interval: %.0f",
                     estimate_interval(f, f->evaluation.ns, EVALUATION_MOST_FRAC));
    else
        outcome_next(o, "set eval_batches: %.0f", fmax(batches, 1));
}

void check_checkpoint_interval(struct outcome *o, const struct training_facts *f,
                               const struct estimate *e)
{
    if (!time_is_known(o, e))
        return;
    struct unit_text all = unit_ns_of(e->s * 1e9);
    if (!estimate_is_long(e)) {
        outcome_set(
            o, OUTCOME_OK, "%s for a training of %s",
            e->checkpoints
                ? unit_plural((double)e->checkpoints, "checkpoint", "checkpoints").s
                : "no checkpoints",
            all.s);
    } else if (!f->disk.wanted) {
        outcome_set(o, OUTCOME_WARN, "no checkpoint_dir: %s of training are not kept",
                    all.s);
        outcome_next(o, "set checkpoint_dir: out, checkpoint_minutes: 10");
    } else if (e->checkpoints < 2) {
        outcome_set(o, OUTCOME_WARN,
                    "one checkpoint, at the end: what stops the training before loses %s",
                    all.s);
        outcome_next(o, "set checkpoint_minutes: 10");
    } else {
        outcome_set(o, OUTCOME_OK, "%lld checkpoints in %s", (long long)e->checkpoints,
                    all.s);
    }
}

void check_checkpoint_cost(struct outcome *o, const struct training_facts *f,
                           const struct estimate *e)
{
    if (!f->disk.wanted) {
        outcome_set(o, OUTCOME_OK, "no checkpoint_dir: no checkpoint takes time");
        return;
    }
    if (!time_is_known(o, e))
        return;
    if (!f->checkpoint.known) {
        outcome_unknown(o, f->checkpoint.why_not.text);
        return;
    }
    double share = share_of_steps(f, e, e->checkpoints_s);
    struct unit_text one = unit_ns_of(f->checkpoint.ns);
    if (share <= CHECKPOINT_MOST_FRAC || e->checkpoints < 2 ||
        e->checkpoints_s < BESIDE_LEAST_S) {
        outcome_set(o, OUTCOME_OK, "%s of %s: %s of the steps' time",
                    unit_plural((double)e->checkpoints, "checkpoint", "checkpoints").s,
                    one.s, unit_percent(share).s);
        return;
    }
    outcome_set(o, OUTCOME_WARN, "%lld checkpoints of %s take %s of the steps' time",
                (long long)e->checkpoints, one.s, unit_percent(share).s);
    outcome_next(o, "set checkpoint_interval: %.0f",
                 estimate_interval(f, f->checkpoint.ns, CHECKPOINT_MOST_FRAC));
}
