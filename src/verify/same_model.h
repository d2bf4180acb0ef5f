/*
 * Are two trainers the same model? Both take the same steps from the same weights on the
 * same data; compared are the logits of a validation batch, every parameter's gradient,
 * every parameter's movement, and the losses. The loss alone proves little: a layer that
 * does not learn hardly shows in it.
 */
#ifndef GAIT_VERIFY_SAME_MODEL_H
#define GAIT_VERIFY_SAME_MODEL_H

#include "train/trainer.h"

enum { SAME_NAME_MAX = PARAM_NAME_MAX };

/* Differences as parts of the first one's size: the norm of the difference over the norm.
 * Where the first is zero and the second is not, infinite. */
struct same_worst {
    double error;             /* of the worst */
    char name[SAME_NAME_MAX]; /* of that parameter; "" where there is none */
};

struct same_model {
    char not_comparable[160]; /* why, or "" */
    bool other_weights;       /* they began differently; the second got the first's */
    int64_t steps;            /* that both took */
    size_t parameters;        /* named ones */
    double logits; /* error of all logits of one validation batch, no dropout */
    struct same_worst gradient; /* of the first step */
    struct same_worst movement; /* over all steps, of the numbers whose gradient tells */
    size_t untold;     /* parameters of which no number has a gradient that tells */
    double loss;       /* largest difference, nats */
    int64_t loss_step; /* where */
};

/* Both are open and have taken no step. Uses up `steps` steps of both. */
enum status same_model_compare(struct same_model *out, struct trainer *before,
                               struct trainer *after, int64_t steps, struct err *err);

#endif
