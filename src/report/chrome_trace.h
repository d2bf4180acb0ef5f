/*
 * A run's kept spans as a Chrome trace, in the form that torch.profiler writes: Perfetto
 * and chrome://tracing open it, and so does our own reader, which gives the same spans
 * again. Times are exact: microseconds with up to three decimals.
 *
 * What Kineto has no category for (phases and waits of the trainer) becomes an
 * annotation. Bytes that are not UTF-8 become U+FFFD: JSON has no place for them.
 */
#ifndef GAIT_REPORT_CHROME_TRACE_H
#define GAIT_REPORT_CHROME_TRACE_H

#include "run/run.h"

#include <stdio.h>

/* Write the rank of this row, with its lanes' names, spans and launches (as arrows). A
 * failed write is left to ferror(). Returns the number of spans. */
size_t chrome_trace_write(FILE *out, const struct run *run, int32_t rank);

#endif
