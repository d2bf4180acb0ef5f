/*
 * Thrift's compact protocol, as far as a writer of Parquet needs it: what stands in the
 * pages' headers and in the footer. Fields are given by their number, in rising order;
 * structs begin and end in pairs. Private to parquet.
 */
#ifndef GAIT_PARQUET_THRIFT_COMPACT_H
#define GAIT_PARQUET_THRIFT_COMPACT_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum { THRIFT_DEPTH_MAX = 8 };

struct thrift {
    struct strbuf *out;             /* the caller's */
    int16_t last[THRIFT_DEPTH_MAX]; /* the last field of each struct that is open */
    int depth;
};

/* Types of the elements of a list. */
enum thrift_element {
    THRIFT_I32 = 5,
    THRIFT_BINARY = 8,
    THRIFT_STRUCT = 12,
};

/* Begins a struct by itself: a header, a footer, an element of a list. */
void thrift_init(struct thrift *t, struct strbuf *out);
/* Ends it, and the structs that thrift_struct() began, one each time. */
void thrift_end(struct thrift *t);

void thrift_bool(struct thrift *t, int16_t field, bool v);
void thrift_i16(struct thrift *t, int16_t field, int16_t v);
void thrift_i32(struct thrift *t, int16_t field, int32_t v);
void thrift_i64(struct thrift *t, int16_t field, int64_t v);
void thrift_binary(struct thrift *t, int16_t field, const void *data, size_t len);
void thrift_struct(struct thrift *t, int16_t field);
/* n elements follow: thrift_element_…(), or for each struct a thrift_begin_element() and
 * a thrift_end(). */
void thrift_list(struct thrift *t, int16_t field, enum thrift_element type, size_t n);
void thrift_element_i32(struct thrift *t, int32_t v);
void thrift_element_binary(struct thrift *t, const void *data, size_t len);
void thrift_begin_element(struct thrift *t);

/* An unsigned number in groups of 7 bits, least significant first. */
void varint_add(struct strbuf *out, uint64_t v);

#endif
