/*
 * Two layers: raw input (file descriptor or memory) and, where the first bytes say so,
 * a decoder (gzip, zstd). Invariant: in[in_begin..in_end) is raw input not yet handed on.
 */
#include "trace/byte_source.h"

#include "base/file.h"
#include "base/mem.h"
#include "trace/gzip_stream.h"
#include "trace/zstd_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    INPUT_BUFFER_BYTES = 256 << 10,
    MAGIC_BYTES = 8, /* enough to tell every format below */
    /* A file of 1 MB can be made that unpacks to 32 GB: beyond the first 256 MiB of text,
     * 200 bytes for each one read. Five times what gzip -l says of the real trace that
     * compresses best of those that were tried, 40. */
    GROWS_FREELY_BYTES = 256 << 20,
    GROWS_MAX = 200,
};

struct byte_source {
    int fd;                   /* -1: memory */
    const uint8_t *in;        /* raw input: the buffer, or all of the memory */
    uint8_t *buffer;          /* (cap) of a file */
    size_t cap;               /* of it */
    size_t in_begin;          /* first raw byte not yet handed on */
    size_t in_end;            /* one past the last */
    bool raw_over;            /* the raw input has ended */
    struct gzip_stream *gzip; /* NULL: not gzip */
    struct zstd_stream *zstd; /* NULL: not zstd; neither: plain text */
    int64_t at, total;
    int64_t unpacked; /* bytes of text that the decoder made */
    enum byte_end end;
    int read_errno;
};

struct magic {
    const char *bytes;
    size_t len;
    const char *refusal; /* what it is and what to do */
};

static const struct magic refused[] = {
    {"PK\x03\x04", 4, "it is a zip archive: unpack it first with unzip"},
    {"\xfd\x37\x7a\x58\x5a\x00", 6, "it is xz: decompress it first with xz -d"},
    {"BZh", 3, "it is bzip2: decompress it first with bzip2 -d"},
    {"SQLite format 3", 8,
     "it is an SQLite file, not a trace: a .gait run is read "
     "without importing; an Nsight Systems export is not supported"},
};

static ssize_t read_some(int fd, void *dst, size_t cap)
{
    ssize_t got;
    do
        got = read(fd, dst, cap);
    while (got < 0 && errno == EINTR);
    return got;
}

/* One read of the raw input into the free part of the buffer; false at its end. */
static bool source_fill(struct byte_source *s)
{
    if (s->in_begin == s->in_end)
        s->in_begin = s->in_end = 0;
    size_t room = s->cap - s->in_end;
    if (s->raw_over || !room)
        return false;
    ssize_t got = read_some(s->fd, s->buffer + s->in_end, room);
    if (got <= 0) {
        s->raw_over = true;
        s->read_errno = got < 0 ? errno : 0;
        return false;
    }
    s->in_end += (size_t)got;
    s->at += got;
    return true;
}

static enum byte_end source_raw_end(const struct byte_source *s)
{
    if (s->read_errno)
        return BYTE_END_READ_FAILED;
    return s->at < s->total ? BYTE_END_SHRANK : BYTE_END_GOOD;
}

/* Without a copy on the way, where there is room. */
static size_t source_read_directly(struct byte_source *s, char *dst, size_t cap)
{
    ssize_t got = 0;
    if (!s->raw_over)
        got = read_some(s->fd, dst, cap);
    if (got > 0) {
        s->at += got;
        return (size_t)got;
    }
    s->raw_over = true;
    s->read_errno = got < 0 ? errno : s->read_errno;
    s->end = source_raw_end(s);
    return 0;
}

static size_t source_read_plain(struct byte_source *s, char *dst, size_t cap)
{
    if (s->in_begin == s->in_end && s->fd >= 0 && cap >= s->cap)
        return source_read_directly(s, dst, cap);
    if (s->in_begin == s->in_end && !source_fill(s)) {
        s->end = source_raw_end(s);
        return 0;
    }
    size_t n = s->in_end - s->in_begin;
    if (n > cap)
        n = cap;
    memcpy(dst, s->in + s->in_begin, n);
    s->in_begin += n;
    return n;
}

static enum byte_end source_unpack_end(const struct byte_source *s, enum unpack_result r)
{
    enum byte_end raw = s->raw_over ? source_raw_end(s) : BYTE_END_GOOD;
    if (r == UNPACK_END || raw != BYTE_END_GOOD)
        return raw;
    return r == UNPACK_TRUNCATED ? BYTE_END_UNPACK_TRUNCATED : BYTE_END_UNPACK_CORRUPT;
}

