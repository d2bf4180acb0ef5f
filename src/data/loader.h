/*
 * Windows of a text as (B, T) inputs and targets. Which windows a position gets is a pure
 * function of (seed, position, rank): nothing is stored, so that a resumed run sees what
 * an uninterrupted one sees, and n ranks together see what one rank sees. Positions count
 * micro-batches from 0; row b of position p (of all ranks) is sample p * batch + b.
 *
 * Training, shuffled: the text is cut into whole windows of T from an offset that each
 * epoch draws, and each epoch visits them in an order of its own, each once: a
 * permutation that is computed, not stored (counter_random.h).
 *
 * Training, in order: sample w is window w of the text, tokens w * T … w * T + T, and the
 * text begins anew behind its last whole window.
 *
 * Validation: window i begins at i * (T - min_context); targets at t >= min_context are
 * scored, and so each token from min_context + 1 on is scored once. (The last ones, too
 * few for a window, are not.)
 *
 * A batch of `batch` rows is of all ranks together; rank r of n holds rows
 * r * batch / n … of it. Filling allocates nothing.
 */
#ifndef GAIT_DATA_LOADER_H
#define GAIT_DATA_LOADER_H

#include "base/status.h"
#include "data/token_range.h"

#include <stdbool.h>
#include <stdint.h>

struct loader_options {
    int64_t batch;   /* rows of all ranks together; a multiple of ranks */
    int64_t context; /* T */
    uint64_t seed;
    int rank, ranks;
    int64_t min_context; /* validation only: 0 … T - 1 */
    bool shuffle;        /* training only */
    size_t vocabulary;   /* a token of this or more is an error */
};

struct loader {
    struct token_range text; /* shared with the data set */
    struct loader_options o;
    int64_t rows;    /* B: of this rank, batch / ranks */
    int64_t offsets; /* begins that an epoch chooses from; 1 in order */
    int64_t windows; /* training windows an epoch */
    int64_t validation_windows;
};

/* A text shorter than T + 1, a batch that the ranks cannot share equally and a
 * min_context of T or more are errors. Nothing to release; the text must outlive it. */
enum status loader_init(struct loader *l, const struct token_range *text,
                        const struct loader_options *o, struct err *err);

/* The training batch of a position: targets[b][t] is the token after inputs[b][t]. Fails
 * only where a file holds a token that the vocabulary does not have. */
enum status loader_train(const struct loader *l, int64_t position,
                         int32_t *inputs,  /* (B, T) */
                         int32_t *targets, /* (B, T) */
                         struct err *err);
/* The same without a span in the recording (probe.h), for threads that have no lane. */
enum status loader_fill(const struct loader *l, int64_t position, int32_t *inputs,
                        int32_t *targets, struct err *err);

/* Epochs, 0 the first: that of a position's first row; how many are behind a position,
 * with fractions; and the positions after which n epochs have been seen whole. */
int64_t loader_epoch(const struct loader *l, int64_t position);
double loader_epochs_behind(const struct loader *l, int64_t position);
int64_t loader_positions(const struct loader *l, int64_t epochs);

/* Validation batches of all ranks together; the last may be short. */
int64_t loader_validation_batches(const struct loader *l);

/* Validation batch `index`. *counted is how many leading rows count, 0 … B; the other
 * rows repeat the first window, so that all hold valid tokens. Score t >= min_context. */
enum status loader_validation(const struct loader *l, int64_t index, int64_t *counted,
                              int32_t *inputs,  /* (B, T) */
                              int32_t *targets, /* (B, T) */
                              struct err *err);

#endif
