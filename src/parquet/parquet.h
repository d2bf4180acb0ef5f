/*
 * A writer of Parquet files: flat tables whose columns are numbers, truths and texts, any
 * of which may be optional. Written from the format's specification (version 2 of its
 * logical types); what is used of it, and why no more: docs/adr/0023.
 *
 * Rows are gathered until a row group is full, then its columns are written: the memory is
 * that of one group, however many rows there are. Of each column the distinct values are
 * kept once, in a dictionary, where that is smaller.
 *
 *     parquet_writer_new → parquet_writer_add … → parquet_writer_end → parquet_writer_free
 *
 * Start with parquet_writer.c; parquet_chunk.c is one column of a group.
 */
#ifndef GAIT_PARQUET_PARQUET_H
#define GAIT_PARQUET_PARQUET_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A text longer than this is an error of parquet_writer_end(). */
enum { PARQUET_TEXT_MAX_BYTES = 64 << 20 };

enum parquet_type {
    PARQUET_BOOL,
    PARQUET_I32,
    PARQUET_I64,
    PARQUET_F64,
    PARQUET_TEXT, /* UTF-8; other bytes become U+FFFD */
};

struct parquet_column {
    const char *name;
    enum parquet_type type;
    bool optional; /* a value may be NULL */
};

struct parquet_value {
    enum parquet_type type;
    bool is_null;
    union {
        int64_t integer; /* of BOOL, I32 and I64 */
        double real;
        struct {
            const char *s;
            size_t len;
        } text;
    };
};

static inline struct parquet_value parquet_null(enum parquet_type type)
{
    return (struct parquet_value){.type = type, .is_null = true};
}

static inline struct parquet_value parquet_bool(bool v)
{
    return (struct parquet_value){.type = PARQUET_BOOL, .integer = v};
}

static inline struct parquet_value parquet_i32(int32_t v)
{
    return (struct parquet_value){.type = PARQUET_I32, .integer = v};
}

static inline struct parquet_value parquet_i64(int64_t v)
{
    return (struct parquet_value){.type = PARQUET_I64, .integer = v};
}

/* NaN and infinities are values too. */
static inline struct parquet_value parquet_f64(double v)
{
    return (struct parquet_value){.type = PARQUET_F64, .real = v};
}

static inline struct parquet_value parquet_bytes(const char *s, size_t len)
{
    return (struct parquet_value){.type = PARQUET_TEXT, .text = {s, len}};
}

static inline struct parquet_value parquet_text(const char *s)
{
    return parquet_bytes(s, strlen(s));
}

struct parquet_options {
    const char *created_by;
    size_t group_rows;  /* a row group has at most so many rows … */
    size_t group_bytes; /* … and ends when its distinct values take so much */
};
/* What readers like: groups of 2^17 rows, 16 MiB. */
struct parquet_options parquet_options_of(const char *created_by);

struct parquet_writer;

/* The stream is the caller's, at its begin; what cannot be written is told by its error
 * flag. columns and created_by must outlive the writer. */
struct parquet_writer *parquet_writer_new(FILE *out, const struct parquet_column *columns,
                                          size_t n,
                                          const struct parquet_options *options);
/* value is (n) in the order of the columns; texts are copied. */
void parquet_writer_add(struct parquet_writer *w, const struct parquet_value *value);
/* The last group and the footer; a file without it is none. */
enum status parquet_writer_end(struct parquet_writer *w, struct err *err);
int64_t parquet_writer_rows(const struct parquet_writer *w);
int64_t parquet_writer_bytes(const struct parquet_writer *w); /* written so far */
void parquet_writer_free(struct parquet_writer *w);           /* NULL is fine */

#endif
