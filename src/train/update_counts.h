/*
 * How often each tensor was updated (optimizer.h), as the text that a checkpoint keeps
 * under position "updates": "<parameter> <count>" by commas. Text, because the counts are
 * integers and the checkpoint's tensors are f32; by name, because that is how it keeps
 * tensors.
 */
#ifndef GAIT_TRAIN_UPDATE_COUNTS_H
#define GAIT_TRAIN_UPDATE_COUNTS_H

#include "base/strbuf.h"
#include "checkpoint/checkpoint.h"
#include "engine/param_table.h"
#include "optim/optimizer.h"

#define UPDATE_COUNTS_KEY "updates"

void update_counts_print(struct strbuf *out, const struct optimizer *o,
                         const struct param_table *params);
/* Counts of a checkpoint with `top_k`, or its steps where it updated all tensors in each.
 * A checkpoint with counts cannot go on without: t would be too large for most tensors.
 */
enum status update_counts_load(struct optimizer *o, const struct param_table *params,
                               const struct checkpoint *c, struct err *err);

#endif
