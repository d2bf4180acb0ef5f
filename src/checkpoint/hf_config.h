/*
 * config.json of a Hugging Face directory, as versions 4 and 5 of transformers write it:
 * rope_theta and rope_scaling, or both in rope_parameters. What Gait's models do not do
 * is refused by name rather than dropped.
 */
#ifndef GAIT_CHECKPOINT_HF_CONFIG_H
#define GAIT_CHECKPOINT_HF_CONFIG_H

#include "base/json_read.h"
#include "base/strbuf.h"
#include "checkpoint/safetensors.h"
#include "model/shape.h"

/* What a config says beside the shape; -1: nothing. */
struct hf_special_tokens {
    int64_t bos, eos; /* ids that begin and end a text */
};

/* The shape of the model that a config describes. special may be NULL. */
enum status hf_config_read(struct model_shape *shape, struct hf_special_tokens *special,
                           const struct json *config, struct err *err);
/* The same from text, as a file holds it. */
enum status hf_config_parse(struct model_shape *shape, struct hf_special_tokens *special,
                            const char *text, size_t len, struct err *err);

/* A config for weights of this dtype, which old and new versions of transformers read. */
void hf_config_write(struct strbuf *out, const struct model_shape *shape,
                     const struct hf_special_tokens *special,
                     enum safetensors_dtype dtype);

#endif
