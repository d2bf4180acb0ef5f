/*
 * A row in as few bytes as its values need, without a branch to read it: a head of 4
 * bytes, the kind and nine codes of 3 bits, then nine values of 0, 1, 2, 3, 4, 5, 6 or 8
 * bytes, the lowest byte first. (The lengths of a varint are found byte by byte and cost
 * a wrong guess of the processor each.) begin_ns is kept as the distance to the row
 * before, correlation and seq too, with the sign in the lowest bit.
 *
 * Any row survives, whatever is in it. Reading and writing touch up to PACK_SLACK bytes
 * behind a row.
 */
#ifndef GAIT_SPANS_SPAN_PACK_H
#define GAIT_SPANS_SPAN_PACK_H

#include "spans/span_row.h"

#include <endian.h>
#include <string.h>

enum pack_field {
    PACK_FIELD_BEGIN,
    PACK_FIELD_DUR,
    PACK_FIELD_LANE,
    PACK_FIELD_NAME,
    PACK_FIELD_SHAPES,
    PACK_FIELD_CORRELATION, /* no bytes: none; else at least 1 */
    PACK_FIELD_SEQ,
    PACK_FIELD_FLOP,
    PACK_FIELD_BYTES,
    PACK_FIELD_COUNT
};

enum {
    PACK_HEAD_BYTES = 4,
    PACK_KIND_BITS = 4,
    PACK_CODE_BITS = 3,
    PACK_CODE_MAX = (1 << PACK_CODE_BITS) - 1,
    PACK_ROW_MAX_BYTES = PACK_HEAD_BYTES + PACK_FIELD_COUNT * 8,
    PACK_SLACK = 8
};

_Static_assert(SPAN_KIND_COUNT <= 1 << PACK_KIND_BITS, "a kind fits in the head");
_Static_assert(PACK_KIND_BITS + PACK_FIELD_COUNT * PACK_CODE_BITS <= 32,
               "the head is 32 bits");

/* What the next row's distances are measured from. At a run's begin: its first begin_ns
 * and zeros. */
struct pack_state {
    int64_t begin_ns, correlation, seq;
};

static inline uint64_t pack_signed(int64_t now, int64_t before)
{
    uint64_t distance = (uint64_t)now - (uint64_t)before;
    return distance << 1 ^ (0 - (distance >> 63));
}

static inline int64_t unpack_signed(uint64_t packed, int64_t before)
{
    return (int64_t)((uint64_t)before + (packed >> 1 ^ (0 - (packed & 1))));
}

/* The code of a value whose highest bit is this one. */
static inline unsigned pack_code_of_bit(int bit)
{
    static const uint8_t code[64] = {
        1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3,
        3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6,
        6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    };
    return code[bit];
}

static inline unsigned pack_code_bytes(unsigned code)
{
    static const uint8_t bytes[1 << PACK_CODE_BITS] = {0, 1, 2, 3, 4, 5, 6, 8};
    return bytes[code];
}

static inline int pack_shift(enum pack_field field)
{
    return PACK_KIND_BITS + (int)field * PACK_CODE_BITS;
}

static inline uint8_t *pack_code_and_value(uint8_t *at, uint32_t *head,
                                           enum pack_field field, unsigned code,
                                           uint64_t value)
{
    uint64_t low_first = htole64(value);
    memcpy(at, &low_first, sizeof low_first);
    *head |= (uint32_t)code << pack_shift(field);
    return at + pack_code_bytes(code);
}

/* A value that is seldom 0: that takes a byte, as 1 does. */
static inline uint8_t *pack_long(uint8_t *at, uint32_t *head, enum pack_field field,
                                 uint64_t value)
{
    unsigned code = pack_code_of_bit(63 ^ __builtin_clzll(value | 1));
    return pack_code_and_value(at, head, field, code, value);
}

