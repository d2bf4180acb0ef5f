/*
 * A model as a Hugging Face directory: config.json, model.safetensors or shards with
 * their index, and the tokenizer where it is one of theirs. The directory appears whole
 * or not at all. Tensors are streamed; only a transposed one is in memory as a whole.
 */
#ifndef GAIT_CHECKPOINT_HF_EXPORT_H
#define GAIT_CHECKPOINT_HF_EXPORT_H

#include "checkpoint/safetensors.h"
#include "model/shape.h"

struct hf_export_options {
    enum safetensors_dtype dtype; /* F32 or BF16 */
    uint64_t max_shard_bytes;     /* of tensor data; a larger tensor has its own */
    bool force;                   /* replace an export that stands there */
};

struct hf_export_result {
    struct model_shape shape;
    int64_t parameters; /* in the files */
    uint64_t bytes;     /* of tensor data */
    size_t shards;
    bool has_tokenizer; /* the model came with one … */
    bool tokenizer;     /* … and it is one of theirs and was written too */
};

/* from is a checkpoint, a checkpoint_dir (its latest is meant) or a Hugging Face
 * directory. An `out` that exists and is not empty is refused, unless force is set and it
 * holds an export and nothing else. */
enum status hf_export(const char *from, const char *out,
                      const struct hf_export_options *options,
                      struct hf_export_result *result, struct err *err);

#endif
