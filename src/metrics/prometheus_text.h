/* Prometheus' text exposition format, version 0.0.4: a page to scrape, and the file of
 * node_exporter's textfile collector. */
#ifndef GAIT_METRICS_PROMETHEUS_TEXT_H
#define GAIT_METRICS_PROMETHEUS_TEXT_H

#include "base/strbuf.h"
#include "metrics/metric_set.h"

#define PROMETHEUS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* After what out has. A metric without a known value has no line. */
void prometheus_text(struct strbuf *out, const struct metric_set *set,
                     const struct metric_values *v);

/* "gait.step.time", "s", a counter: gait_step_time_seconds_total. */
void prometheus_name(struct strbuf *out, const struct metric_row *row);

#endif