/* A number of a lane or name: 0, which is common, takes none. */
static inline uint8_t *pack_id(uint8_t *at, uint32_t *head, enum pack_field field,
                               uint32_t value)
{
    unsigned bits = 63 ^ (unsigned)__builtin_clzll((uint64_t)value << 1 | 1);
    return pack_code_and_value(at, head, field, (bits + 7) / 8, value);
}

/* at has room for PACK_ROW_MAX_BYTES and PACK_SLACK; returns where the next row goes. */
static inline uint8_t *pack_row(uint8_t *at, const struct span_row *row,
                                struct pack_state *s)
{
    uint8_t *row_begin = at;
    uint32_t head = row->kind;
    at += PACK_HEAD_BYTES;
    at = pack_long(at, &head, PACK_FIELD_BEGIN,
                   (uint64_t)row->begin_ns - (uint64_t)s->begin_ns);
    at = pack_long(at, &head, PACK_FIELD_DUR, (uint64_t)row->dur_ns);
    at = pack_id(at, &head, PACK_FIELD_LANE, row->lane);
    at = pack_id(at, &head, PACK_FIELD_NAME, row->name);
    at = pack_id(at, &head, PACK_FIELD_SHAPES, row->shapes);
    if (row->correlation) {
        at = pack_long(at, &head, PACK_FIELD_CORRELATION,
                       pack_signed(row->correlation, s->correlation));
        s->correlation = row->correlation;
    }
    at = pack_long(at, &head, PACK_FIELD_SEQ, pack_signed(row->seq, s->seq));
    if (row->flop | row->bytes) {
        at = pack_long(at, &head, PACK_FIELD_FLOP, (uint64_t)row->flop);
        at = pack_long(at, &head, PACK_FIELD_BYTES, (uint64_t)row->bytes);
    }
    head = htole32(head);
    memcpy(row_begin, &head, sizeof head);
    s->begin_ns = row->begin_ns;
    s->seq = row->seq;
    return at;
}

static inline uint64_t unpack_number(const uint8_t **at, uint32_t head,
                                     enum pack_field field)
{
    static const uint64_t mask[1 << PACK_CODE_BITS] = {
        0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, UINT64_MAX,
    };
    unsigned code = head >> pack_shift(field) & PACK_CODE_MAX;
    uint64_t low_first;
    memcpy(&low_first, *at, sizeof low_first);
    *at += pack_code_bytes(code);
    return le64toh(low_first) & mask[code];
}

/* lane, name and shapes are as packed; step and line are left as they are. Returns where
 * the next row is. */
static inline const uint8_t *unpack_row(struct span *row, const uint8_t *at,
                                        struct pack_state *s)
{
    uint32_t head;
    memcpy(&head, at, sizeof head);
    head = le32toh(head);
    at += PACK_HEAD_BYTES;
    row->kind = (enum span_kind)(head & ((1U << PACK_KIND_BITS) - 1));
    s->begin_ns =
        (int64_t)((uint64_t)s->begin_ns + unpack_number(&at, head, PACK_FIELD_BEGIN));
    row->begin_ns = s->begin_ns;
    row->dur_ns = (int64_t)unpack_number(&at, head, PACK_FIELD_DUR);
    row->lane = (int32_t)unpack_number(&at, head, PACK_FIELD_LANE);
    row->name = (name_id)unpack_number(&at, head, PACK_FIELD_NAME);
    row->shapes = (name_id)unpack_number(&at, head, PACK_FIELD_SHAPES);
    bool correlated = head >> pack_shift(PACK_FIELD_CORRELATION) & PACK_CODE_MAX;
    s->correlation =
        unpack_signed(unpack_number(&at, head, PACK_FIELD_CORRELATION), s->correlation);
    row->correlation = correlated ? s->correlation : 0;
    s->seq = unpack_signed(unpack_number(&at, head, PACK_FIELD_SEQ), s->seq);
    row->seq = s->seq;
    row->flop = (int64_t)unpack_number(&at, head, PACK_FIELD_FLOP);
    row->bytes = (int64_t)unpack_number(&at, head, PACK_FIELD_BYTES);
    return at;
}

#endif
