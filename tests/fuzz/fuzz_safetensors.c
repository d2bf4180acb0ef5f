/*
 * Any bytes as a safetensors file: an error that says why, or a file whose tensors fill
 * it exactly, can all be read, and come out the same when they are written again. The
 * same bytes go through the reader of a checkpoint's model description.
 */
#include "base/mem.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/shape_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATH_MAX_BYTES = 64 };

/* A file in memory with these bytes; path names it. */
static int file_with(char path[PATH_MAX_BYTES], const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, PATH_MAX_BYTES, "/proc/self/fd/%d", fd);
    return fd;
}

static void check_holds_together(const struct safetensors_file *f, size_t size)
{
    uint64_t end = 0;
    for (size_t i = 0; i < f->header.n; i++) {
        const struct safetensor *t = &f->header.tensor[i];
        uint64_t bytes;
        if (t->begin != end || !safetensor_size(&bytes, t->dtype, t->shape, t->dims) ||
            bytes != t->end - t->begin)
            abort();
        end = t->end;
        if (strlen(t->name) == t->name_len && safetensors_find(&f->header, t->name) != t)
            abort();
        char *content = mem_alloc((size_t)bytes);
        if (safetensors_load(f, t, 0, (size_t)bytes, content, NULL))
            abort();
        mem_free(content);
    }
    if (f->data_begin + end != size)
        abort();
}

static enum status get_from_file(const struct safetensor *t, uint64_t first, size_t n,
                                 void *out, struct err *err)
{
    const struct safetensors_file *f = *(const struct safetensors_file *const *)t->owner;
    return safetensors_load(f, safetensors_find(&f->header, t->name), first, n, out, err);
}

static bool has_nul(const struct safetensors_header *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (strlen(h->tensor[i].name) != h->tensor[i].name_len)
            return true;
    return false;
}

static void check_writes_again(const struct safetensors_file *f)
{
    char path[PATH_MAX_BYTES];
    int fd = file_with(path, NULL, 0);
    struct safetensor *t = mem_zalloc(f->header.n, sizeof *t);
    for (size_t i = 0; i < f->header.n; i++) {
        t[i] = f->header.tensor[i];
        t[i].get = get_from_file;
        t[i].owner = &f;
    }
    struct safetensors_content c = {.tensor = t, .n = f->header.n, .hashed = true};
    struct safetensors_file again;
    struct err err = ERR_INIT;
    if (safetensors_write_fd(fd, path, &c, &err) || safetensors_open(&again, path, &err))
        abort();
    if (again.header.n != f->header.n || strcmp(again.hash.s, c.hash.s) != 0)
        abort();
    safetensors_close(&again);
    mem_free(t);
    close(fd);
}

static void read_description(const char *text, size_t size)
{
    struct arena a;
    const struct json *j;
    struct model_shape shape, back;
    struct err err = ERR_INIT;
    arena_init(&a);
    if (!json_read(&j, &a, text, size, &err) && !shape_read_json(&shape, j, &err)) {
        struct strbuf out;
        strbuf_init(&out);
        shape_write_json(&out, &shape);
        if (json_read(&j, &a, out.s, out.len, &err) || shape_read_json(&back, j, &err) ||
            shape_differences(&out, &shape, &back))
            abort();
        strbuf_release(&out);
    }
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[PATH_MAX_BYTES];
    struct safetensors_file f;
    struct err err = ERR_INIT;
    int fd = file_with(path, data, size);
    if (!safetensors_open(&f, path, &err)) {
        check_holds_together(&f, size);
        if (!has_nul(&f.header))
            check_writes_again(&f);
        safetensors_close(&f);
    } else if (!*err.text || err.status != STATUS_INPUT) {
        abort();
    }
    close(fd);
    read_description((const char *)data, size);
    return 0;
}
