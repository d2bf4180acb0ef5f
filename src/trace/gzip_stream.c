/*
 * The header of a member is read here, byte by byte, so that the input may be cut
 * anywhere (ISA-L's own reader of headers fails on short pieces); the library does the
 * rest of the member with its checksum. Only the member_*() functions differ between the
 * libraries.
 */
#include "trace/gzip_stream.h"

#include "base/mem.h"
#include "base/status.h"

#include <string.h>

#ifdef GAIT_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

enum { GZIP_PIECE_MAX = 1 << 30 }; /* both libraries count in 32 bits */

enum gzip_state {
    GZIP_STATE_HEADER, /* before or inside a member's header */
    GZIP_STATE_INSIDE,
    GZIP_STATE_BROKEN, /* text decoded before the damage may still be in the library */
    GZIP_STATE_OVER
};

/* The parts of a header in their order; all but the first depend on its flags. */
enum header_part {
    HEADER_FIXED, /* magic, method, flags, time, level, system */
    HEADER_EXTRA_LEN,
    HEADER_EXTRA,
    HEADER_NAME,
    HEADER_COMMENT,
    HEADER_CHECKSUM,
    HEADER_DONE
};

enum { HEADER_FIXED_BYTES = 10 };

struct gzip_header {
    enum header_part part;
    size_t at; /* bytes taken of this part */
    size_t extra_len;
    uint8_t flags;
};

struct gzip_stream {
#ifdef GAIT_ISAL
    struct inflate_state lib;
#else
    z_stream lib;
    bool lib_open;
#endif
    enum gzip_state state;
    enum unpack_result end; /* what to repeat when OVER */
    struct gzip_header header;
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
    z->lib.crc_flag = ISAL_GZIP_NO_HDR_VER;
}

static enum member_result member_decode(struct gzip_stream *z, struct unpack_buffers *b)
{
    size_t in_len = piece_len(b->in_len), out_len = piece_len(b->out_len);
    z->lib.next_in = (uint8_t *)(uintptr_t)b->in;
    z->lib.avail_in = (uint32_t)in_len;
    z->lib.next_out = b->out;
    z->lib.avail_out = (uint32_t)out_len;
    int rc = isal_inflate(&z->lib);
    size_t made = out_len - z->lib.avail_out;
    b->out += made;
    b->out_len -= made;
    if (rc != ISAL_DECOMP_OK && rc != ISAL_END_INPUT && rc != ISAL_OUT_OVERFLOW)
        return MEMBER_BROKEN; /* what it says of the input is then wrong at times */
    size_t taken = in_len - z->lib.avail_in;
    b->in += taken;
    b->in_len -= taken;
    return z->lib.block_state == ISAL_BLOCK_FINISH ? MEMBER_DONE : MEMBER_GOES_ON;
}

/* With little room for output ISA-L decodes ahead into a buffer of its own, and leaves
 * the text there when it meets damage. */
static bool member_flush(struct gzip_stream *z, struct unpack_buffers *b)
{
    size_t left = (size_t)(z->lib.tmp_out_valid - z->lib.tmp_out_processed);
    size_t n = left < b->out_len ? left : b->out_len;
    memcpy(b->out, z->lib.tmp_out_buffer + z->lib.tmp_out_processed, n);
    z->lib.tmp_out_processed += (int32_t)n;
    b->out += n;
    b->out_len -= n;
    return n == left;
}

static void member_close(struct gzip_stream *z)
{
    (void)z;
}

#else

static enum member_result member_decode(struct gzip_stream *z, struct unpack_buffers *b)
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

static void member_begin(struct gzip_stream *z)
{
    enum { WINDOW_MAX_AND_GZIP = 15 + 16 };
    int made = z->lib_open ? Z_OK : inflateInit2(&z->lib, WINDOW_MAX_AND_GZIP);
    if (made == Z_MEM_ERROR)
        mem_refused("zlib");
    else if (made != Z_OK)
        BUG("inflateInit2 failed: %s", z->lib.msg ? z->lib.msg : "no reason");
    else if (z->lib_open && inflateReset(&z->lib) != Z_OK)
        BUG("inflateReset failed");
    z->lib_open = true;
    /* The header is read already: a plain one makes zlib check the rest. */
    static const uint8_t header[HEADER_FIXED_BYTES] = {0x1f, 0x8b, 8};
    uint8_t none[1];
    struct unpack_buffers b = {
        .in = header, .in_len = sizeof header, .out = none, .out_len = 1};
    if (member_decode(z, &b) == MEMBER_BROKEN)
        BUG("zlib refused a plain header");
}

