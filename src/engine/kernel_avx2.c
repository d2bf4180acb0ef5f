/* f32 by AVX2: 12 of 16 registers hold sums. */
#include "engine/product_kernel.h"
#include "machine/cpu.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx2,fma")

#define KERNEL kernel_avx2
#define NAME "avx2"
#define VECTOR __m256
#define MM(intrinsic) _mm256_##intrinsic
#define LANES 8
enum { ROWS = 6, VECTORS = 2, A_STEPS = 2 /* of depth, in a cache line of A */ };

static bool is_there(void)
{
    return cpu_isa().avx2 && cpu_isa().fma;
}

#include "engine/kernel_fma.h"

#else
static bool is_there(void)
{
    return false;
}

const struct product_kernel kernel_avx2 = {.name = "avx2", .is_there = is_there};
#endif
