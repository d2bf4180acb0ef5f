#include "report/roofline_axes.h"

#include <math.h>

enum { DECADES_MAX = 24 };

static void include(double *min, double *max, double value)
{
    if (!isfinite(value) || value <= 0)
        return;
    *min = fmin(*min, floor(log10(value)));
    *max = fmax(*max, ceil(log10(value)));
}

bool roofline_axes(struct log_axes *a, const struct roofline *r)
{
    *a = (struct log_axes){INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < r->n; i++) {
        include(&a->x_min, &a->x_max, r->point[i].flop_per_byte);
        include(&a->y_min, &a->y_max, r->point[i].flop_per_s);
    }
    include(&a->x_min, &a->x_max, r->peak_flop_per_s / r->peak_bytes_per_s);
    include(&a->y_min, &a->y_max, r->peak_flop_per_s);
    if (!isfinite(a->x_max - a->x_min) || !isfinite(a->y_max - a->y_min))
        return false;
    a->x_max += a->x_max == a->x_min;
    a->y_max += a->y_max == a->y_min;
    return a->x_max - a->x_min <= DECADES_MAX && a->y_max - a->y_min <= DECADES_MAX;
}
