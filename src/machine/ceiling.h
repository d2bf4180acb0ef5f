/*
 * Measured ceilings: the most that this machine did in short repetitions. Rates are of
 * all threads together.
 */
#ifndef GAIT_MACHINE_CEILING_H
#define GAIT_MACHINE_CEILING_H

#include <stddef.h>

enum { CEILING_REPETITIONS_MAX = 15 };

struct ceiling {
    double best_per_s, median_per_s; /* flop or bytes */
    int repetitions;                 /* 0: could not be measured */
    int threads;                     /* that really took part */
    double cpu_frac; /* CPU time that the threads got of what they asked for: well below 1
                        on a machine that was busy otherwise */
    size_t array_bytes; /* memory only: of each of three arrays */
    const char *how;    /* the instructions, or why there is no figure */
};

/* f32 multiply-adds in registers, 2 flop each. */
struct ceiling ceiling_f32_flop(int threads);
/* bf16 products in AMX tiles; no repetitions where there are none. */
struct ceiling ceiling_bf16_flop(int threads);
/* a = b + s * c over arrays that no cache holds; 3 arrays' bytes each time (the line
 * fetched before it is written is not counted). */
struct ceiling ceiling_memory(int threads);

/* The size of each of the three arrays, of these caches and so much free memory (bytes);
 * 0: too little memory to measure beyond the caches. */
size_t ceiling_array_bytes(size_t level2, size_t last_level, double available);

#endif
