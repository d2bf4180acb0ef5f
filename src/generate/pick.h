/*
 * From the logits of one position to a token. The steps are those of Hugging Face's
 * generate(), in its order:
 *
 *   repetition_penalty   of every token seen so far, once: a logit above 0 is divided by
 *                        it, one below is multiplied
 *   temperature          divides all; 0 takes the largest (of equals the first) and skips
 *                        what follows
 *   top_k                the k largest stay, and all that equal the k-th
 *   top_p                the largest stay until they have probability top_p together; of
 *                        equals the first are taken first
 *   min_p                what has less than min_p times the largest's probability goes
 *
 * then one draw among what stays. The draw is a pure function of (seed, sequence,
 * position): it does not depend on batch, threads or what other sequences do. Computed in
 * double. A logit that is NaN or -inf is never taken; where some are +inf only these are.
 */
#ifndef GAIT_GENERATE_PICK_H
#define GAIT_GENERATE_PICK_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct pick_options {
    double repetition_penalty; /* above 0; 1 = off */
    double temperature;        /* at least 0 */
    int64_t top_k;             /* 0 = off */
    double top_p;              /* 0 … 1; 1 = off */
    double min_p;              /* 0 … 1; 0 = off */
    uint64_t seed;
};

#define PICK_OPTIONS_INIT                                                                \
    {                                                                                    \
        .repetition_penalty = 1, .temperature = 1, .top_p = 1                            \
    }

/* OK, or what is wrong with them and what is allowed. The functions below want it OK. */
enum status pick_check(const struct pick_options *o, struct err *err);

/* Memory that the caller gives, for one pick at a time. */
struct pick_work {
    int64_t vocab;       /* V */
    double *probability; /* (V) after a pick: of each token, 0 where it went */
    int32_t *heap;       /* (V) tokens not yet ranked, then the ranked ones */
};

size_t pick_work_bytes(int64_t vocab);
/* memory: pick_work_bytes(vocab), aligned for double, not owned. */
void pick_work_init(struct pick_work *w, void *memory, int64_t vocab);

/* Fill w->probability from logits (V) and seen (n_seen), of which ids outside 0 … V - 1
 * are ignored. Returns how many tokens stay; 0 where no logit can be taken. */
int64_t pick_distribution(struct pick_work *w, const struct pick_options *o,
                          const float *logits, const int32_t *seen, size_t n_seen);
/* The distribution and a draw from it; -1 where no logit can be taken. */
int64_t pick_token(struct pick_work *w, const struct pick_options *o, const float *logits,
                   const int32_t *seen, size_t n_seen, uint64_t sequence,
                   uint32_t position);

#endif
