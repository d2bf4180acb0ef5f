#include "analyze/timed_waits.h"

#include <math.h>
#include <string.h>

bool timed_waits_has(const char *what)
{
    return !strcmp(what, "collective") || !strcmp(what, "exchange") ||
           !strcmp(what, "buffers");
}

double timed_waits_ns(const struct run *run, int32_t rank_row)
{
    const struct timings *t = &run->timings;
    double sum_ns = 0;
    size_t waits = 0, steps = 0;
    for (size_t i = 0; i < t->table.n; i++) {
        if (t->rank[i] != rank_row)
            continue;
        const char *what = run_name(run, t->what[i]);
        /* steps after the rounds are timed without their parts */
        steps += !strcmp(what, "optimizer");
        if (!timed_waits_has(what))
            continue;
        sum_ns += (double)t->dur_ns[i];
        waits++;
    }
    return waits && steps ? sum_ns / (double)steps : NAN;
}
