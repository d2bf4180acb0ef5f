/* Private to machine: loops that do nothing but f32 multiply-adds in registers, in the
 * widest form that this CPU has. */
#ifndef GAIT_MACHINE_FMA_LOOPS_H
#define GAIT_MACHINE_FMA_LOOPS_H

#include <stdint.h>

/* E(VALUE, "key", "what") */
#define FMA_INSTRUCTIONS(E)                                                              \
    E(BASELINE, "f32_128bit", "f32, 128-bit multiply and add")                           \
    E(AVX2, "f32_avx2", "f32, avx2 FMA")                                                 \
    E(AVX512, "f32_avx512", "f32, avx512f FMA")                                          \
    E(AVX512_BF16, "bf16_avx512", "bf16, avx512_bf16 dot products")
#define FMA_INSTRUCTIONS_VALUE(v, key, what) FMA_##v,
enum fma_instructions { FMA_INSTRUCTIONS(FMA_INSTRUCTIONS_VALUE) FMA_COUNT };

struct fma_loop {
    const char *name;                 /* "avx512f FMA", … */
    int flop;                         /* of one iteration */
    float (*run)(int64_t iterations); /* returns 1 unless it was not computed */
};

struct fma_loop fma_loop_best(void);
/* Where this CPU has no such instructions, run is NULL and the name says so. */
struct fma_loop fma_loop_of(enum fma_instructions instructions);

#endif
