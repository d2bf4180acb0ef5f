/*
 * Pair i of a head turns by position * theta^(-2i/D). Llama 3's scaling slows the pairs
 * whose wave is longer than original_context / low_freq_factor by `factor`, leaves those
 * shorter than original_context / high_freq_factor, and blends between.
 */
#include "model/rope.h"

#include <math.h>

static const double TWO_PI = 6.283185307179586476925;

static float scaled_frequency(float frequency, const struct rope_scaling *s)
{
    if (!s->on)
        return frequency;
    float context = (float)s->original_context;
    float low = (float)s->low_freq_factor, high = (float)s->high_freq_factor;
    float wave = (float)TWO_PI / frequency;
    float slow = frequency / (float)s->factor;
    if (wave < context / high)
        return frequency;
    if (wave > context / low)
        return slow;
    float smooth = (context / wave - low) / (high - low);
    return (1 - smooth) * slow + smooth * frequency;
}

void rope_fill(real *cosine, real *sine, const struct model_shape *shape)
{
    int64_t D = shape->width / shape->heads, half = D / 2;
    for (int64_t i = 0; i < half; i++) {
        float power = (float)pow(shape->rope_theta, (double)((float)(2 * i) / (float)D));
        float frequency = scaled_frequency(1.0f / power, &shape->rope_scaling);
        for (int64_t t = 0; t < shape->context; t++) {
            float angle = (float)t * frequency;
            cosine[t * half + i] = (real)(float)cos((double)angle);
            sine[t * half + i] = (real)(float)sin((double)angle);
        }
    }
}
