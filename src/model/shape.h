/* What a model is: the family and the sizes that its settings, its checkpoints and
 * Hugging Face's config.json describe. */
#ifndef GAIT_MODEL_SHAPE_H
#define GAIT_MODEL_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum model_family {
    MODEL_FAMILY_GPT2,  /* LayerNorm, learned positions, GELU (tanh form) */
    MODEL_FAMILY_LLAMA, /* RMSNorm, rotary positions, SwiGLU */
};

/* Llama 3's stretching of rotary frequencies for contexts longer than it was trained on.
 */
struct rope_scaling {
    bool on;
    double factor, low_freq_factor, high_freq_factor;
    int64_t original_context;
};

struct model_shape {
    enum model_family family;
    int64_t layers, heads, width, context, vocab;
    int64_t kv_heads; /* heads of keys and values; divides heads. GPT-2: = heads */
    int64_t hidden;   /* width inside the MLP. GPT-2: 4 * width unless said otherwise */
    bool bias;        /* in linears and norms. Llama: false */
    bool tied;        /* the head is the token embedding */
    double norm_epsilon;
    double rope_theta; /* Llama only */
    struct rope_scaling rope_scaling;
};

#endif
