#include "analyze/timed_waits.h"

#include <math.h>

bool timed_waits_has(enum timing_kind what)
{
    return what == TIMING_KIND_COLLECTIVE || what == TIMING_KIND_EXCHANGE ||
           what == TIMING_KIND_BUFFERS;
}

struct timed_sum {
    double ns;
    size_t waits, steps;
};

static void add_timing(struct timed_sum *sum, const struct timings *t, size_t i)
{
    /* steps after the rounds are timed without their parts */
    sum->steps += t->what[i] == TIMING_KIND_OPTIMIZER;
    if (!timed_waits_has(t->what[i]))
        return;
    sum->ns += (double)t->dur_ns[i];
    sum->waits++;
}

static double mean_of(const struct timed_sum *sum)
{
    return sum->waits && sum->steps ? sum->ns / (double)sum->steps : NAN;
}

double timed_waits_of_rows_ns(const struct run *run, const uint32_t *row, size_t n)
{
    struct timed_sum sum = {0};
    for (size_t i = 0; i < n; i++)
        add_timing(&sum, &run->timings, row[i]);
    return mean_of(&sum);
}

double timed_waits_ns(const struct run *run, int32_t rank_row)
{
    struct timed_sum sum = {0};
    for (size_t i = 0; i < run->timings.table.n; i++)
        if (run->timings.rank[i] == rank_row)
            add_timing(&sum, &run->timings, i);
    return mean_of(&sum);
}
