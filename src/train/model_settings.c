#include "train/model_settings.h"

#include <string.h>

/* Llama's MLP is two thirds of four widths, so that its three matrices cost what two of
 * four widths would; rounded up to whole vectors. */
static int64_t llama_hidden(int64_t width)
{
    const int64_t multiple = 64;
    int64_t hidden = (8 * width + 2) / 3;
    return (hidden + multiple - 1) / multiple * multiple;
}

struct model_shape shape_of_settings(const struct config *c, int64_t vocab)
{
    bool llama = !strcmp(c->model, "llama");
    bool tied = !strcmp(c->tied_head, "auto") ? !llama : !strcmp(c->tied_head, "true");
    int64_t usual = llama ? llama_hidden(c->width) : 4 * c->width;
    return (struct model_shape){
        .family = llama ? MODEL_FAMILY_LLAMA : MODEL_FAMILY_GPT2,
        .layers = c->layers,
        .heads = c->heads,
        .kv_heads = c->kv_heads ? c->kv_heads : c->heads,
        .width = c->width,
        .hidden = c->hidden ? c->hidden : usual,
        .context = c->context,
        .vocab = vocab,
        .bias = c->bias && !llama,
        .tied = tied,
        .norm_epsilon = c->norm_epsilon,
        .rope_theta = c->rope_theta,
        .rope_scaling = {.on = llama && !strcmp(c->rope_scaling, "llama3"),
                         .factor = c->rope_factor,
                         .low_freq_factor = c->rope_low_freq_factor,
                         .high_freq_factor = c->rope_high_freq_factor,
                         .original_context = c->rope_original_context},
    };
}

struct engine_options engine_of_settings(const struct config *c)
{
    return (struct engine_options){c->engine, c->precision, c->attention};
}

struct model_options options_of_settings(const struct config *c, int64_t batch, int rank)
{
    return (struct model_options){.batch = batch,
                                  .recompute = c->recompute,
                                  .unfused_qkv = !c->fused_qkv,
                                  .unfused_gate_up = !c->fused_gate_up,
                                  .dropout = c->dropout,
                                  /* ranks in the upper bits: seeds have 53 */
                                  .dropout_seed = (uint64_t)c->seed ^ (uint64_t)(rank + 1)
                                                                          << 53};
}

struct optimizer optimizer_of_settings(const struct config *c)
{
    return (struct optimizer){.kind = !strcmp(c->optimizer, "sgd") ? OPTIMIZER_SGD
                                                                   : OPTIMIZER_ADAMW,
                              .beta1 = c->beta1,
                              .beta2 = c->beta2,
                              .epsilon = c->adam_epsilon,
                              .momentum = c->momentum,
                              .weight_decay = c->weight_decay,
                              .selective = c->top_k > 0};
}

struct schedule schedule_of_settings(const struct config *c, int64_t steps)
{
    enum schedule_kind kind;
    enum decay_shape shape;
    if (!schedule_kind_parse(&kind, c->schedule) ||
        !decay_shape_parse(&shape, c->decay_shape))
        BUG("schedule %s, %s", c->schedule, c->decay_shape);
    return (struct schedule){.peak = c->learning_rate,
                             .minimum = c->min_learning_rate,
                             .warmup_steps = c->warmup_steps,
                             .steps = steps,
                             .kind = kind,
                             .decay_shape = shape,
                             .decay_fraction = c->decay_fraction};
}
