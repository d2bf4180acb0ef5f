/* How a figure grows with a setting: y = c · x^exponent, fitted to logarithms. */
#ifndef GAIT_ANALYZE_SCALING_H
#define GAIT_ANALYZE_SCALING_H

#include <stddef.h>

struct scaling {
    double
        exponent; /* NAN: fewer than two different x, or a figure that is not above 0 */
    double low,
        high; /* with 95 %, if a power is the right shape; NAN below three points */
    double error_frac; /* the largest distance of a point from the fit */
};

/* Least squares over n points. */
struct scaling scaling_fit(const double *x, const double *y, size_t n);

#endif
