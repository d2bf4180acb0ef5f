/* Private to machine: loops that do nothing but f32 multiply-adds in registers, in the
 * widest form that this CPU has. */
#ifndef GAIT_MACHINE_FMA_LOOPS_H
#define GAIT_MACHINE_FMA_LOOPS_H

#include <stdint.h>

struct fma_loop {
    const char *name;                 /* "avx512f FMA", … */
    int flop;                         /* of one iteration */
    float (*run)(int64_t iterations); /* returns 1 unless it was not computed */
};

struct fma_loop fma_loop_best(void);

#endif
