#include "data/token_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "data/token_check.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct llmc_kind {
    int32_t magic, version;
    int width;
};

static const struct llmc_kind llmc_kinds[] = {{20240520, 1, 2}, {20240801, 7, 4}};

static enum status map_file(struct token_file *f, int fd, struct err *err)
{
    struct stat s;
    if (fstat(fd, &s))
        return file_err(err, "read", f->path);
    if (!S_ISREG(s.st_mode))
        return err_set(err, STATUS_INPUT,
                       "%s is not a regular file; name a file of tokens", f->path);
    if (s.st_size < 2)
        return err_set(err, STATUS_INPUT,
                       "%s holds no tokens; was it written to the end?", f->path);
    void *map = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return file_err(err, "map", f->path);
    f->map = map;
    f->map_bytes = (size_t)s.st_size;
    return STATUS_OK;
}

/* llm.c's header, if the file has one. */
static const struct llmc_kind *llmc_find(const struct token_file *f, int32_t *count)
{
    int32_t head[3];
    if (f->map_bytes < TOKEN_FILE_LLMC_HEADER_BYTES)
        return NULL;
    memcpy(head, f->map, sizeof head);
    *count = head[2];
    for (size_t i = 0; i < sizeof llmc_kinds / sizeof *llmc_kinds; i++)
        if (head[0] == llmc_kinds[i].magic && head[1] == llmc_kinds[i].version)
            return &llmc_kinds[i];
    return NULL;
}

static enum status set_llmc(struct token_file *f, const struct llmc_kind *kind,
                            int32_t count, struct err *err)
{
    size_t bytes = f->map_bytes - TOKEN_FILE_LLMC_HEADER_BYTES;
    if (count < 1 || (size_t)count * (size_t)kind->width != bytes)
        return err_set(err, STATUS_INPUT,
                       "%s: its header says %d tokens of %d bytes, and %zu bytes follow; "
                       "was it written to the end?",
                       f->path, count, kind->width, bytes);
    f->llmc = true;
    f->piece =
        (struct token_piece){.base = (const char *)f->map + TOKEN_FILE_LLMC_HEADER_BYTES,
                             .n = (size_t)count,
                             .width = kind->width};
    return STATUS_OK;
}

static enum status set_raw(struct token_file *f, int width, struct err *err)
{
    if (f->map_bytes % (size_t)width)
        return err_set(
            err, STATUS_INPUT,
            "%s has %zu bytes, which is not a whole number of %d-byte tokens; is "
            "it a file of tokens, and whole?",
            f->path, f->map_bytes, width);
    f->piece = (struct token_piece){
        .base = f->map, .n = f->map_bytes / (size_t)width, .width = width};
    return STATUS_OK;
}

enum status token_file_open(struct token_file *f, const char *path, int width,
                            struct err *err)
{
    *f = (struct token_file){.path = mem_strdup(path)};
    int32_t count;
    int fd;
    enum status st = file_open_input(&fd, path, err);
    if (!st) {
        st = map_file(f, fd, err);
        close(fd);
    }
    if (!st) {
        const struct llmc_kind *kind = width ? NULL : llmc_find(f, &count);
        st = kind ? set_llmc(f, kind, count, err) : set_raw(f, width ? width : 2, err);
    }
    if (st)
        token_file_close(f);
    else
        f->piece.path = f->path;
    return st;
}

void token_file_check(struct token_file *f, const char *hashes)
{
    if (f->llmc)
        BUG("hashes of a file with a header");
    f->check = token_check_new(f->path, f->map, f->map_bytes, hashes);
    f->piece.check = f->check;
}

void token_file_close(struct token_file *f)
{
    token_check_free(f->check);
    if (f->map)
        munmap(f->map, f->map_bytes);
    mem_free(f->path);
    *f = (struct token_file){0};
}
