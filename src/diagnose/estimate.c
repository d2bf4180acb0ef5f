#include "diagnose/estimate.h"

#include "diagnose/thresholds.h"

#include <math.h>

/* Of fewer the least and the largest say nothing. */
enum { INTERVAL_STEPS_LEAST = 3 };

/* Beside the one at the end. */
static int64_t times_on_the_way(int64_t first, int64_t steps, int64_t interval)
{
    return interval && steps > first ? (steps - 1) / interval - first / interval : 0;
}

/* Of the steps alone: checkpoint_minutes counts them. */
static int64_t checkpoints_of(const struct training_facts *f, int64_t first,
                              double steps_s)
{
    const struct config *c = f->config;
    if (!f->disk.wanted || first >= f->steps)
        return 0;
    int64_t n = 1 + times_on_the_way(first, f->steps, c->checkpoint_interval);
    if (c->checkpoint_minutes > 0)
        n += (int64_t)(steps_s / 60 / c->checkpoint_minutes);
    if (c->checkpoint_epochs && f->data.windows > 0)
        n += (int64_t)((double)(f->steps - first) * (double)c->batch_size /
                       (double)f->data.windows / (double)c->checkpoint_epochs);
    return n;
}

struct estimate estimate_time(const struct training_facts *f)
{
    struct estimate e = {.known = f->step.known, .why_not = f->step.why_not};
    if (!e.known)
        return e;
    int64_t first = f->disk.resume_step > 0 ? f->disk.resume_step : 0;
    e.steps = f->steps > first ? f->steps - first : 0;
    double steps = (double)e.steps, steps_s = steps * f->step.ns.median / 1e9;
    e.evaluations = 1 + times_on_the_way(first, f->steps, f->config->eval_interval);
    if (f->evaluation.known)
        e.evaluations_s = (double)e.evaluations * f->evaluation.ns / 1e9;
    e.checkpoints = checkpoints_of(f, first, steps_s + e.evaluations_s);
    if (f->checkpoint.known)
        e.checkpoints_s = (double)e.checkpoints * f->checkpoint.ns / 1e9;
    double beside_s = e.evaluations_s + e.checkpoints_s;
    e.s = steps_s + beside_s;
    bool few = f->step.ns.n < INTERVAL_STEPS_LEAST;
    e.low_s = few ? NAN : steps * f->step.ns.low / 1e9 + beside_s;
    e.high_s = few ? NAN : steps * f->step.ns.high / 1e9 + beside_s;
    return e;
}

/* What is whole but for rounding stays whole. */
double estimate_interval(const struct training_facts *f, double ns, double share)
{
    const double rounding = 1e-6;
    return ceil(ns / share / f->step.ns.median - rounding);
}

bool estimate_is_long(const struct estimate *e)
{
    return e->known && e->s > LONG_TRAINING_S;
}
