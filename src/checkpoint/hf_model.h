/* A model to export, wherever it comes from. */
#ifndef GAIT_CHECKPOINT_HF_MODEL_H
#define GAIT_CHECKPOINT_HF_MODEL_H

#include "checkpoint/hf_dir.h"

struct hf_model {
    struct model_shape shape;
    struct hf_special_tokens special;
    const struct hf_layout *layout;
    const struct tensor_source *source; /* (layout->n) */
    char *tokenizer;                    /* path of its tokenizer.json, or NULL */
    const char *copied_from;            /* a Hugging Face directory, else NULL */

    /* where it lies: one of the two */
    struct hf_dir dir;
    struct checkpoint checkpoint;
    struct hf_layout own_layout;
    struct tensor_source *own_source;
};

/* Open a checkpoint, a checkpoint_dir or a Hugging Face directory; a checkpoint's weights
 * are compared with their hashes. On OK the caller calls hf_model_close(); the model must
 * not move. */
enum status hf_model_open(struct hf_model *m, const char *from, struct err *err);
void hf_model_close(struct hf_model *m);

#endif
