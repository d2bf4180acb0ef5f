/*
 * Between members the stream looks for the two magic bytes of a next one. The state
 * machine is the same for both libraries; only member_begin() and member_decode() differ.
 */
#include "trace/gzip_stream.h"

#include "base/mem.h"
#include "base/status.h"

#ifdef GAIT_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

enum { GZIP_PIECE_MAX = 1 << 30 }; /* both libraries count in 32 bits */

enum gzip_state { GZIP_STATE_BETWEEN, GZIP_STATE_INSIDE, GZIP_STATE_OVER };

struct gzip_stream {
#ifdef GAIT_ISAL
    struct inflate_state lib;
#else
    z_stream lib;
    bool lib_open;
#endif
    enum gzip_state state;
    enum gzip_result end; /* what to repeat when OVER */
    bool magic_half;      /* the first magic byte came as the last of its piece */
    bool seen_member;
};

enum member_result { MEMBER_GOES_ON, MEMBER_DONE, MEMBER_BROKEN };

static size_t piece_len(size_t n)
{
    return n < GZIP_PIECE_MAX ? n : GZIP_PIECE_MAX;
}

#ifdef GAIT_ISAL

static void member_begin(struct gzip_stream *z)
{
    isal_inflate_init(&z->lib);
    z->lib.crc_flag = ISAL_GZIP;
}

static enum member_result member_decode(struct gzip_stream *z, struct gzip_buffers *b)
{
    size_t in_len = piece_len(b->in_len), out_len = piece_len(b->out_len);
    z->lib.next_in = (uint8_t *)(uintptr_t)b->in;
    z->lib.avail_in = (uint32_t)in_len;
    z->lib.next_out = b->out;
    z->lib.avail_out = (uint32_t)out_len;
    int rc = isal_inflate(&z->lib);
    size_t taken = in_len - z->lib.avail_in, made = out_len - z->lib.avail_out;
    b->in += taken;
    b->in_len -= taken;
    b->out += made;
    b->out_len -= made;
    if (rc != ISAL_DECOMP_OK && rc != ISAL_END_INPUT && rc != ISAL_OUT_OVERFLOW)
        return MEMBER_BROKEN;
    return z->lib.block_state == ISAL_BLOCK_FINISH ? MEMBER_DONE : MEMBER_GOES_ON;
}

static void member_close(struct gzip_stream *z)
{
    (void)z;
}

#else

static void member_begin(struct gzip_stream *z)
{
    enum { WINDOW_MAX_AND_GZIP = 15 + 16 };
    if (!z->lib_open && inflateInit2(&z->lib, WINDOW_MAX_AND_GZIP) != Z_OK)
        BUG("inflateInit2 failed: %s", z->lib.msg ? z->lib.msg : "no memory");
    else if (z->lib_open && inflateReset(&z->lib) != Z_OK)
        BUG("inflateReset failed");
    z->lib_open = true;
}

static enum member_result member_decode(struct gzip_stream *z, struct gzip_buffers *b)
{
    size_t in_len = piece_len(b->in_len), out_len = piece_len(b->out_len);
    z->lib.next_in = (Bytef *)(uintptr_t)b->in;
    z->lib.avail_in = (uInt)in_len;
    z->lib.next_out = b->out;
    z->lib.avail_out = (uInt)out_len;
    int rc = inflate(&z->lib, Z_NO_FLUSH);
    size_t taken = in_len - z->lib.avail_in, made = out_len - z->lib.avail_out;
    b->in += taken;
    b->in_len -= taken;
    b->out += made;
    b->out_len -= made;
    if (rc == Z_STREAM_END)
        return MEMBER_DONE;
    return rc == Z_OK || rc == Z_BUF_ERROR ? MEMBER_GOES_ON : MEMBER_BROKEN;
}

static void member_close(struct gzip_stream *z)
{
    if (z->lib_open)
        inflateEnd(&z->lib);
}

#endif

struct gzip_stream *gzip_stream_new(void)
{
    return mem_zalloc(1, sizeof(struct gzip_stream));
}

void gzip_stream_free(struct gzip_stream *z)
{
    if (!z)
        return;
    member_close(z);
    mem_free(z);
}

static enum gzip_result gzip_over(struct gzip_stream *z, enum gzip_result end)
{
    z->state = GZIP_STATE_OVER;
    z->end = end;
    return end;
}

/* The magic bytes are given to the library again, from here: a first byte that ended the
 * piece before is not in `in` any more. */
static enum member_result member_feed_magic(struct gzip_stream *z)
{
    static const uint8_t magic[] = {0x1f};
    uint8_t none[1];
    struct gzip_buffers b = {.in = magic, .in_len = 1, .out = none, .out_len = 1};
    return member_decode(z, &b);
}

/* Is there another member? GZIP_MORE_INPUT means yes, or not known yet. */
static enum gzip_result gzip_between(struct gzip_stream *z, struct gzip_buffers *b)
{
    if (!b->in_len)
        return b->in_is_all
                   ? gzip_over(z, z->magic_half && !z->seen_member ? GZIP_TRUNCATED
                                                                   : GZIP_END)
                   : GZIP_MORE_INPUT;
    if (!z->magic_half && b->in[0] != 0x1f)
        return gzip_over(z, z->seen_member ? GZIP_END : GZIP_CORRUPT);
    if (!z->magic_half && b->in_len == 1 && !b->in_is_all) {
        z->magic_half = true;
        b->in++;
        b->in_len--;
        return GZIP_MORE_INPUT;
    }
    uint8_t second = z->magic_half ? b->in[0] : b->in_len > 1 ? b->in[1] : 0;
    if (second != 0x8b)
        return gzip_over(z, z->seen_member ? GZIP_END : GZIP_CORRUPT);
    member_begin(z);
    z->state = GZIP_STATE_INSIDE;
    if (z->magic_half && member_feed_magic(z) == MEMBER_BROKEN)
        return gzip_over(z, GZIP_CORRUPT);
    z->magic_half = false;
    return GZIP_MORE_INPUT;
}

enum gzip_result gzip_stream_decode(struct gzip_stream *z, struct gzip_buffers *b)
{
    for (;;) {
        if (z->state == GZIP_STATE_OVER)
            return z->end;
        if (z->state == GZIP_STATE_BETWEEN) {
            enum gzip_result r = gzip_between(z, b);
            if (z->state != GZIP_STATE_INSIDE)
                return r;
        }
        size_t in_before = b->in_len, out_before = b->out_len;
        enum member_result m = member_decode(z, b);
        if (m == MEMBER_BROKEN)
            return gzip_over(z, GZIP_CORRUPT);
        if (m == MEMBER_DONE) {
            z->seen_member = true;
            z->state = GZIP_STATE_BETWEEN;
            continue;
        }
        if (!b->out_len)
            return GZIP_MORE_OUTPUT;
        bool moved = b->in_len != in_before || b->out_len != out_before;
        if (!b->in_len && !b->in_is_all)
            return GZIP_MORE_INPUT;
        if (!moved)
            return gzip_over(z, b->in_len ? GZIP_CORRUPT : GZIP_TRUNCATED);
    }
}
