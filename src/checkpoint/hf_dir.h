/*
 * A Hugging Face directory with a GPT-2 or Llama model: config.json and its weights, in
 * one file or in shards, as F32, F16, BF16 or F64. Names are taken with or without the
 * family's prefix, known buffers are passed over, a tied head that stands there too must
 * equal the embedding; a tensor that is missing, extra or of another shape is named.
 *
 * Legal order: hf_open, hf_load, hf_close.
 */
#ifndef GAIT_CHECKPOINT_HF_DIR_H
#define GAIT_CHECKPOINT_HF_DIR_H

#include "checkpoint/checkpoint.h"
#include "checkpoint/hf_config.h"
#include "checkpoint/hf_index.h"
#include "checkpoint/hf_layout.h"
#include "checkpoint/tensor_source.h"

struct hf_dir {
    char *path;
    struct model_shape shape;
    struct hf_special_tokens special;
    struct hf_layout layout;
    struct hf_index index;
    struct tensor_source *source; /* (layout.n) */
};

/* Does the folder hold a config.json? */
bool hf_is_dir(const char *path);
/* On OK the caller calls hf_close(). */
enum status hf_open(struct hf_dir *d, const char *path, struct err *err);
void hf_close(struct hf_dir *d);

/* Load these tensors, given by Gait's names and shapes; all are checked before the first
 * put. Needs memory for the largest of GPT-2's linears, twice. */
enum status hf_load(const struct hf_dir *d, const struct checkpoint_tensor *tensor,
                    size_t n, struct err *err);

#endif
