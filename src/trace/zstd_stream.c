#include "trace/zstd_stream.h"

#include "base/mem.h"
#include "base/status.h"

#include <zstd.h>

struct zstd_stream {
    ZSTD_DStream *stream;
    bool in_frame; /* begun and not ended */
    bool over;
    enum unpack_result end; /* where over */
};

struct zstd_stream *zstd_stream_new(void)
{
    struct zstd_stream *z = mem_zalloc(1, sizeof *z);
    z->stream = ZSTD_createDStream();
    if (!z->stream)
        mem_refused("zstd");
    if (ZSTD_isError(
            ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX)))
        BUG("zstd cannot make a decoder");
    return z;
}

void zstd_stream_free(struct zstd_stream *z)
{
    if (!z)
        return;
    ZSTD_freeDStream(z->stream);
    mem_free(z);
}

static enum unpack_result zstd_over(struct zstd_stream *z, enum unpack_result end)
{
    z->over = true;
    z->end = end;
    return end;
}

/* One call of the library; false where the data is damaged. */
static bool zstd_step(struct zstd_stream *z, struct unpack_buffers *b)
{
    ZSTD_inBuffer in = {b->in, b->in_len, 0};
    ZSTD_outBuffer out = {b->out, b->out_len, 0};
    size_t hint = ZSTD_decompressStream(z->stream, &out, &in);
    if (in.pos || out.pos)
        z->in_frame = true;
    if (!hint) /* a frame is done and all of it written */
        z->in_frame = false;
    b->in += in.pos;
    b->in_len -= in.pos;
    b->out += out.pos;
    b->out_len -= out.pos;
    return !ZSTD_isError(hint);
}

enum unpack_result zstd_stream_decode(struct zstd_stream *z, struct unpack_buffers *b)
{
    while (!z->over) {
        size_t in_before = b->in_len, out_before = b->out_len;
        if (!b->out_len)
            return UNPACK_MORE_OUTPUT;
        if (!b->in_len && !z->in_frame)
            return b->in_is_all ? zstd_over(z, UNPACK_END) : UNPACK_MORE_INPUT;
        if (!zstd_step(z, b))
            return zstd_over(z, UNPACK_CORRUPT);
        bool moved = b->in_len != in_before || b->out_len != out_before;
        if (moved || b->in_len)
            continue;
        if (!b->in_is_all)
            return UNPACK_MORE_INPUT;
        return zstd_over(z, z->in_frame ? UNPACK_TRUNCATED : UNPACK_END);
    }
    return z->end;
}
