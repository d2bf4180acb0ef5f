/* A small list of metrics with awkward texts and values. */
#ifndef GAIT_TESTS_METRIC_SAMPLE_H
#define GAIT_TESTS_METRIC_SAMPLE_H

#include "metrics/metric_set.h"

#include <math.h>

static const struct metric_row sample_rows[] = {
    {"a.steps", "Steps\nand a \\", "{step}", METRIC_COUNTER, {0}},
    {"a.time", "Time \"quoted\"", "s", METRIC_COUNTER, {"part", "one"}},
    {"a.time", "Time \"quoted\"", "s", METRIC_COUNTER, {"part", "two\n\"\\é"}},
    {"a.rate", "Rate", "{token}/s", METRIC_GAUGE, {0}},
    {"a.memory", "Memory", "By", METRIC_GAUGE, {0}},
    {"a.loss", "Loss", "", METRIC_GAUGE, {0}},
    {"a.absent", "Not known", "", METRIC_GAUGE, {0}},
};
enum { SAMPLE_ROWS = sizeof sample_rows / sizeof *sample_rows };

static const struct metric_set sample_set = {.row = sample_rows,
                                             .n = SAMPLE_ROWS,
                                             .run = "my \"run\"",
                                             .info = {{"host.name", "h"}},
                                             .n_info = 1,
                                             .begun_ns = 1700000000000000000};

static inline struct metric_values sample_values(double loss)
{
    struct metric_values v = {.at_ns = 1700000001500000000};
    static const double value[] = {9007199254740991, 0.1, 1e-7, 7123.25, 60678144};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        metric_set_value(&v, i, value[i]);
    metric_set_value(&v, SAMPLE_ROWS - 2, loss);
    return v;
}

#endif
