/* f32 by AVX-512: 24 of 32 registers hold sums. */
#include "engine/product_kernel.h"
#include "machine/cpu.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")

#define KERNEL kernel_avx512
#define NAME "avx512"
#define VECTOR __m512
#define MM(intrinsic) _mm512_##intrinsic
#define LANES 16
enum { ROWS = 8, VECTORS = 3, A_STEPS = 2 /* of depth, in a cache line of A */ };

static bool is_there(void)
{
    return cpu_isa().avx512f && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

#include "engine/kernel_fma.h"

#else
static bool is_there(void)
{
    return false;
}

const struct product_kernel kernel_avx512 = {.name = "avx512", .is_there = is_there};
#endif
