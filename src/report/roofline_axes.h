/* Both axes of a roofline, logarithmic: what SVG and text draw in. */
#ifndef GAIT_REPORT_ROOFLINE_AXES_H
#define GAIT_REPORT_ROOFLINE_AXES_H

#include "report/view.h"

struct log_axes {
    double x_min, x_max, y_min, y_max; /* powers of ten */
};

/* False: nothing to draw, or figures too far apart. */
bool roofline_axes(struct log_axes *a, const struct roofline *r);

#endif
