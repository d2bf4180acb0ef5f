#include "report/sweep_chart.h"

#include "report/html_parts.h"

#include <stdio.h>

bool sweep_chart_svg(struct strbuf *out, const struct sweep_chart *c)
{
    char label[128];
    snprintf(label, sizeof label, "%s; upwards: ms a step, with its 95 %% interval",
             c->setting);
    struct chart_series series = {.name = c->setting,
                                  .tone = TONE_COMPUTE,
                                  .x = c->x,
                                  .y = c->ms,
                                  .y_error = c->ms_error,
                                  .n = c->n};
    struct chart chart = {.x_label = label,
                          .y_label = "ms a step",
                          .y_from_zero = true,
                          .series = &series,
                          .n = 1};
    return svg_chart(out, &chart);
}
