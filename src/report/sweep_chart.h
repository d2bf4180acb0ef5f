/* Step time over the values of a setting, as a picture. */
#ifndef GAIT_REPORT_SWEEP_CHART_H
#define GAIT_REPORT_SWEEP_CHART_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

struct sweep_chart {
    const char *setting;
    double *x, *ms, *ms_error; /* (n) */
    size_t n;
};

/* False: nothing to draw. */
bool sweep_chart_svg(struct strbuf *out, const struct sweep_chart *c);

#endif
