#include "base/file.h"
#include "base/mem.h"
#include "checkpoint/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "safetensors files are little-endian and are read as they are");

static enum status damaged(struct err *err, const char *path, const char *why)
{
    return err_set(err, STATUS_INPUT,
                   "%s is not a whole safetensors file: %s; save or download it again",
                   path, why);
}

static enum status read_at(int fd, void *dst, uint64_t n, uint64_t offset,
                           const char *path, struct err *err)
{
    char *out = dst;
    while (n) {
        ssize_t got = pread(fd, out, (size_t)n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_err(err, "read", path);
        if (!got)
            return damaged(err, path, "it became shorter while it was read");
        out += got;
        n -= (uint64_t)got;
        offset += (uint64_t)got;
    }
    return STATUS_OK;
}

static enum status file_size(int fd, uint64_t *bytes, const char *path, struct err *err)
{
    struct stat s;
    if (fstat(fd, &s))
        return file_err(err, "read", path);
    if (!S_ISREG(s.st_mode))
        return err_set(err, STATUS_INPUT, "%s is not a regular file; name a file", path);
    *bytes = (uint64_t)s.st_size;
    return STATUS_OK;
}

/* Before the text is decoded in place. */
static struct content_hash_text header_hash(uint64_t len, const char *json)
{
    struct content_hash *h = content_hash_new();
    content_hash_add(h, &len, sizeof len);
    content_hash_add(h, json, (size_t)len);
    struct content_hash_text text = content_hash_text(h);
    content_hash_free(h);
    return text;
}

static enum status read_header(struct safetensors_file *f, const char *path,
                               struct err *err)
{
    uint64_t bytes = 0, len;
    enum status st = file_size(f->fd, &bytes, path, err);
    if (st)
        return st;
    if (bytes < sizeof len)
        return damaged(err, path, "it has fewer than 8 bytes");
    st = read_at(f->fd, &len, sizeof len, 0, path, err);
    if (st)
        return st;
    if (len > SAFETENSORS_HEADER_MAX_BYTES)
        return damaged(err, path, "its header is longer than 100,000,000 bytes");
    if (len > bytes - sizeof len)
        return damaged(err, path, "its header goes on past its end");
    f->data_begin = sizeof len + len;
    char *json = mem_alloc((size_t)len + 1);
    json[len] = '\0';
    st = read_at(f->fd, json, len, sizeof len, path, err);
    if (st) {
        mem_free(json);
        return st;
    }
    f->hash = header_hash(len, json);
    struct err why = ERR_INIT;
    st = safetensors_header_read(&f->header, json, (size_t)len, bytes - f->data_begin,
                                 &why);
    if (!st)
        return STATUS_OK;
    damaged(err, path, why.text);
    if (err && why.offset >= 0)
        err->offset = why.offset + (int64_t)sizeof len;
    return st;
}

enum status safetensors_open(struct safetensors_file *f, const char *path,
                             struct err *err)
{
    *f = (struct safetensors_file){.fd = -1};
    enum status st = file_open_input(&f->fd, path, err);
    if (st)
        return st;
    f->path = mem_strdup(path);
    st = read_header(f, path, err);
    if (st)
        safetensors_close(f);
    return st;
}

void safetensors_close(struct safetensors_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    safetensors_header_release(&f->header);
    mem_free(f->path);
    *f = (struct safetensors_file){.fd = -1};
}

enum status safetensors_load(const struct safetensors_file *f, const struct safetensor *t,
                             uint64_t first, size_t n, void *dst, struct err *err)
{
    if (first > t->end - t->begin || n > t->end - t->begin - first)
        BUG("bytes %llu and %zu more of tensor \"%s\"", (unsigned long long)first, n,
            t->name);
    return read_at(f->fd, dst, n, f->data_begin + t->begin + first, f->path, err);
}
