/*
 * Weights to begin from or to use, wherever they come from: a checkpoint of Gait's or a
 * Hugging Face folder.
 *
 * Legal order: weights_open, weights_load, weights_close. A zeroed one may be closed.
 */
#ifndef GAIT_CHECKPOINT_WEIGHTS_SOURCE_H
#define GAIT_CHECKPOINT_WEIGHTS_SOURCE_H

#include "checkpoint/hf_dir.h"

struct weights_source {
    struct model_shape shape;
    char *folder; /* that was found: a step's folder, or the Hugging Face one */
    char
        *tokenizer; /* path of a tokenizer.json or of a folder with vocab.json; or NULL */
    int64_t begin_token, end_token; /* of a text, as the folder says; -1: it does not */
    bool is_open;
    bool is_hf;
    struct checkpoint checkpoint; /* one of the two */
    struct hf_dir hf;
};

/* path: a step's folder, a folder of checkpoints (its latest), or a Hugging Face folder.
 * On OK the caller calls weights_close(). */
enum status weights_open(struct weights_source *w, const char *path, struct err *err);
void weights_close(struct weights_source *w);
/* All tensors of the model, by their canonical names. */
enum status weights_load(const struct weights_source *w,
                         const struct checkpoint_tensor *tensor, size_t n,
                         struct err *err);

#endif
