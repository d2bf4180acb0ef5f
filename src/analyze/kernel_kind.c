#include "analyze/kernel_kind.h"

#include <stddef.h>
#include <string.h>

#define TEXT(v, text) text,
const char *const attention_kind_text[ATTENTION_KIND_COUNT] = {ATTENTION_KIND_LIST(TEXT)};
const char *const copy_kind_text[COPY_KIND_COUNT] = {COPY_KIND_LIST(TEXT)};

/* A word, in small letters, and what a name with it is. The first that fits wins. */
struct word {
    const char *text;
    int means;
};

static bool has(const char *name, const char *word)
{
    return strcasestr(name, word) != NULL;
}

static int meaning(const struct word *words, size_t n, const char *name, int otherwise)
{
    for (size_t i = 0; i < n; i++)
        if (has(name, words[i].text))
            return words[i].means;
    return otherwise;
}
#define MEANING(words, name, otherwise)                                                  \
    meaning(words, sizeof(words) / sizeof *(words), name, otherwise)

enum kernel_units kernel_units_of(const char *name)
{
    static const struct word words[] = {
        /* parts of a product that multiply nothing */
        {"splitkreduce", KERNEL_UNITS_NONE},
        {"im2col", KERNEL_UNITS_NONE},
        {"nchwtonhwc", KERNEL_UNITS_NONE},
        {"nhwctonchw", KERNEL_UNITS_NONE},
        {"batchnorm", KERNEL_UNITS_NONE},
        {"elementwise", KERNEL_UNITS_NONE},
        {"triton_poi", KERNEL_UNITS_NONE},
        {"triton_red", KERNEL_UNITS_NONE},
        {"triton_per", KERNEL_UNITS_NONE},
        /* CUTLASS's and cuDNN's word for the ordinary units, before xmma */
        {"simt", KERNEL_UNITS_PLAIN},
        /* instructions of tensor cores: mma of 8x8x4, 16x8x8, 16x8x16, warp groups */
        {"tensorop", KERNEL_UNITS_MATRIX},
        {"s884", KERNEL_UNITS_MATRIX},
        {"h884", KERNEL_UNITS_MATRIX},
        {"s1688", KERNEL_UNITS_MATRIX},
        {"h1688", KERNEL_UNITS_MATRIX},
        {"s16816", KERNEL_UNITS_MATRIX},
        {"h16816", KERNEL_UNITS_MATRIX},
        {"i16832", KERNEL_UNITS_MATRIX},
        {"i8816", KERNEL_UNITS_MATRIX},
        {"hmma", KERNEL_UNITS_MATRIX},
        {"wmma", KERNEL_UNITS_MATRIX},
        {"gmma", KERNEL_UNITS_MATRIX},
        {"xmma", KERNEL_UNITS_MATRIX},
        {"warpspecialized", KERNEL_UNITS_MATRIX},
        {"nvjet", KERNEL_UNITS_MATRIX},
        /* AMD: matrix instructions, and their sizes in Tensile's names */
        {"mfma", KERNEL_UNITS_MATRIX},
        {"_xdl", KERNEL_UNITS_MATRIX},
        {"_mi16x16", KERNEL_UNITS_MATRIX},
        {"_mi32x32", KERNEL_UNITS_MATRIX},
        {"_mi4x4", KERNEL_UNITS_MATRIX},
        /* attention that is written for them */
        {"flash_fwd", KERNEL_UNITS_MATRIX},
        {"flash_bwd", KERNEL_UNITS_MATRIX},
        {"fmha", KERNEL_UNITS_MATRIX},
        /* one number at a time */
        {"sgemm", KERNEL_UNITS_PLAIN},
        {"dgemm", KERNEL_UNITS_PLAIN},
        {"cgemm", KERNEL_UNITS_PLAIN},
        {"gemv", KERNEL_UNITS_PLAIN},
        {"gemmsn", KERNEL_UNITS_PLAIN},
        {"scudnn", KERNEL_UNITS_PLAIN},
        {"winograd", KERNEL_UNITS_PLAIN},
        {"dgrad_engine", KERNEL_UNITS_PLAIN},
        {"wgrad_alg", KERNEL_UNITS_PLAIN},
        {"convolve_sgemm", KERNEL_UNITS_PLAIN},
        {"naive_conv", KERNEL_UNITS_PLAIN},
        {"gemm", KERNEL_UNITS_UNKNOWN},
        {"cijk_", KERNEL_UNITS_UNKNOWN},
        {"cutlass", KERNEL_UNITS_UNKNOWN},
        {"convolve", KERNEL_UNITS_UNKNOWN},
        {"_conv_", KERNEL_UNITS_UNKNOWN},
        {"igemm", KERNEL_UNITS_UNKNOWN},
        {"triton_tem", KERNEL_UNITS_UNKNOWN},
        {"attn_fwd", KERNEL_UNITS_UNKNOWN},
        {"attn_bwd", KERNEL_UNITS_UNKNOWN},
        {"sdpa", KERNEL_UNITS_UNKNOWN},
    };
    return (enum kernel_units)MEANING(words, name, KERNEL_UNITS_NONE);
}

