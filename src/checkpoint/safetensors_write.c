#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "checkpoint/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER_ALIGN = 8 };

/* Larger dtypes first, so that every tensor is aligned to its element. */
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

static void tensors_place(struct safetensor *tensor, size_t n)
{
    if (n)
        qsort(tensor, n, sizeof *tensor, compare_canonical);
    uint64_t at = 0;
    for (size_t i = 0; i < n; i++) {
        struct safetensor *t = &tensor[i];
        uint64_t bytes;
        check_text(t->name);
        if (i && !strcmp(t->name, tensor[i - 1].name))
            BUG("two tensors \"%s\"", t->name);
        if (!safetensor_size(&bytes, t->dtype, t->shape, t->dims))
            BUG("tensor \"%s\" of more than 2^64 bytes", t->name);
        t->name_len = strlen(t->name);
        t->begin = at;
        t->end = at += bytes;
    }
}

static void write_numbers(struct json_writer *w, const uint64_t *v, size_t n)
{
    json_begin_array(w);
    for (size_t i = 0; i < n; i++)
        json_int(w, (int64_t)v[i]);
    json_end(w);
}

static void write_tensor(struct json_writer *w, const struct safetensor *t)
{
    uint64_t offsets[] = {t->begin, t->end};
    json_key(w, t->name);
    json_begin_object(w);
    json_field_string(w, "dtype", safetensors_dtype_text[t->dtype]);
    json_key(w, "shape");
    write_numbers(w, t->shape, t->dims);
    json_key(w, "data_offsets");
    write_numbers(w, offsets, 2);
    json_end(w);
}

static void write_json(struct strbuf *out, const struct safetensor *tensor, size_t n,
                       const struct safetensors_pair *metadata, size_t pairs)
{
    struct json_writer w;
    json_init(&w, out);
    w.compact = true;
    json_begin_object(&w);
    if (pairs) {
        json_key(&w, "__metadata__");
        json_begin_object(&w);
        for (size_t i = 0; i < pairs; i++) {
            check_text(metadata[i].key);
            check_text(metadata[i].value);
            json_field_string(&w, metadata[i].key, metadata[i].value);
        }
        json_end(&w);
    }
    for (size_t i = 0; i < n; i++)
        write_tensor(&w, &tensor[i]);
    json_end(&w);
    while (out->len % HEADER_ALIGN)
        strbuf_putc(out, ' ');
}

static bool write_all(int fd, const void *data, uint64_t n)
{
    const char *p = data;
    while (n) {
        ssize_t put = write(fd, p, (size_t)n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        p += put;
        n -= (uint64_t)put;
    }
    return true;
}

static bool write_content(int fd, const struct strbuf *json,
                          const struct safetensor *tensor, size_t n)
{
    uint64_t len = json->len;
    if (!write_all(fd, &len, sizeof len) || !write_all(fd, json->s, len))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!write_all(fd, tensor[i].data, tensor[i].end - tensor[i].begin))
            return false;
    return true;
}

/* All of the file at tmp; on failure it is gone and errno says why. */
static bool write_file(const char *tmp, const struct strbuf *json,
                       const struct safetensor *tensor, size_t n)
{
    int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool good = write_content(fd, json, tensor, n);
    int saved = errno;
    if (close(fd) && good) {
        saved = errno;
        good = false;
    }
    if (!good)
        unlink(tmp);
    errno = saved;
    return good;
}

enum status safetensors_write(const char *path, struct safetensor *tensor, size_t n,
                              const struct safetensors_pair *metadata, size_t pairs,
                              struct err *err)
{
    struct strbuf json;
    strbuf_init(&json);
    tensors_place(tensor, n);
    write_json(&json, tensor, n, metadata, pairs);
    char *tmp = file_temporary_name(path);
    enum status st;
    if (json.len > SAFETENSORS_HEADER_MAX_BYTES)
        st = err_set(err, STATUS_INPUT,
                     "%s would need a header of %zu bytes and safetensors allows "
                     "100,000,000; split the model",
                     path, json.len);
    else if (!write_file(tmp, &json, tensor, n))
        st = file_err(err, "write", path);
    else
        st = file_commit(tmp, path, err);
    mem_free(tmp);
    strbuf_release(&json);
    return st;
}
