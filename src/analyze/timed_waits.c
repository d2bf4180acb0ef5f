#include "analyze/timed_waits.h"

#include <math.h>

bool timed_waits_has(enum timing_kind what)
{
    return what == TIMING_KIND_COLLECTIVE || what == TIMING_KIND_EXCHANGE ||
           what == TIMING_KIND_BUFFERS;
}

double timed_waits_ns(const struct run *run, int32_t rank_row)
{
    const struct timings *t = &run->timings;
    double sum_ns = 0;
    size_t waits = 0, steps = 0;
    for (size_t i = 0; i < t->table.n; i++) {
        if (t->rank[i] != rank_row)
            continue;
        /* steps after the rounds are timed without their parts */
        steps += t->what[i] == TIMING_KIND_OPTIMIZER;
        if (!timed_waits_has(t->what[i]))
            continue;
        sum_ns += (double)t->dur_ns[i];
        waits++;
    }
    return waits && steps ? sum_ns / (double)steps : NAN;
}