static bool member_flush(struct gzip_stream *z, struct unpack_buffers *b)
{
    (void)z;
    (void)b;
    return true; /* zlib writes all it has decoded */
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

static enum unpack_result gzip_over(struct gzip_stream *z, enum unpack_result end)
{
    z->state = GZIP_STATE_OVER;
    z->end = end;
    return end;
}

/* The next part that the flags ask for. */
static void header_next(struct gzip_header *h)
{
    enum { FLAG_CHECKSUM = 2, FLAG_EXTRA = 4, FLAG_NAME = 8, FLAG_COMMENT = 16 };
    static const uint8_t flag_of[HEADER_DONE] = {[HEADER_EXTRA_LEN] = FLAG_EXTRA,
                                                 [HEADER_EXTRA] = FLAG_EXTRA,
                                                 [HEADER_NAME] = FLAG_NAME,
                                                 [HEADER_COMMENT] = FLAG_COMMENT,
                                                 [HEADER_CHECKSUM] = FLAG_CHECKSUM};
    do
        h->part++;
    while (h->part < HEADER_DONE && (!(h->flags & flag_of[h->part]) ||
                                     (h->part == HEADER_EXTRA && !h->extra_len)));
    h->at = 0;
}

/* One byte of the header; false where it cannot be one. */
static bool header_take(struct gzip_header *h, uint8_t byte)
{
    static const uint8_t begin[] = {0x1f, 0x8b, 8};
    size_t at = h->at;
    bool over = false;
    if (h->part == HEADER_FIXED && at < sizeof begin && byte != begin[at])
        return false;
    h->at++;
    switch (h->part) {
    case HEADER_FIXED:
        if (at == sizeof begin)
            h->flags = byte;
        over = h->at == HEADER_FIXED_BYTES;
        break;
    case HEADER_EXTRA_LEN:
        h->extra_len |= (size_t)byte << 8 * at;
        over = h->at == 2;
        break;
    case HEADER_EXTRA:
        over = h->at == h->extra_len;
        break;
    case HEADER_NAME:
    case HEADER_COMMENT:
        over = byte == 0;
        break;
    default:
        over = h->at == 2;
        break;
    }
    if (over)
        header_next(h);
    return true;
}

/* The input ends or is no header: between members that is the end of the text, unless
 * both magic bytes were there. */
static enum unpack_result gzip_header_ends(struct gzip_stream *z,
                                           enum unpack_result trouble)
{
    bool begun = z->header.part != HEADER_FIXED || z->header.at >= 2;
    return gzip_over(z, z->seen_member && !begun ? UNPACK_END : trouble);
}

/* Reads a header; the state changes when it is complete. */
static enum unpack_result gzip_read_header(struct gzip_stream *z,
                                           struct unpack_buffers *b)
{
    while (z->header.part != HEADER_DONE) {
        if (!b->in_len)
            return b->in_is_all ? gzip_header_ends(z, UNPACK_TRUNCATED)
                                : UNPACK_MORE_INPUT;
        if (!header_take(&z->header, *b->in))
            return gzip_header_ends(z, UNPACK_CORRUPT);
        b->in++;
        b->in_len--;
    }
    member_begin(z);
    z->state = GZIP_STATE_INSIDE;
    return UNPACK_MORE_INPUT;
}

enum unpack_result gzip_stream_decode(struct gzip_stream *z, struct unpack_buffers *b)
{
    for (;;) {
        if (z->state == GZIP_STATE_OVER)
            return z->end;
        if (z->state == GZIP_STATE_BROKEN)
            return member_flush(z, b) ? gzip_over(z, UNPACK_CORRUPT) : UNPACK_MORE_OUTPUT;
        if (z->state == GZIP_STATE_HEADER) {
            enum unpack_result r = gzip_read_header(z, b);
            if (z->state != GZIP_STATE_INSIDE)
                return r;
        }
        size_t in_before = b->in_len, out_before = b->out_len;
        enum member_result m = member_decode(z, b);
        if (m == MEMBER_BROKEN) {
            z->state = GZIP_STATE_BROKEN;
            continue;
        }
        if (m == MEMBER_DONE) {
            z->seen_member = true;
            z->state = GZIP_STATE_HEADER;
            z->header = (struct gzip_header){0};
            continue;
        }
        if (!b->out_len)
            return UNPACK_MORE_OUTPUT;
        bool moved = b->in_len != in_before || b->out_len != out_before;
        if (!b->in_len && !b->in_is_all)
            return UNPACK_MORE_INPUT;
        if (!moved)
            return gzip_over(z, b->in_len ? UNPACK_CORRUPT : UNPACK_TRUNCATED);
    }
}
