/* What decoders of compressed text (gzip_stream.h, zstd_stream.h) have in common. */
#ifndef GAIT_TRACE_UNPACK_H
#define GAIT_TRACE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unpack_result {
    UNPACK_MORE_INPUT,  /* all input was taken: come again with more */
    UNPACK_MORE_OUTPUT, /* the output is full: come again with room */
    UNPACK_END,         /* the last member or frame ended well */
    UNPACK_TRUNCATED,   /* the input ends inside a member or frame */
    UNPACK_CORRUPT,     /* not of the format from here on, or a checksum differs */
};

struct unpack_buffers {
    const uint8_t *in; /* moved forward by what was taken */
    size_t in_len;
    bool in_is_all; /* nothing follows in[0..in_len) */
    uint8_t *out;   /* moved forward by what was written */
    size_t out_len; /* room left */
};

#endif
