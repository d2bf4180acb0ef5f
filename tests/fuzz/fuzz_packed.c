/*
 * Bytes as gzip, zstd or plain text: read in small pieces and in large ones, the same
 * text and the same end; and so from the decoder itself with its input cut anywhere. What
 * is unpacked is bounded, so that bombs cost nothing.
 */
#include "trace/byte_source.h"
#include "trace/gzip_stream.h"
#include "trace/zstd_stream.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct unpacked {
    enum status status;
    enum byte_end end;
    bool is_packed;
    size_t len;
    char text[TEXT_MAX];
};

static void unpack(struct unpacked *u, const uint8_t *data, size_t size, size_t piece)
{
    struct byte_source *s;
    struct err err = ERR_INIT;
    u->len = 0;
    u->end = BYTE_END_NOT_YET;
    u->is_packed = false;
    u->status = byte_source_from_memory(&s, data, size, "t", &err);
    if (u->status)
        return;
    u->is_packed = byte_source_is_packed(s);
    size_t got = 1;
    while (got && u->len < TEXT_MAX) {
        size_t room = TEXT_MAX - u->len;
        got = byte_source_read(s, u->text + u->len, piece < room ? piece : room);
        u->len += got;
    }
    if (u->len < TEXT_MAX)
        u->end = byte_source_end(s);
    byte_source_close(s);
}

static enum byte_end end_of(enum unpack_result r)
{
    if (r == UNPACK_END)
        return BYTE_END_GOOD;
    return r == UNPACK_TRUNCATED ? BYTE_END_UNPACK_TRUNCATED : BYTE_END_UNPACK_CORRUPT;
}

static void decode(struct unpacked *u, const uint8_t *data, size_t size, size_t piece)
{
    struct gzip_stream *gzip = data[0] == 0x1f ? gzip_stream_new() : NULL;
    struct zstd_stream *zstd = gzip ? NULL : zstd_stream_new();
    struct unpack_buffers b = {
        .in = data, .out = (uint8_t *)u->text, .out_len = TEXT_MAX};
    enum unpack_result r = UNPACK_MORE_INPUT;
    size_t given = 0;
    u->status = STATUS_OK;
    u->end = BYTE_END_NOT_YET;
    while (b.out_len && (r == UNPACK_MORE_INPUT || r == UNPACK_MORE_OUTPUT)) {
        size_t more = size - given < piece ? size - given : piece;
        b.in_len += more;
        given += more;
        b.in_is_all = given == size;
        r = gzip ? gzip_stream_decode(gzip, &b) : zstd_stream_decode(zstd, &b);
    }
    u->len = TEXT_MAX - b.out_len;
    if (b.out_len)
        u->end = end_of(r);
    gzip_stream_free(gzip);
    zstd_stream_free(zstd);
}

static void check_same(const struct unpacked *a, const struct unpacked *b)
{
    size_t both = a->len < b->len ? a->len : b->len;
    if (a->status != b->status || a->end != b->end || memcmp(a->text, b->text, both))
        abort();
    /* How much of a damaged part comes out before the damage shows may differ. */
    if (a->len != b->len && a->end != BYTE_END_UNPACK_CORRUPT)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct unpacked large, small;
    unpack(&large, data, size, TEXT_MAX);
    unpack(&small, data, size, 7 + size % 61);
    check_same(&large, &small);
    if (large.is_packed) {
        decode(&small, data, size, 1 + size % 13);
        check_same(&large, &small);
    }
    return 0;
}
