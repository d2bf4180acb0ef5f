/*
 * Measured ceilings: the most that this machine did in short repetitions. Rates are of
 * all threads together.
 */
#ifndef GAIT_MACHINE_CEILING_H
#define GAIT_MACHINE_CEILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CEILING_REPETITIONS_MAX = 31 };

struct ceiling {
    double best, median; /* flop or bytes a second, or ns of a call: of these the least */
    double low, high;    /* of the median, with 95 % */
    int repetitions;     /* 0: could not be measured */
    int threads;         /* that really took part */
    double drift_frac;   /* last third of the repetitions over the first, minus 1 */
    double cpu_frac; /* CPU time that the threads got of what they asked for: well below 1
                        on a machine that was busy otherwise */
    size_t array_bytes; /* memory only: of each of three arrays */
    const char *how;    /* the instructions, or why there is no figure */
};

/* f32 multiply-adds in registers, 2 flop each, by the widest instructions. */
struct ceiling ceiling_f32_flop(int threads);
/* By other instructions of this CPU, as fma_loops.h lists them; the how of one that it
 * does not have says so. */
struct ceiling ceiling_flop_by(int instructions, int threads);
/* bf16 products in AMX tiles; no repetitions where there are none. */
struct ceiling ceiling_bf16_flop(int threads);
/* a = b + s * c over arrays that no cache holds; 3 arrays' bytes each time (the line
 * fetched before it is written is not counted). */
struct ceiling ceiling_memory(int threads);

/* The same over arrays that lie in the cache of a level, each thread its own (1, 2) or
 * all together (3). */
struct ceiling ceiling_cache(int level, int threads);

/* ns of a parallel region that does nothing, and of a barrier within one. */
struct ceiling ceiling_region(int threads);
struct ceiling ceiling_barrier(int threads);

/* Bytes a second to a new file in a folder, until it is on the disk, and from it, where
 * the system lets go of what it keeps in memory. The file is removed. */
struct ceiling ceiling_disk_write(const char *folder);
struct ceiling ceiling_disk_read(const char *folder);

/* Of the repetitions in v (n > 0) the figures; begin_ns and cpu_begin_ns are of when the
 * first began. is_cost: the least is the best. */
void ceiling_summarize(struct ceiling *c, const double *v, bool is_cost, int64_t begin_ns,
                       int64_t cpu_begin_ns);

/* The size of each of the three arrays, of these caches and so much free memory (bytes);
 * 0: too little memory to measure beyond the caches. */
size_t ceiling_array_bytes(size_t level2, size_t last_level, double available);

#endif
