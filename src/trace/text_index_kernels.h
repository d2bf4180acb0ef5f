/* The kernels of text_index.h, private to it and its tests. */
#ifndef GAIT_TRACE_TEXT_INDEX_KERNELS_H
#define GAIT_TRACE_TEXT_INDEX_KERNELS_H

#include "trace/text_index.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define GAIT_INDEX_X86 1
index_kernel index_avx512, index_avx2;
#endif
index_kernel index_plain;

/* Of 64 bytes, a bit each: what the kernels find in their own ways. */
struct stretch_bits {
    uint64_t quote, backslash, mark, control;
};

/* Bytes that a backslash stands before which is not escaped itself; *carry: whether the
 * first byte of a stretch is one, in and out. Backslashes are rare: one at a time. */
static inline uint64_t escaped_bits(uint64_t backslash, uint64_t *carry)
{
    uint64_t escaped = *carry;
    backslash &= ~escaped;
    *carry = 0;
    while (backslash) {
        uint64_t first = backslash & -backslash;
        *carry = first >> 63;
        escaped |= first << 1;
        backslash &= ~(first | first << 1);
    }
    return escaped;
}

/* The marks among 64 bytes. in_string: a bit for each byte from an opening quote on, up
 * to and without the closing one. */
static inline uint64_t mark_bits(const struct stretch_bits *b, uint64_t quote,
                                 uint64_t in_string)
{
    return (b->mark & ~in_string) | (quote & in_string);
}

static inline uint8_t odd_stretch(const struct stretch_bits *b, uint64_t in_string)
{
    return ((b->backslash | b->control) & in_string) != 0;
}

#endif
