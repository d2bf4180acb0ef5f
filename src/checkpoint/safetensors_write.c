/*
 * Writes a file in one pass over the tensors. The header's length does not depend on the
 * hashes in it, so the data goes to its place first and the header, which by then knows
 * the hashes, before it at the end.
 */
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "checkpoint/header_json.h"
#include "checkpoint/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER_ALIGN = 8, PART_BYTES = 1 << 20 };

struct writer {
    const char *path;
    struct safetensors_content *content;
    struct content_hash_text *hash; /* (content->n) */
    struct content_hash *hasher;
    char *part; /* (PART_BYTES) */
    int fd;
};

/* Later dtypes first: they are the larger ones, so that every tensor is aligned. */
static int compare_canonical(const void *a, const void *b)
{
    const struct safetensor *x = a, *y = b;
    if (x->dtype != y->dtype)
        return x->dtype > y->dtype ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void check_text(const char *s)
{
    size_t len = strlen(s);
    for (size_t i = 0; i < len;) {
        int n = utf8_sequence_len(s + i, len - i);
        if (!n)
            BUG("a name or value that is not UTF-8 at byte %zu", i);
        i += (size_t)n;
    }
}

static void tensors_place(struct safetensors_content *c)
{
    if (c->n)
        qsort(c->tensor, c->n, sizeof *c->tensor, compare_canonical);
    uint64_t at = 0, bytes;
    for (size_t i = 0; i < c->n; i++) {
        struct safetensor *t = &c->tensor[i];
        check_text(t->name);
        if (i && t->dtype == t[-1].dtype && !strcmp(t->name, t[-1].name))
            BUG("two tensors \"%s\"", t->name);
        if (!safetensor_size(&bytes, t->dtype, t->shape, t->dims) ||
            __builtin_add_overflow(at, bytes, &t->end))
            BUG("tensor \"%s\" of too many bytes, or of a part of one", t->name);
        t->name_len = strlen(t->name);
        t->begin = at;
        at = t->end;
    }
}

static void add_numbers(struct strbuf *out, const uint64_t *v, size_t n)
{
    strbuf_putc(out, '[');
    for (size_t i = 0; i < n; i++)
        strbuf_printf(out, i ? ",%llu" : "%llu", (unsigned long long)v[i]);
    strbuf_putc(out, ']');
}

static void add_tensor(struct strbuf *out, const struct safetensor *t)
{
    uint64_t offsets[] = {t->begin, t->end};
    header_json_quote(out, t->name, t->name_len);
    strbuf_printf(out, ":{\"dtype\":\"%s\",\"shape\":", safetensors_dtype_text[t->dtype]);
    add_numbers(out, t->shape, t->dims);
    strbuf_puts(out, ",\"data_offsets\":");
    add_numbers(out, offsets, 2);
    strbuf_putc(out, '}');
}

static void add_pair(struct strbuf *out, bool first, const char *key, const char *value)
{
    if (!first)
        strbuf_putc(out, ',');
    check_text(key);
    check_text(value);
    header_json_quote(out, key, strlen(key));
    strbuf_putc(out, ':');
    header_json_quote(out, value, strlen(value));
}

static void add_metadata(struct strbuf *out, const struct writer *w)
{
    const struct safetensors_content *c = w->content;
    struct strbuf key;
    strbuf_init(&key);
    strbuf_puts(out, "\"__metadata__\":{");
    for (size_t i = 0; i < c->pairs; i++)
        add_pair(out, !i, c->metadata[i].key, c->metadata[i].value);
    for (size_t i = 0; c->hashed && i < c->n; i++) {
        strbuf_clear(&key);
        strbuf_printf(&key, SAFETENSORS_HASH_KEY "%s", c->tensor[i].name);
        add_pair(out, !i && !c->pairs, key.s, w->hash[i].s);
    }
    strbuf_putc(out, '}');
    strbuf_release(&key);
}

static void make_header(struct strbuf *out, const struct writer *w)
{
    const struct safetensors_content *c = w->content;
    bool metadata = c->pairs || (c->hashed && c->n);
    uint64_t len = 0;
    strbuf_clear(out);
    strbuf_add(out, (const char *)&len, sizeof len);
    strbuf_putc(out, '{');
    if (metadata)
        add_metadata(out, w);
    for (size_t i = 0; i < c->n; i++) {
        if (i || metadata)
            strbuf_putc(out, ',');
        add_tensor(out, &c->tensor[i]);
    }
    strbuf_putc(out, '}');
    while (out->len % HEADER_ALIGN)
        strbuf_putc(out, ' ');
    len = out->len - sizeof len;
    memcpy(out->s, &len, sizeof len);
}

static enum status write_at(const struct writer *w, const char *bytes, size_t n,
                            uint64_t at, struct err *err)
{
    while (n) {
        ssize_t put = pwrite(w->fd, bytes, n, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return file_err(err, "write", w->path);
        bytes += put;
        at += (uint64_t)put;
        n -= (size_t)put;
    }
    return STATUS_OK;
}

static enum status write_tensor(const struct writer *w, size_t i, uint64_t data_begin,
                                struct err *err)
{
    const struct safetensor *t = &w->content->tensor[i];
    uint64_t bytes = t->end - t->begin;
    content_hash_reset(w->hasher);
    for (uint64_t first = 0; first < bytes;) {
        size_t n = bytes - first < PART_BYTES ? (size_t)(bytes - first) : PART_BYTES;
        enum status st = t->get(t, first, n, w->part, err);
        if (st)
            return st;
        if (w->content->hashed)
            content_hash_add(w->hasher, w->part, n);
        st = write_at(w, w->part, n, data_begin + t->begin + first, err);
        if (st)
            return st;
        first += n;
    }
    w->hash[i] = content_hash_text(w->hasher);
    return STATUS_OK;
}

static enum status write_content(struct writer *w, struct strbuf *header, struct err *err)
{
    struct safetensors_content *c = w->content;
    enum status st = STATUS_OK;
    make_header(header, w);
    if (header->len - sizeof(uint64_t) > SAFETENSORS_HEADER_MAX_BYTES)
        return err_set(err, STATUS_INPUT,
                       "%s would need a header of %zu bytes and safetensors allows "
                       "100,000,000; split the model",
                       w->path, header->len);
    for (size_t i = 0; !st && i < c->n; i++)
        st = write_tensor(w, i, header->len, err);
    if (st)
        return st;
    make_header(header, w);
    c->hash = content_hash_of(header->s, header->len);
    st = write_at(w, header->s, header->len, 0, err);
    if (!st && fsync(w->fd))
        st = file_err(err, "write", w->path);
    return st;
}

enum status safetensors_write_fd(int fd, const char *path, struct safetensors_content *c,
                                 struct err *err)
{
    struct writer w = {.path = path, .content = c, .fd = fd};
    struct strbuf header;
    strbuf_init(&header);
    w.hasher = content_hash_new();
    w.hash = mem_zalloc(c->n, sizeof *w.hash);
    w.part = mem_alloc(PART_BYTES);
    for (size_t i = 0; i < c->n; i++)
        w.hash[i] = content_hash_text(w.hasher); /* as long as the one to come */
    tensors_place(c);
    enum status st = write_content(&w, &header, err);
    mem_free(w.part);
    mem_free(w.hash);
    content_hash_free(w.hasher);
    strbuf_release(&header);
    return st;
}

enum status safetensors_write(const char *path, struct safetensors_content *c,
                              struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return file_err(err, "write", path);
    enum status st = safetensors_write_fd(fd, path, c, err);
    if (close(fd) && !st)
        st = file_err(err, "write", path);
    if (st)
        unlink(path);
    return st;
}

enum status safetensor_get_memory(const struct safetensor *t, uint64_t first, size_t n,
                                  void *out, struct err *err)
{
    (void)err;
    memcpy(out, (const char *)t->owner + first, n);
    return STATUS_OK;
}
