/*
 * Runs of several ranks whose collectives are written down by hand: the true moment at
 * which each rank comes and at which all leave, and how wrong each rank's clock is.
 */
#ifndef GAIT_TESTS_JOB_FIXTURES_H
#define GAIT_TESTS_JOB_FIXTURES_H

#include "analyze/analysis.h"

static inline int32_t job_add_rank(struct run *run, int32_t number, int32_t world)
{
    return (int32_t)ranks_add(&run->ranks, (struct rank){.rank = number,
                                                         .world = world,
                                                         .source = RUN_SOURCE_KINETO,
                                                         .complete = 1});
}

static inline int32_t job_add_step(struct run *run, int32_t rank, int64_t number,
                                   int64_t begin_ns, int64_t end_ns)
{
    return (int32_t)steps_add(&run->steps, (struct step){.rank = rank,
                                                         .number = number,
                                                         .begin_ns = begin_ns,
                                                         .end_ns = end_ns});
}

struct job_call {
    const char *name, *group;
    int64_t seq;
    int32_t group_size;
};

static inline size_t job_add_call(struct run *run, int32_t rank, int32_t step,
                                  struct job_call call, int64_t begin_ns, int64_t end_ns)
{
    return collectives_add(
        &run->collectives,
        (struct collective){.rank = rank,
                            .step = step,
                            .lane = -1,
                            .name = names_add_z(&run->names, call.name),
                            .group_name = names_add_z(&run->names, call.group),
                            .seq = call.seq,
                            .group_size = call.group_size,
                            .begin_ns = begin_ns,
                            .dur_ns = end_ns - begin_ns,
                            .exposed_ns = end_ns - begin_ns});
}

static inline void job_add_time(struct run *run, int32_t rank, int32_t step,
                                enum time_class what, int64_t ns)
{
    times_add(&run->times, (struct class_time){.rank = rank,
                                               .step = step,
                                               .device = -1,
                                               .lane = -1,
                                               .what = what,
                                               .ns = ns});
}

/* Three ranks, two steps of 1,000 ns with two all-reduces each. Rank 2 comes last but
 * once, because it computes 200 ns longer; clocks are off by seconds. True times:
 *
 *              rank 0   rank 1   rank 2   all leave
 *   step 7  #0    100      150      400         500
 *           #1    600      600      900         950
 *   step 8  #0   1100     1350     1300        1400
 *           #1   1600     1650     1900        1950
 */
static const int64_t three_ranks_begin[4][3] = {
    {100, 150, 400}, {600, 600, 900}, {1100, 1350, 1300}, {1600, 1650, 1900}};
static const int64_t three_ranks_end[4] = {500, 950, 1400, 1950};
static const int64_t three_ranks_ahead[3] = {0, 5000000000, -3000000017};

static inline void job_three_ranks(struct run *run, bool numbered)
{
    run_init(run);
    for (int32_t r = 0; r < 3; r++) {
        job_add_rank(run, r, 3);
        /* Part of the distance stands in the base, as in files of different hosts. */
        run->ranks.base_ns[r] = 1000000000000 * (r + 1);
        int64_t own = three_ranks_ahead[r] - run->ranks.base_ns[r];
        for (int s = 0; s < 2; s++) {
            int32_t step =
                job_add_step(run, r, 7 + s, own + 1000 * s, own + 1000 * (s + 1));
            for (int k = 2 * s; k < 2 * s + 2; k++)
                job_add_call(run, r, step,
                             numbered ? (struct job_call){"allreduce", "0", 40 + k, 3}
                                      : (struct job_call){"allreduce", "", -1, 3},
                             own + three_ranks_begin[k][r], own + three_ranks_end[k]);
            job_add_time(run, r, step, TIME_CLASS_SPAN, 1000);
            job_add_time(run, r, step, TIME_CLASS_COMPUTE, r == 2 ? 700 : 500);
            job_add_time(run, r, step, TIME_CLASS_IDLE, r == 2 ? 110 : 100);
            job_add_time(run, r, step, TIME_CLASS_COMMUNICATION, r == 2 ? 190 : 400);
        }
    }
}

/* The same, with all times so many times as long. */
static inline void job_stretch(struct run *run, int64_t factor)
{
    for (size_t i = 0; i < run->ranks.table.n; i++)
        run->ranks.base_ns[i] *= factor;
    for (size_t i = 0; i < run->steps.table.n; i++) {
        run->steps.begin_ns[i] *= factor;
        run->steps.end_ns[i] *= factor;
    }
    for (size_t i = 0; i < run->collectives.table.n; i++) {
        run->collectives.begin_ns[i] *= factor;
        run->collectives.dur_ns[i] *= factor;
        run->collectives.exposed_ns[i] *= factor;
    }
    for (size_t i = 0; i < run->times.table.n; i++)
        run->times.ns[i] *= factor;
}

#endif
