#include "data/counter_random.h"

#include <Random123/philox.h>

uint64_t random_at(uint64_t seed, enum random_stream stream, uint64_t index,
                   uint32_t draw)
{
    philox4x32_ctr_t place = {
        {(uint32_t)index, (uint32_t)(index >> 32), draw, (uint32_t)stream}};
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t bits = philox4x32(place, key);
    return (uint64_t)bits.v[1] << 32 | bits.v[0];
}

uint64_t random_below(uint64_t bits, uint64_t n)
{
    return (uint64_t)((unsigned __int128)bits * n >> 64);
}

enum { FEISTEL_ROUNDS = 6 };

uint64_t random_permute(uint64_t seed, enum random_stream stream, uint64_t round,
                        uint64_t i, uint64_t n)
{
    int half = 1; /* bits of each half */
    while (half < 32 && n > (uint64_t)1 << (2 * half))
        half++;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint32_t k = 0; k < FEISTEL_ROUNDS; k++) {
            uint32_t draw = (uint32_t)(round * FEISTEL_ROUNDS) + k;
            uint64_t mixed = left ^ (random_at(seed, stream, right, draw) & mask);
            left = right;
            right = mixed;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}
