/*
 * What monitoring systems see of a program: a list of metrics that is made once, and its
 * values, which change. Pages of Prometheus and messages of OTLP are written from both.
 *
 * Names and units are OpenTelemetry's ("gait.step.time", "s"); Prometheus' name follows
 * from them by its own rules ("gait_step_time_seconds_total"), so that a metric has one
 * name there whichever way it came.
 */
#ifndef GAIT_METRICS_METRIC_SET_H
#define GAIT_METRICS_METRIC_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { METRIC_ROWS_MAX = 64, METRIC_LABELS_MAX = 8 };

enum metric_kind {
    METRIC_COUNTER, /* grows from 0 at the start of this process */
    METRIC_GAUGE,
};

struct metric_label {
    const char *name, *value; /* any UTF-8 text */
};

/* Rows of one name are neighbours and differ by their label. */
struct metric_row {
    const char *name, *help;
    const char *unit; /* "s", "By", "{token}/s"; "" or "{step}": none in the name */
    enum metric_kind kind;
    struct metric_label label; /* name NULL: none */
};

struct metric_set {
    const struct metric_row *row; /* (n) */
    size_t n;                     /* at most METRIC_ROWS_MAX */
    const char *run;              /* the label of every row: which training it is */
    /* What does not change: labels of gait_run_info, attributes of OTLP's resource. */
    struct metric_label info[METRIC_LABELS_MAX];
    size_t n_info;
    int64_t begun_ns; /* since 1970: counters were 0 */
};

struct metric_values {
    int64_t at_ns;  /* since 1970 */
    uint64_t known; /* a bit a row; a value that is not known is left out */
    double value[METRIC_ROWS_MAX];
};

static inline bool metric_is_known(const struct metric_values *v, size_t row)
{
    return v->known >> row & 1;
}

static inline void metric_set_value(struct metric_values *v, size_t row, double value)
{
    v->value[row] = value;
    v->known |= (uint64_t)1 << row;
}

#endif
