#include "analyze/scaling.h"

#include <math.h>
#include <stdbool.h>

/* Student's t that holds 95 %, by degrees of freedom. */
static double student_t(size_t freedom)
{
    static const double t[] = {NAN,   12.706, 4.303, 3.182, 2.776, 2.571,
                               2.447, 2.365,  2.306, 2.262, 2.228};
    size_t last = sizeof t / sizeof *t - 1;
    return freedom <= last ? t[freedom] : 1.96 + 2.68 / (double)freedom; /* from above */
}

struct line {
    double mean_x, mean_y, slope, xx; /* xx: sum of squared distances from mean_x */
};

static bool fit_line(struct line *l, const double *x, const double *y, size_t n)
{
    double xy = 0;
    *l = (struct line){0};
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0) || !(y[i] > 0) || !isfinite(x[i] + y[i]))
            return false;
        l->mean_x += log(x[i]) / (double)n;
        l->mean_y += log(y[i]) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        double dx = log(x[i]) - l->mean_x;
        l->xx += dx * dx;
        xy += dx * (log(y[i]) - l->mean_y);
    }
    l->slope = xy / l->xx;
    return l->xx > 1e-12;
}

struct scaling scaling_fit(const double *x, const double *y, size_t n)
{
    struct scaling s = {NAN, NAN, NAN, NAN};
    struct line l;
    double squares = 0, most = 0;
    if (n < 2 || !fit_line(&l, x, y, n))
        return s;
    for (size_t i = 0; i < n; i++) {
        double off = log(y[i]) - l.mean_y - l.slope * (log(x[i]) - l.mean_x);
        squares += off * off;
        most = fmax(most, fabs(off));
    }
    s.exponent = l.slope;
    s.error_frac = expm1(most);
    if (n < 3)
        return s;
    double half = student_t(n - 2) * sqrt(squares / (double)(n - 2) / l.xx);
    s.low = l.slope - half;
    s.high = l.slope + half;
    return s;
}
