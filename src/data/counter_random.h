/*
 * Random numbers without a state: a number is a pure function of a seed and a place
 * (Philox4x32-10). Two uses of one seed never meet as long as their streams differ.
 */
#ifndef GAIT_DATA_COUNTER_RANDOM_H
#define GAIT_DATA_COUNTER_RANDOM_H

#include <stdint.h>

/* Who draws. Each has its own stream, so that no two uses of a seed share numbers. */
enum random_stream {
    RANDOM_STREAM_GRAMMAR = 1,
    RANDOM_STREAM_WINDOW_OFFSET = 2,
    RANDOM_STREAM_WINDOW_ORDER = 3,
    RANDOM_STREAM_PICK = 16, /* a token while generating */
};

/* The number of draw `draw` at place `index` of a stream: 64 uniform bits. */
uint64_t random_at(uint64_t seed, enum random_stream stream, uint64_t index,
                   uint32_t draw);

/* Uniform in 0 … n - 1 for n > 0, from 64 uniform bits; off by less than n / 2^64. */
uint64_t random_below(uint64_t bits, uint64_t n);

/* The image of i under a permutation of 0 … n - 1 that (seed, stream, round) chooses.
 * Nothing is stored: a Feistel network over the next power of four, walked until the
 * image lies below n (fewer than 4 times on average). */
uint64_t random_permute(uint64_t seed, enum random_stream stream, uint64_t round,
                        uint64_t i, uint64_t n);

#endif
