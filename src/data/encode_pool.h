/*
 * Texts to tokens on several threads, in order: one side hands out chunks, the other
 * takes their tokens in the same order, and neither sees a thread. The result is the same
 * for any number of threads; memory is bounded by a few chunks for each.
 */
#ifndef GAIT_DATA_ENCODE_POOL_H
#define GAIT_DATA_ENCODE_POOL_H

#include "base/status.h"
#include "data/tokenizer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a text that may be encoded alone (tokenizer_may_cut()). */
struct text_chunk {
    const char *text; /* (len) stands until the chunk has been put */
    size_t len;
    void *owned;      /* freed with mem_free() then; may be NULL */
    const char *path; /* for messages; may be NULL */
    uint64_t at;      /* where in path it begins */
    bool last;        /* of its document */
};

struct encode_job {
    const struct tokenizer *tokenizer;
    int threads; /* 1: everything in the calling thread */
    /* Both are called in the calling thread only. get sets *end when there is no more
     * chunk; put gets each chunk with its tokens, in the order of get. */
    enum status (*get)(void *context, struct text_chunk *chunk, bool *end,
                       struct err *err);
    enum status (*put)(void *context, const struct text_chunk *chunk,
                       const struct token_list *tokens, struct err *err);
    void *context;
};

/* The first failure in the order of the texts ends it. */
enum status encode_pool_run(const struct encode_job *job, struct err *err);

#endif
