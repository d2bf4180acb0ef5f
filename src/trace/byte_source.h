/*
 * The text of a trace as a stream of bytes, wherever it lies: a plain file, a gzip or
 * zstd file, a pipe, memory. What it is, is told by its first bytes, never by its name.
 * Nothing is held but one input buffer.
 *
 * Legal order: byte_source_open or byte_source_from_memory, byte_source_read until it
 * returns 0, byte_source_end, byte_source_close.
 */
#ifndef GAIT_TRACE_BYTE_SOURCE_H
#define GAIT_TRACE_BYTE_SOURCE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_source;

enum byte_end {
    BYTE_END_NOT_YET,
    BYTE_END_GOOD,
    BYTE_END_UNPACK_TRUNCATED, /* the compressed data stops inside a member */
    BYTE_END_UNPACK_CORRUPT,   /* the compressed data is damaged */
    BYTE_END_UNPACK_GROWS,     /* the compressed data makes more text than a trace's */
    BYTE_END_READ_FAILED,      /* the operating system gave an error; byte_source_errno */
    BYTE_END_SHRANK,           /* the file became shorter while it was read */
    BYTE_END_COUNT
};

/* On OK the caller owns *out. Formats that cannot be read are refused here
 * with what to do. */
enum status byte_source_open(struct byte_source **out, const char *path, struct err *err);
/* The bytes must live until byte_source_close(); name is for messages. */
enum status byte_source_from_memory(struct byte_source **out, const void *data,
                                    size_t len, const char *name, struct err *err);
void byte_source_close(struct byte_source *s); /* NULL is fine */

/* Up to cap bytes of text into dst; 0 only at the end, whatever sort of end it is. */
size_t byte_source_read(struct byte_source *s, char *dst, size_t cap);

enum byte_end byte_source_end(const struct byte_source *s);
int byte_source_errno(const struct byte_source *s); /* of BYTE_END_READ_FAILED */

/* How far the input is read, in bytes of the file; total is 0 where it is not known. */
int64_t byte_source_at(const struct byte_source *s);
int64_t byte_source_total(const struct byte_source *s);
bool byte_source_is_packed(const struct byte_source *s);

#endif
