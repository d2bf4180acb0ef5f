/*
 * Two trainers that are timed in turns, a block of steps of one and a block of the other.
 *
 * Two equal trainers can differ by a part of a percent as long as they live: by where
 * their memory happens to lie. So both are reopened again and again, after some tenths of
 * a second where that is cheap.
 */
#ifndef GAIT_VERIFY_TIMED_PAIR_H
#define GAIT_VERIFY_TIMED_PAIR_H

#include "verify/trainer_pair.h"

enum { TIMED_BLOCK_MAX = 50 }; /* steps */

struct timed_pair {
    struct trainer_pair pair;
    int64_t next[2]; /* step */
    int64_t block;   /* steps of one; timed_pair_size() */
    int64_t blocks;  /* since the opening */
    int64_t data_ns[2], wall_ns[2];
    /* Since when it is timed; what opening and the steps before that took. */
    int64_t timed_from_ns, opening_ns;
};

/* The caller calls timed_pair_close(), after a failure too. *p must not move. */
enum status timed_pair_open(struct timed_pair *p, const struct config *before,
                            const struct config *after, struct err *err);
void timed_pair_close(struct timed_pair *p, enum status status);

/* Untimed steps of both; how many make a block that can be timed. */
enum status timed_pair_size(struct timed_pair *p, struct err *err);

/* A block of one side, and what a step of it took: the median, so that a step in which
 * another program ran does not count for the whole block. `block` of an ab_subject whose
 * context is a struct timed_pair. */
enum status timed_pair_block(void *context, int side, double *step_ns, struct err *err);

#endif
