/*
 * Gzip bytes in, text out, a piece at a time: any number of members one after the other.
 * What follows the last member and is not a member is ignored, as gzip(1) does. ISA-L
 * where the build has it, else zlib; both give the same results.
 */
#ifndef GAIT_TRACE_GZIP_STREAM_H
#define GAIT_TRACE_GZIP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gzip_stream;

enum gzip_result {
    GZIP_MORE_INPUT,  /* all input was taken: come again with more */
    GZIP_MORE_OUTPUT, /* the output is full: come again with room */
    GZIP_END,         /* the last member ended well */
    GZIP_TRUNCATED,   /* the input ends inside a member */
    GZIP_CORRUPT,     /* not gzip from here on, or a checksum differs */
};

struct gzip_buffers {
    const uint8_t *in; /* moved forward by what was taken */
    size_t in_len;
    bool in_is_all; /* nothing follows in[0..in_len) */
    uint8_t *out;   /* moved forward by what was written */
    size_t out_len; /* room left */
};

struct gzip_stream *gzip_stream_new(void);
void gzip_stream_free(struct gzip_stream *z); /* NULL is fine */

/* Decode until input or output runs out. What was written before GZIP_TRUNCATED or
 * GZIP_CORRUPT is as good as it ever was; calls after an end repeat it. */
enum gzip_result gzip_stream_decode(struct gzip_stream *z, struct gzip_buffers *b);

#endif
