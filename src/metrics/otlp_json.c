#include "metrics/otlp_json.h"

#include "base/json_read.h"
#include "base/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEMPORALITY_CUMULATIVE = 2 }; /* AggregationTemporality */

static void put_attribute(struct json_writer *w, const char *key, const char *value)
{
    json_begin_object(w);
    json_field_string(w, "key", key);
    json_key(w, "value");
    json_begin_object(w);
    json_field_string(w, "stringValue", value);
    json_end(w);
    json_end(w);
}

static void put_time(struct json_writer *w, const char *key, int64_t ns)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, ns);
    json_field_string(w, key, text);
}

static void put_double(struct json_writer *w, double v)
{
    json_key(w, "asDouble");
    if (isfinite(v))
        json_exact(w, v);
    else
        json_string(w, isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
}

static void put_point(struct json_writer *w, const struct metric_set *set,
                      const struct metric_values *v, size_t i)
{
    const struct metric_row *row = &set->row[i];
    json_begin_object(w);
    if (row->label.name) {
        json_key(w, "attributes");
        json_begin_array(w);
        put_attribute(w, row->label.name, row->label.value);
        json_end(w);
    }
    if (row->kind == METRIC_COUNTER)
        put_time(w, "startTimeUnixNano", set->begun_ns);
    put_time(w, "timeUnixNano", v->at_ns);
    put_double(w, v->value[i]);
    json_end(w);
}

/* The rows from *i on that have the name of the first; *i is then behind them. */
static void put_metric(struct json_writer *w, const struct metric_set *set,
                       const struct metric_values *v, size_t *i)
{
    const struct metric_row *row = &set->row[*i];
    bool is_counter = row->kind == METRIC_COUNTER;
    json_begin_object(w);
    json_field_string(w, "name", row->name);
    json_field_string(w, "description", row->help);
    json_field_string(w, "unit", row->unit);
    json_key(w, is_counter ? "sum" : "gauge");
    json_begin_object(w);
    if (is_counter) {
        json_field_int(w, "aggregationTemporality", TEMPORALITY_CUMULATIVE);
        json_key(w, "isMonotonic");
        json_bool(w, true);
    }
    json_key(w, "dataPoints");
    json_begin_array(w);
    for (; *i < set->n && !strcmp(set->row[*i].name, row->name); ++*i)
        if (metric_is_known(v, *i))
            put_point(w, set, v, *i);
    json_end(w);
    json_end(w);
    json_end(w);
}

static void put_resource(struct json_writer *w, const struct metric_set *set)
{
    json_key(w, "resource");
    json_begin_object(w);
    json_key(w, "attributes");
    json_begin_array(w);
    put_attribute(w, "service.name", "gait");
    put_attribute(w, "service.version", GAIT_VERSION);
    put_attribute(w, "gait.run", set->run);
    for (size_t i = 0; i < set->n_info; i++)
        put_attribute(w, set->info[i].name, set->info[i].value);
    json_end(w);
    json_end(w);
}

static void put_metrics(struct json_writer *w, const struct metric_set *set,
                        const struct metric_values *v)
{
    json_key(w, "scopeMetrics");
    json_begin_array(w);
    json_begin_object(w);
    json_key(w, "scope");
    json_begin_object(w);
    json_field_string(w, "name", "gait");
    json_field_string(w, "version", GAIT_VERSION);
    json_end(w);
    json_key(w, "metrics");
    json_begin_array(w);
    for (size_t i = 0; i < set->n;)
        if (metric_is_known(v, i))
            put_metric(w, set, v, &i);
        else
            i++;
    json_end(w);
    json_end(w);
    json_end(w);
}

void otlp_json(struct strbuf *out, const struct metric_set *set,
               const struct metric_values *v)
{
    struct json_writer w;
    json_init(&w, out);
    w.compact = true;
    json_begin_object(&w);
    json_key(&w, "resourceMetrics");
    json_begin_array(&w);
    json_begin_object(&w);
    put_resource(&w, set);
    put_metrics(&w, set, v);
    json_end(&w);
    json_end(&w);
    json_end(&w);
}

/* proto3 JSON writes 64-bit integers as text and reads numbers too. */
int64_t otlp_rejected(const char *answer, size_t len)
{
    struct arena arena;
    const struct json *root;
    int64_t points = 0;
    arena_init(&arena);
    if (!json_read(&root, &arena, answer, len, NULL)) {
        const struct json *partial = json_get(root, "partialSuccess");
        const struct json *count = json_get(partial, "rejectedDataPoints");
        const char *text = json_string_or(count, NULL);
        points = text ? strtoll(text, NULL, 10) : json_int_or(count, 0);
    }
    arena_release(&arena);
    return points > 0 ? points : 0;
}
