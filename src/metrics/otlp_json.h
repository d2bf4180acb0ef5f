/* OTLP's ExportMetricsServiceRequest in its JSON form (proto3 JSON, names in lowerCamelCase,
 * 64-bit integers as text). */
#ifndef GAIT_METRICS_OTLP_JSON_H
#define GAIT_METRICS_OTLP_JSON_H

#include "base/strbuf.h"
#include "metrics/metric_set.h"

/* After what out has: one resource, one scope, a metric a name, all counters cumulative. */
void otlp_json(struct strbuf *out, const struct metric_set *set,
               const struct metric_values *v);

/* Of the points of a message, how many its answer (ExportMetricsServiceResponse) says were
 * rejected; 0 where it says nothing, or cannot be read. */
int64_t otlp_rejected(const char *answer, size_t len);

#endif
