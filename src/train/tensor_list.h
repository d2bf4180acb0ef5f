/* A training's weights and moments as a checkpoint sees them: names, shapes, and how to
 * read and write their numbers where they lie. */
#ifndef GAIT_TRAIN_TENSOR_LIST_H
#define GAIT_TRAIN_TENSOR_LIST_H

#include "checkpoint/checkpoint.h"
#include "model/model.h"
#include "optim/optimizer.h"

struct tensor_place;

struct tensor_list {
    struct checkpoint_tensor *weights; /* (n_weights) */
    size_t n_weights;
    struct checkpoint_tensor *moments; /* (n_moments) */
    size_t n_moments;
    struct tensor_place *places;
};

/* o may be NULL: no moments then. Store, moments and table must outlive the list. */
void tensor_list_init(struct tensor_list *l, const struct param_table *table,
                      struct param_store *store, const struct optimizer *o);
void tensor_list_release(struct tensor_list *l);

#endif