static size_t source_read_packed(struct byte_source *s, char *dst, size_t cap)
{
    struct unpack_buffers b = {.out = (uint8_t *)dst, .out_len = cap};
    while (b.out_len == cap) {
        if (s->in_begin == s->in_end)
            source_fill(s);
        b.in = s->in + s->in_begin;
        b.in_len = s->in_end - s->in_begin;
        b.in_is_all = s->raw_over;
        enum unpack_result r =
            s->gzip ? gzip_stream_decode(s->gzip, &b) : zstd_stream_decode(s->zstd, &b);
        s->in_begin = s->in_end - b.in_len;
        if (r != UNPACK_MORE_INPUT && r != UNPACK_MORE_OUTPUT) {
            s->end = source_unpack_end(s, r);
            break;
        }
    }
    s->unpacked += (int64_t)(cap - b.out_len);
    if (s->unpacked > GROWS_FREELY_BYTES + s->at * GROWS_MAX)
        s->end = BYTE_END_UNPACK_GROWS;
    return cap - b.out_len;
}

size_t byte_source_read(struct byte_source *s, char *dst, size_t cap)
{
    if (s->end != BYTE_END_NOT_YET || !cap)
        return 0;
    return s->gzip || s->zstd ? source_read_packed(s, dst, cap)
                              : source_read_plain(s, dst, cap);
}

/* A frame, or one that is to be skipped (pzstd begins so). */
static bool begins_as_zstd(const uint8_t *p, size_t len)
{
    return len >= 4 && (!memcmp(p, "\x28\xb5\x2f\xfd", 4) ||
                        ((p[0] & 0xf0) == 0x50 && !memcmp(p + 1, "\x2a\x4d\x18", 3)));
}

/* Look at the first bytes: refuse what cannot be read, set up the decoder. */
static enum status source_detect(struct byte_source *s, const char *name, struct err *err)
{
    while (s->in_end < MAGIC_BYTES && source_fill(s))
        ;
    if (s->read_errno) {
        errno = s->read_errno;
        return file_err(err, "read", name);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (s->in_end >= refused[i].len &&
            !memcmp(s->in, refused[i].bytes, refused[i].len))
            return err_set(err, STATUS_INPUT, "%s: %s", name, refused[i].refusal);
    if (s->in_end >= 2 && s->in[0] == 0x1f && s->in[1] == 0x8b)
        s->gzip = gzip_stream_new();
    if (begins_as_zstd(s->in, s->in_end))
        s->zstd = zstd_stream_new();
    return STATUS_OK;
}

static enum status source_ready(struct byte_source **out, struct byte_source *s,
                                const char *name, struct err *err)
{
    enum status st = source_detect(s, name, err);
    if (st == STATUS_OK)
        *out = s;
    else
        byte_source_close(s);
    return st;
}

enum status byte_source_open(struct byte_source **out, const char *path, struct err *err)
{
    int fd;
    enum status st = file_open_input(&fd, path, err);
    if (st)
        return st;
    struct byte_source *s = mem_zalloc(1, sizeof *s);
    s->fd = fd;
    struct stat info;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        s->total = info.st_size;
    s->cap = INPUT_BUFFER_BYTES;
    if (s->total > 0 && s->total < INPUT_BUFFER_BYTES)
        s->cap = (size_t)s->total + MAGIC_BYTES; /* room to see that it has not grown */
    s->in = s->buffer = mem_alloc(s->cap);
    return source_ready(out, s, path, err);
}

enum status byte_source_from_memory(struct byte_source **out, const void *data,
                                    size_t len, const char *name, struct err *err)
{
    struct byte_source *s = mem_zalloc(1, sizeof *s);
    s->fd = -1;
    s->in = data;
    s->in_end = len;
    s->raw_over = true;
    s->total = s->at = (int64_t)len;
    return source_ready(out, s, name, err);
}

void byte_source_close(struct byte_source *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    gzip_stream_free(s->gzip);
    zstd_stream_free(s->zstd);
    mem_free(s->buffer);
    mem_free(s);
}

enum byte_end byte_source_end(const struct byte_source *s)
{
    return s->end;
}

int byte_source_errno(const struct byte_source *s)
{
    return s->read_errno;
}

int64_t byte_source_at(const struct byte_source *s)
{
    return s->at;
}

int64_t byte_source_total(const struct byte_source *s)
{
    return s->total;
}

bool byte_source_is_packed(const struct byte_source *s)
{
    return s->gzip || s->zstd;
}
