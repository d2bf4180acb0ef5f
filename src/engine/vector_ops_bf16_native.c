/* vector_ops.h for bf16, rounded by the instruction for it. */
#include "engine/vector_ops.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx2,fma")
#define HALF 1
#define ROUND(low, high) ((__m512i)_mm512_cvtne2ps_pbh(high, low))
#define PUT vector_ops_put_bf16_native
#include "engine/vector_ops_avx512.h"
#else
void vector_ops_put_bf16_native(struct engine_ops *ops)
{
    (void)ops;
}
#endif
