/* What the store keeps of a span while a run is open: struct span without step and line,
 * so that a row is one line of the cache. */
#ifndef GAIT_SPANS_SPAN_ROW_H
#define GAIT_SPANS_SPAN_ROW_H

#include "run/run.h"

struct span_row {
    int64_t begin_ns, dur_ns, seq, correlation, flop, bytes;
    uint32_t lane, kind;
    name_id name, shapes;
};

_Static_assert(sizeof(struct span_row) == 64, "a row is one line of the cache");

#endif