enum precision kernel_precision_of(const char *name)
{
    static const struct word words[] = {
        {"e4m3", PRECISION_F8},
        {"e5m2", PRECISION_F8},
        {"fp8", PRECISION_F8},
        {"bf16", PRECISION_BF16},
        {"bfloat16", PRECISION_BF16},
        {"_bbs_", PRECISION_BF16}, /* Tensile: b is bf16, h f16, s f32 */
        {"_b_bs_", PRECISION_BF16},
        {"tf32", PRECISION_TF32},
        {"_f16", PRECISION_F16},
        {"f16f16", PRECISION_F16},
        {"fp16", PRECISION_F16},
        {"half_t", PRECISION_F16},
        {"s884", PRECISION_F16},
        {"h884", PRECISION_F16},
        {"h1688", PRECISION_F16},
        {"16816", PRECISION_F16},
        {"_hhs_", PRECISION_F16},
        {"_h_hs_", PRECISION_F16},
        {"s1688", PRECISION_TF32}, /* without any of the above */
        {"sgemm", PRECISION_F32},
        {"scudnn", PRECISION_F32},
        {"dgemm", PRECISION_F64},
    };
    if (kernel_units_of(name) == KERNEL_UNITS_NONE)
        return PRECISION_UNKNOWN;
    return (enum precision)MEANING(words, name, PRECISION_UNKNOWN);
}

int kernel_attention_kind(const char *kernel)
{
    static const struct word words[] = {
        {"cudnn_generated_fort_native_sdpa", ATTENTION_KIND_CUDNN},
        {"sdpa_sm", ATTENTION_KIND_CUDNN},
        {"fmha_cutlass", ATTENTION_KIND_EFFICIENT},
        {"flash_fwd", ATTENTION_KIND_FLASH},
        {"flash_bwd", ATTENTION_KIND_FLASH},
        {"flashattn", ATTENTION_KIND_FLASH},
        {"fmha", ATTENTION_KIND_FLASH},     /* composable kernel's, and TensorRT's */
        {"attn_fwd", ATTENTION_KIND_FLASH}, /* AOTriton */
        {"attn_bwd", ATTENTION_KIND_FLASH},
    };
    return MEANING(words, kernel, -1);
}

/* Operators that do it, not those that choose among them. */
int op_attention_kind(const char *op)
{
    static const struct word words[] = {
        {"aten::_flash_attention_", ATTENTION_KIND_FLASH},
        {"flash_attention_for_cpu", ATTENTION_KIND_FLASH},
        {"flash_attn::_flash_attn_", ATTENTION_KIND_FLASH},
        {"aten::_efficient_attention_", ATTENTION_KIND_EFFICIENT},
        {"_scaled_dot_product_cudnn_attention", ATTENTION_KIND_CUDNN},
        {"aten::_scaled_dot_product_attention_math", ATTENTION_KIND_PLAIN},
    };
    return MEANING(words, op, -1);
}

enum copy_kind copy_kind_of(const char *name)
{
    static const struct word words[] = {
        {"(pageable -> device", COPY_KIND_PAGEABLE_TO_DEVICE},
        {"(pinned -> device", COPY_KIND_PINNED_TO_DEVICE},
        {"(device -> pageable", COPY_KIND_DEVICE_TO_PAGEABLE},
        {"(device -> pinned", COPY_KIND_DEVICE_TO_PINNED},
        {"htod", COPY_KIND_HOST_TO_DEVICE},
        {"hosttodevice", COPY_KIND_HOST_TO_DEVICE},
        {"dtoh", COPY_KIND_DEVICE_TO_HOST},
        {"devicetohost", COPY_KIND_DEVICE_TO_HOST},
        {"ptop", COPY_KIND_PEER_TO_PEER},
        {"dtod", COPY_KIND_DEVICE_TO_DEVICE},
        {"devicetodevice", COPY_KIND_DEVICE_TO_DEVICE},
    };
    return (enum copy_kind)MEANING(words, name, COPY_KIND_OTHER);
}
