/*
 * The gradient of every parameter in the first step of two recordings of one job, where
 * both still have the same weights: what differs is the computation alone. Compared are
 * sizes and directions.
 */
#include "base/units.h"
#include "verify/parameter_pairs.h"

#include <math.h>
#include <stdio.h>

/* Thresholds: docs/verify.md says why. */
#define GRADIENT_MAX_FRAC 0.01
#define GRADIENT_MAX_LOW_FRAC 0.2 /* of jobs that compute below float32 */
/* Added to each gradient, of the largest: what rounding leaves where gradients cancel. */
#define GRADIENT_FLOOR_FRAC 1e-3
#define GRADIENT_FLOOR_LOW_FRAC 0.05

static double differ_by(const struct parameter_pair *x, double floor_rms)
{
    double floor = floor_rms * sqrt((double)x->before.elements);
    double sizes = fabs(x->before.norm - x->after.norm); /* no less than that */
    return parameter_frac(fmax(parameter_distance(x), sizes),
                          fmax(x->before.norm, x->after.norm) + floor);
}

static struct parameter_worst find_worst(const struct parameter_pairs *x, double floor,
                                         double allowed)
{
    struct parameter_worst w = {0};
    for (size_t i = 0; i < x->n; i++) {
        if (x->v[i].before.what != MOVED_KIND_GRADIENT)
            continue;
        double by = differ_by(&x->v[i], floor * x->largest_gradient);
        w.compared++;
        w.beyond += by > allowed;
        if (by > w.by) {
            w.by = by;
            w.pair = &x->v[i];
        }
    }
    return w;
}

static enum verdict judge(struct gate_result *g, const struct parameter_worst *w,
                          double allowed, const struct pair *p)
{
    parameter_worst_tell(g, w, allowed, p);
    if (!w->pair)
        snprintf(g->remark, sizeof g->remark, "equal in the first step: %s",
                 unit_plural((double)w->compared, "parameter", "parameters").s);
    else
        snprintf(g->remark, sizeof g->remark,
                 "%.80s differs most, by %.3g %% in the first step; allowed %.3g %%, "
                 "passed by %zu of %zu",
                 g->at_parameter, w->by * 100, allowed * 100, w->compared - w->beyond,
                 w->compared);
    if (!w->beyond)
        return VERDICT_PASS;
    g->code = "gradients_differ";
    return VERDICT_FAIL;
}

enum verdict gate_gradients(struct gate_result *g, const struct pair *p)
{
    bool low = is_low_precision(p);
    double allowed = target_or(p->targets.max_grad_error,
                               low ? GRADIENT_MAX_LOW_FRAC : GRADIENT_MAX_FRAC);
    struct parameter_pairs x;
    parameter_pairs_find(&x, p);
    struct parameter_worst w =
        find_worst(&x, low ? GRADIENT_FLOOR_LOW_FRAC : GRADIENT_FLOOR_FRAC, allowed);
    enum verdict v;
    if (!w.compared)
        v = does_not_apply(g, "no_common_gradients",
                           "the runs carry no gradients of the same parameters "
                           "(recordings of PyTorch jobs do)");
    else if (starts_differ(g, p))
        v = VERDICT_NOT_APPLICABLE;
    else
        v = judge(g, &w, allowed, p);
    parameter_pairs_release(&x);
    return v;
}
