/*
 * The tensors of a model, as Gait and as Hugging Face know them. Names differ by a prefix
 * (transformer., model.); GPT-2's four linears of a block are Conv1D there, whose weights
 * are stored (inputs, outputs), transposed. GPT-2 always has biases there: a model
 * without writes zeros.
 *
 * To add a family: a list of parameters in hf_layout.c and its line in families[].
 */
#ifndef GAIT_CHECKPOINT_HF_LAYOUT_H
#define GAIT_CHECKPOINT_HF_LAYOUT_H

#include "model/shape.h"

#include <stddef.h>

enum { HF_NAME_MAX = 72 };

struct hf_tensor {
    char hf_name[HF_NAME_MAX]; /* with the prefix */
    const char *name;          /* Gait's: a part of hf_name */
    int dims;                  /* 1 or 2 */
    int64_t shape[2];          /* Gait's: (outputs, inputs) */
    bool transposed;           /* stored (inputs, outputs) there */
    bool only_there;           /* a bias that Gait's model does not have: zeros */
};

struct hf_layout {
    struct hf_tensor *tensor; /* (n) in the order of the forward pass */
    size_t n, cap;
};

/* The shape has passed shape_check(). */
void hf_layout_init(struct hf_layout *l, const struct model_shape *shape);
void hf_layout_release(struct hf_layout *l);
/* NULL where the model has no such tensor. */
const struct hf_tensor *hf_layout_find(const struct hf_layout *l, const char *name);

/* Numbers of a tensor. */
int64_t hf_tensor_numbers(const struct hf_tensor *t);
/* Its shape in files of Hugging Face. */
void hf_tensor_file_shape(const struct hf_tensor *t, uint64_t shape[2]);

/* A tensor's name without the family's prefix. */
const char *hf_plain_name(enum model_family family, const char *hf_name);
/* A buffer that older files hold beside the weights and that follows from the shape. */
bool hf_is_buffer(const char *plain_name);
/* The token embedding, which a tied head shares, and the head. */
const char *hf_embedding_name(enum model_family family);
extern const char hf_head_name[];

#endif
