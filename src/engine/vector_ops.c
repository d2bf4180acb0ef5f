#include "engine/vector_ops.h"

#include "engine/product_kernel.h"
#include "machine/cpu.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
bool vector_ops_are_there(void)
{
    return kernel_avx512.is_there();
}

bool vector_ops_native_are_there(void)
{
    return vector_ops_are_there() && cpu_isa().avx512_bf16;
}

void vector_ops_put(struct engine_ops *ops, bool bf16)
{
    if (!product_kernel_is_allowed(&kernel_avx512))
        return;
    if (!bf16)
        vector_ops_put_f32(ops);
    else if (vector_ops_native_are_there())
        vector_ops_put_bf16_native(ops);
    else
        vector_ops_put_bf16(ops);
}
#else
bool vector_ops_are_there(void)
{
    return false;
}

bool vector_ops_native_are_there(void)
{
    return false;
}

void vector_ops_put(struct engine_ops *ops, bool bf16)
{
    (void)ops, (void)bf16;
}
#endif
