/* The figures of a price as they are told: what a step with a gain would take. All are
 * predicted. */
#ifndef GAIT_PRICE_PRICE_FIGURES_H
#define GAIT_PRICE_PRICE_FIGURES_H

#include "price/finding.h"

/* NAN where the price says nothing of it. */
struct price_figures {
    double gain_ns, step_ns, low_ns, high_ns; /* the interval is of the step */
    double ratio, ratio_low, ratio_high;      /* of the step's time */
    double ceiling_ns; /* the step if all that a finding holds took no time */
};

/* Of a step of step_ns with such a gain, and of `frac` of its parts. */
struct price_figures price_figures(const struct findings *f, const struct gain *g,
                                   double step_ns, double frac);
/* Of a finding: nothing where the ground is too thin for a price, no step where the gain
 * is of another figure; but a sample gains the same part of its time as a step. */
struct price_figures price_figures_of(const struct findings *f, const struct finding *x);

/* Times are not less than 0; NAN stays. */
static inline double price_at_least_0(double ns)
{
    return ns < 0 ? 0 : ns;
}

/* A step with such a gain over one without; NAN where there is no step. */
double price_ratio(const struct findings *f, double gain_ns);

#endif
