/*
 * Windows of a text as (B, T) inputs and targets. Which windows a step gets is a pure
 * function of (seed, step, rank): nothing is stored, so that a resumed run sees what an
 * uninterrupted one sees, and n ranks together see what one rank sees.
 *
 * Training: the text is cut into whole windows of T from an offset that each epoch draws,
 * and each epoch visits them in an order of its own, each once.
 *
 * Validation: window i begins at i * (T - min_context); targets at t >= min_context are
 * scored, and so each character from min_context + 1 on is scored once. (The last ones,
 * too few for a window, are not.)
 *
 * A batch of `batch` rows is of all ranks together; rank r of n holds rows
 * r * batch / n … of it. Filling allocates nothing.
 */
#ifndef GAIT_DATA_LOADER_H
#define GAIT_DATA_LOADER_H

#include "base/status.h"
#include "data/dataset.h"

#include <stdint.h>

struct loader_options {
    int64_t batch;   /* rows of all ranks together; a multiple of ranks */
    int64_t context; /* T */
    uint64_t seed;
    int rank, ranks;
    int64_t min_context; /* validation only: 0 … T - 1 */
};

struct loader {
    struct token_range text;
    struct loader_options o;
    int64_t rows;    /* B: of this rank, batch / ranks */
    int64_t offsets; /* begins that an epoch chooses from */
    int64_t windows; /* training windows an epoch */
    int64_t validation_windows;
};

/* A text shorter than T + 1, a batch that the ranks cannot share equally and a
 * min_context of T or more are errors. Nothing to release; the text must outlive it. */
enum status loader_init(struct loader *l, struct token_range text,
                        const struct loader_options *o, struct err *err);

/* The training batch of a step, 0 the first: targets[b][t] is the character after
 * inputs[b][t]. */
void loader_train(const struct loader *l, int64_t step, int32_t *inputs, /* (B, T) */
                  int32_t *targets);                                     /* (B, T) */

/* Validation batches of all ranks together; the last may be short. */
int64_t loader_validation_batches(const struct loader *l);

/* Validation batch `index`. Returns how many leading rows count, 0 … B; the other rows
 * repeat the first window, so that all hold valid tokens. Score t >= min_context. */
int64_t loader_validation(const struct loader *l, int64_t index,
                          int32_t *inputs,   /* (B, T) */
                          int32_t *targets); /* (B, T) */

#endif
