#include "engine/product_kernel.h"

#include <stdlib.h>
#include <string.h>

const struct product_kernel *const product_kernels[PRODUCT_KERNELS] = {
    &kernel_amx, &kernel_avx512, &kernel_avx2, &kernel_plain};

/* How many of the table GAIT_ISA leaves out; PRODUCT_KERNELS: it names none of them. */
static size_t left_out(void)
{
    const char *isa = getenv("GAIT_ISA");
    size_t i = 0;
    while (isa && *isa && i < PRODUCT_KERNELS && strcmp(product_kernels[i]->name, isa))
        i++;
    return i;
}

const char *product_isa_unknown(void)
{
    return left_out() < PRODUCT_KERNELS ? NULL : getenv("GAIT_ISA");
}

bool product_kernel_is_allowed(const struct product_kernel *k)
{
    for (size_t i = left_out(); i < PRODUCT_KERNELS; i++)
        if (product_kernels[i] == k)
            return k->is_there();
    return false;
}

const struct product_kernel *product_kernel_for(bool bf16)
{
    for (size_t i = 0; i < PRODUCT_KERNELS; i++) {
        const struct product_kernel *k = product_kernels[i];
        if ((bf16 || !k->only_bf16) && product_kernel_is_allowed(k))
            return k;
    }
    return &kernel_plain;
}
