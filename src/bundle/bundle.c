#include "bundle/bundle.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/sha256.h"
#include "bundle/tar_header.h"
#include "trace/gzip_writer.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MANIFEST_VERSION = 1, END_BLOCKS = 2 };
/* What one person can send to another; also well below a tar header's limit. */
static const size_t FILE_BYTES_MAX = (size_t)2 << 30;
static const char folder[] = "gait-bundle/";

void bundle_init(struct bundle *b, bool anonymous)
{
    *b = (struct bundle){.anonymous = anonymous};
}

void bundle_release(struct bundle *b)
{
    for (size_t i = 0; i < b->n; i++) {
        mem_free(b->file[i].name);
        mem_free(b->file[i].data);
    }
    mem_free(b->file);
    *b = (struct bundle){0};
}

static void take(struct bundle *b, const char *name, const char *what, char *data,
                 size_t bytes)
{
    vec_grow(b->file, b->cap, b->n + 1);
    b->file[b->n++] = (struct bundle_file){mem_strdup(name), what, data, bytes};
}

void bundle_add(struct bundle *b, const char *name, const char *what, const char *data,
                size_t bytes)
{
    char *copy = mem_alloc(bytes + 1);
    memcpy(copy, data, bytes);
    take(b, name, what, copy, bytes);
}

enum status bundle_add_file(struct bundle *b, const char *name, const char *what,
                            const char *path, struct err *err)
{
    char *data;
    size_t bytes;
    enum status st = file_read(&data, &bytes, path, FILE_BYTES_MAX, err);
    if (!st)
        take(b, name, what, data, bytes);
    return st;
}

static void describe(struct strbuf *out, const struct bundle *b)
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-bundle");
    json_field_int(&w, "version", MANIFEST_VERSION);
    json_field_string(&w, "gait", GAIT_VERSION);
    json_key(&w, "anonymous");
    json_bool(&w, b->anonymous);
    json_field_int(&w, "unread_files", (int64_t)b->unread);
    json_key(&w, "files");
    json_begin_array(&w);
    for (size_t i = 0; i < b->n; i++) {
        const struct bundle_file *f = &b->file[i];
        json_begin_object(&w);
        json_field_string(&w, "name", f->name);
        json_field_string(&w, "what", f->what);
        json_field_int(&w, "bytes", (int64_t)f->bytes);
        json_field_string(&w, "sha256", sha256_hex(sha256_of(f->data, f->bytes)).s);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
}

/* Header, the bytes, and zeros up to a whole block. */
static bool put_file(struct gzip_writer *z, const char *name, const char *data,
                     size_t bytes, int64_t time_s)
{
    static const uint8_t zeros[TAR_BLOCK_BYTES];
    uint8_t header[TAR_BLOCK_BYTES];
    char whole[TAR_NAME_MAX + 1];
    size_t rest = (TAR_BLOCK_BYTES - bytes % TAR_BLOCK_BYTES) % TAR_BLOCK_BYTES;
    snprintf(whole, sizeof whole, "%s%s", folder, name);
    tar_header(header, whole, bytes, time_s);
    return gzip_writer_add(z, header, sizeof header) && gzip_writer_add(z, data, bytes) &&
           gzip_writer_add(z, zeros, rest);
}

static bool put_all(struct gzip_writer *z, const struct bundle *b,
                    const struct strbuf *manifest)
{
    static const uint8_t zeros[END_BLOCKS * TAR_BLOCK_BYTES];
    int64_t time_s = clock_calendar_ns() / 1000000000;
    bool good = put_file(z, "manifest.json", manifest->s, manifest->len, time_s);
    for (size_t i = 0; i < b->n && good; i++)
        good = put_file(z, b->file[i].name, b->file[i].data, b->file[i].bytes, time_s);
    return good && gzip_writer_add(z, zeros, sizeof zeros) && gzip_writer_end(z);
}

enum status bundle_write(const struct bundle *b, const char *path, struct err *err)
{
    struct new_file f;
    struct strbuf manifest;
    enum status st = new_file_open(&f, path, NEW_FILE_ANY, err);
    if (st)
        return st;
    strbuf_init(&manifest);
    describe(&manifest, b);
    struct gzip_writer *z = gzip_writer_new(f.fd);
    if (put_all(z, b, &manifest))
        st = new_file_commit(&f, err);
    else {
        st = file_err(err, "write", path);
        new_file_discard(&f);
    }
    gzip_writer_free(z);
    strbuf_release(&manifest);
    return st;
}
