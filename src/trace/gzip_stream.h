/*
 * Gzip bytes in, text out, a piece at a time: any number of members one after the other.
 * What follows the last member and is not a member is ignored, as gzip(1) does. ISA-L
 * where the build has it, else zlib; both give the same results.
 */
#ifndef GAIT_TRACE_GZIP_STREAM_H
#define GAIT_TRACE_GZIP_STREAM_H

#include "trace/unpack.h"

struct gzip_stream;

struct gzip_stream *gzip_stream_new(void);
void gzip_stream_free(struct gzip_stream *z); /* NULL is fine */

/* Decode until input or output runs out. What was written before UNPACK_TRUNCATED or
 * UNPACK_CORRUPT is as good as it ever was; calls after an end repeat it. */
enum unpack_result gzip_stream_decode(struct gzip_stream *z, struct unpack_buffers *b);

#endif
