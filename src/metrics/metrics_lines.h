/*
 * metrics.jsonl: one JSON object a line, {"step":7,"loss":3.25,…}, appended as the
 * training goes. A run that goes on from step S first drops what a killed run left: lines
 * of step S or later, and a last line that was cut.
 */
#ifndef GAIT_METRICS_METRICS_LINES_H
#define GAIT_METRICS_METRICS_LINES_H

#include "metrics/append_file.h"

#include <stddef.h>
#include <stdint.h>

enum {
    METRICS_LINE_BYTES_MAX = 4096,
    METRICS_VALUES_MAX = 32, /* of one line */
};

struct metrics_value {
    const char *key; /* not owned */
    double value;
};

/* Open dir/metrics.jsonl for a run whose first line will be of first_step or later.
 * Where first_step is 0 the run is new: an older file is renamed metrics.1.jsonl, or the
 * next number that is free. A file that another process writes, or that holds other lines
 * than these, is refused and stays as it is. On OK the caller closes *f. */
enum status metrics_lines_open(struct append_file *f, const char *dir, int64_t first_step,
                               struct err *err);

/* The line's length in out (METRICS_LINE_BYTES_MAX), with its line break. Numbers have 9
 * digits, which hold every float; what is not finite is null. */
size_t metrics_line_format(char *out, int64_t step, const struct metrics_value *values,
                           size_t n);
/* The step of a whole line without its break; false where it is not such a line. */
bool metrics_line_step(int64_t *step, const char *line, size_t len);

#endif
