/*
 * Zstandard bytes in, text out, a piece at a time: any number of frames one after the
 * other, skippable ones too. A frame whose window is larger than ZSTD_WINDOW_LOG_MAX says
 * is refused as corrupt, so that a hostile file cannot ask for memory.
 */
#ifndef GAIT_TRACE_ZSTD_STREAM_H
#define GAIT_TRACE_ZSTD_STREAM_H

#include "trace/unpack.h"

enum { ZSTD_WINDOW_LOG_MAX = 27 }; /* 128 MiB: what zstd(1) itself takes unasked */

struct zstd_stream;

struct zstd_stream *zstd_stream_new(void);
void zstd_stream_free(struct zstd_stream *z); /* NULL is fine */

/* As gzip_stream_decode(). */
enum unpack_result zstd_stream_decode(struct zstd_stream *z, struct unpack_buffers *b);

#endif
