/* vector_ops.h for f32. */
#include "engine/vector_ops.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")
#define HALF 0
#define PUT vector_ops_put_f32
#include "engine/vector_ops_avx512.h"
#else
void vector_ops_put_f32(struct engine_ops *ops)
{
    (void)ops;
}
#endif
