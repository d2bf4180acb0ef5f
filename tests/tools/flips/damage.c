#include "damage.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX_BYTES = 64 << 20 };

static _Noreturn void stop(const char *what, const char *path)
{
    fprintf(stderr, "flip_files: cannot %s %s\n", what, path);
    exit(2);
}

void damage_file_init(struct damage_file *f, const char *folder, const char *name)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s", folder, name);
    *f = (struct damage_file){.path = path.s, .name = mem_strdup(name)};
    if (file_read(&f->bytes, &f->n, f->path, FILE_MAX_BYTES, NULL) || !f->n)
        stop("read, or it is empty:", f->path);
}

void damage_file_release(struct damage_file *f)
{
    mem_free(f->path);
    mem_free(f->name);
    mem_free(f->bytes);
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

struct damage damage_choose(const struct damage_file *file, size_t n,
                            enum damage_kind kind, uint64_t seed, uint64_t number)
{
    uint64_t state = seed;
    state = next_random(&state) ^ number;
    struct damage d = {.kind = kind, .file = &file[next_random(&state) % n]};
    d.at = next_random(&state) % d.file->n;
    d.bit = (int)(next_random(&state) % 8);
    return d;
}

static void write_at(int fd, const struct damage_file *f, const char *bytes, size_t n,
                     size_t at)
{
    if (pwrite(fd, bytes, n, (off_t)at) != (ssize_t)n)
        stop("write", f->path);
}

static int open_file(const struct damage_file *f)
{
    int fd = open(f->path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        stop("write", f->path);
    return fd;
}

void damage_do(const struct damage *d)
{
    int fd = open_file(d->file);
    char wrong = (char)(d->file->bytes[d->at] ^ 1 << d->bit);
    if (d->kind == DAMAGE_FLIP)
        write_at(fd, d->file, &wrong, 1, d->at);
    else if (ftruncate(fd, (off_t)d->at))
        stop("cut", d->file->path);
    close(fd);
}

void damage_undo(const struct damage *d)
{
    const struct damage_file *f = d->file;
    int fd = open_file(f);
    size_t n = d->kind == DAMAGE_FLIP ? 1 : f->n - d->at;
    write_at(fd, f, f->bytes + d->at, n, d->at);
    close(fd);
}
