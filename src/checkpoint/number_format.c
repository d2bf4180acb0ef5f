#include "checkpoint/number_format.h"

#include <string.h>

bool numbers_can_read(enum safetensors_dtype dtype)
{
    return dtype == SAFETENSORS_DTYPE_F32 || dtype == SAFETENSORS_DTYPE_F16 ||
           dtype == SAFETENSORS_DTYPE_BF16 || dtype == SAFETENSORS_DTYPE_F64;
}

static float from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t to_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Half precision: 5 bits of exponent with bias 15, 10 of fraction. */
static float f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = h >> 10 & 0x1f, fraction = h & 0x3ff;
    if (exponent == 0x1f) /* infinity and NaN */
        return from_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent)
        return from_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13);
    float tiny = (float)fraction * 0x1p-24f; /* zero or subnormal: exact in f32 */
    return from_bits(sign | to_bits(tiny));
}

static uint16_t f32_to_bf16(float f)
{
    uint32_t bits = to_bits(f);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40); /* a NaN stays one */
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void numbers_to_f32(float *out, const void *in, enum safetensors_dtype dtype, size_t n)
{
    const uint16_t *half = in;
    const double *wide = in;
    switch (dtype) {
    case SAFETENSORS_DTYPE_F32:
        memcpy(out, in, n * sizeof *out);
        return;
    case SAFETENSORS_DTYPE_F16:
        for (size_t i = 0; i < n; i++)
            out[i] = f16_to_f32(half[i]);
        return;
    case SAFETENSORS_DTYPE_BF16:
        for (size_t i = 0; i < n; i++)
            out[i] = from_bits((uint32_t)half[i] << 16);
        return;
    case SAFETENSORS_DTYPE_F64:
        for (size_t i = 0; i < n; i++)
            out[i] = (float)wide[i];
        return;
    default:
        BUG("numbers of dtype %s", safetensors_dtype_text[dtype]);
    }
}

void numbers_from_f32(void *out, enum safetensors_dtype dtype, const float *in, size_t n)
{
    uint16_t *half = out;
    switch (dtype) {
    case SAFETENSORS_DTYPE_F32:
        memcpy(out, in, n * sizeof *in);
        return;
    case SAFETENSORS_DTYPE_BF16:
        for (size_t i = 0; i < n; i++)
            half[i] = f32_to_bf16(in[i]);
        return;
    default:
        BUG("numbers of dtype %s", safetensors_dtype_text[dtype]);
    }
}
