#include "data/shard_writer.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "data/token_check.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { COPY_TOKENS = 1 << 18 };

void shard_writer_init(struct shard_writer *w, const char *dir, const char *stem,
                       int width, uint64_t shard_tokens)
{
    *w = (struct shard_writer){
        .dir = dir, .stem = stem, .width = width, .shard_tokens = shard_tokens};
    w->hasher = content_hash_new();
    strbuf_init(&w->hashes);
}

void shard_writer_release(struct shard_writer *w)
{
    if (w->f)
        fclose(w->f);
    mem_free(w->scratch);
    content_hash_free(w->hasher);
    strbuf_release(&w->hashes);
    prepared_shards_release(&w->shards);
    *w = (struct shard_writer){0};
}

static char *shard_path(const struct shard_writer *w, size_t shard)
{
    return path_join(w->dir, w->shards.item[shard].file);
}

static enum status shard_err(const struct shard_writer *w, size_t shard,
                             const char *doing, struct err *err)
{
    int saved = errno;
    char *path = shard_path(w, shard);
    errno = saved;
    enum status st = file_err(err, doing, path);
    mem_free(path);
    return st;
}

static FILE *shard_open(const struct shard_writer *w, size_t shard, const char *mode)
{
    char *path = shard_path(w, shard);
    FILE *f = fopen(path, mode);
    int saved = errno;
    mem_free(path);
    errno = saved;
    return f;
}

/* The open shard's last block is complete. */
static void end_block(struct shard_writer *w)
{
    strbuf_puts(&w->hashes, content_hash_text(w->hasher).s);
    content_hash_reset(w->hasher);
    w->hashed_bytes = 0;
}

static void hash_bytes(struct shard_writer *w, const char *bytes, size_t n)
{
    while (n) {
        size_t room = TOKEN_BLOCK_BYTES - w->hashed_bytes, take = n < room ? n : room;
        content_hash_add(w->hasher, bytes, take);
        w->hashed_bytes += take;
        if (w->hashed_bytes == TOKEN_BLOCK_BYTES)
            end_block(w);
        bytes += take;
        n -= take;
    }
}

static enum status open_next(struct shard_writer *w, struct err *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%05zu.bin", w->stem, w->shards.n);
    prepared_shards_add(&w->shards, name, 0, NULL);
    w->f = shard_open(w, w->shards.n - 1, "wbx");
    return w->f ? STATUS_OK : shard_err(w, w->shards.n - 1, "write", err);
}

enum status shard_writer_end(struct shard_writer *w, struct err *err)
{
    if (!w->f)
        return STATUS_OK;
    if (w->hashed_bytes)
        end_block(w);
    w->shards.item[w->shards.n - 1].hashes = strbuf_detach(&w->hashes);
    bool good = !fflush(w->f) && !fsync(fileno(w->f));
    int saved = errno;
    if (fclose(w->f) && good) {
        saved = errno;
        good = false;
    }
    w->f = NULL;
    errno = saved;
    return good ? STATUS_OK : shard_err(w, w->shards.n - 1, "write", err);
}

/* Tokens that have their width already. */
static enum status add_raw(struct shard_writer *w, const char *raw, size_t n,
                           struct err *err)
{
    enum status st = STATUS_OK;
    while (n && !st) {
        if (!w->f)
            st = open_next(w, err);
        if (st)
            break;
        struct prepared_shard *shard = &w->shards.item[w->shards.n - 1];
        uint64_t room = w->shard_tokens - shard->tokens;
        size_t take = n < room ? n : (size_t)room;
        if (fwrite(raw, (size_t)w->width, take, w->f) != take)
            return shard_err(w, w->shards.n - 1, "write", err);
        hash_bytes(w, raw, take * (size_t)w->width);
        shard->tokens += take;
        w->n += take;
        raw += take * (size_t)w->width;
        n -= take;
        if (shard->tokens == w->shard_tokens)
            st = shard_writer_end(w, err);
    }
    return st;
}

enum status shard_writer_add(struct shard_writer *w, const token_id *id, size_t n,
                             struct err *err)
{
    vec_grow(w->scratch, w->cap_scratch, n * (size_t)w->width);
    for (size_t i = 0; i < n; i++) {
        uint16_t narrow = (uint16_t)id[i];
        const void *from = w->width == 2 ? (const void *)&narrow : (const void *)&id[i];
        memcpy(w->scratch + i * (size_t)w->width, from, (size_t)w->width);
    }
    return add_raw(w, w->scratch, n, err);
}

/* The tokens of a closed shard from `at` on. */
static enum status copy_tail(const struct shard_writer *w, size_t shard, uint64_t at,
                             struct shard_writer *to, struct err *err)
{
    size_t width = (size_t)w->width, got;
    enum status st = STATUS_OK;
    FILE *f = shard_open(w, shard, "rb");
    if (!f)
        return shard_err(w, shard, "read", err);
    char *buffer = mem_alloc(COPY_TOKENS * width);
    bool good = !fseeko(f, (off_t)(at * width), SEEK_SET);
    while (good && !st && (got = fread(buffer, width, COPY_TOKENS, f)) > 0)
        st = add_raw(to, buffer, got, err);
    if (!st && (!good || ferror(f)))
        st = shard_err(w, shard, "read", err);
    mem_free(buffer);
    fclose(f);
    return st;
}

/* The hashes of a shard that was cut: of its last block anew, from the disk. */
static enum status hash_again(struct shard_writer *w, size_t shard, struct err *err)
{
    struct prepared_shard *s = &w->shards.item[shard];
    uint64_t bytes = s->tokens * (uint64_t)w->width;
    size_t whole = (size_t)(bytes / TOKEN_BLOCK_BYTES);
    size_t rest = (size_t)(bytes % TOKEN_BLOCK_BYTES);
    s->hashes[whole * CONTENT_HASH_DIGITS] = '\0';
    if (!rest)
        return STATUS_OK;
    FILE *f = shard_open(w, shard, "rb");
    if (!f)
        return shard_err(w, shard, "read", err);
    char *block = mem_alloc(rest);
    bool good =
        !fseeko(f, (off_t)(bytes - rest), SEEK_SET) && fread(block, 1, rest, f) == rest;
    enum status st = good ? STATUS_OK : shard_err(w, shard, "read", err);
    if (good) {
        strbuf_clear(&w->hashes);
        strbuf_puts(&w->hashes, s->hashes);
        strbuf_puts(&w->hashes, content_hash_of(block, rest).s);
        mem_free(s->hashes);
        s->hashes = strbuf_detach(&w->hashes);
    }
    mem_free(block);
    fclose(f);
    return st;
}

/* Keep the first tokens of the last shard; with none of them it goes. */
static enum status shrink_last(struct shard_writer *w, uint64_t tokens, struct err *err)
{
    size_t last = w->shards.n - 1;
    char *path = shard_path(w, last);
    int failed =
        tokens ? truncate(path, (off_t)(tokens * (uint64_t)w->width)) : unlink(path);
    mem_free(path);
    if (failed)
        return shard_err(w, last, "write", err);
    w->shards.item[last].tokens = tokens;
    if (tokens)
        return hash_again(w, last, err);
    prepared_shard_release(&w->shards.item[--w->shards.n]);
    return STATUS_OK;
}

enum status shard_writer_cut(struct shard_writer *w, uint64_t keep,
                             struct shard_writer *rest, struct err *err)
{
    uint64_t begin = 0;
    enum status st = STATUS_OK;
    for (size_t i = 0; i < w->shards.n && !st; i++) {
        uint64_t n = w->shards.item[i].tokens;
        if (begin + n > keep)
            st = copy_tail(w, i, keep > begin ? keep - begin : 0, rest, err);
        begin += n;
    }
    while (!st && w->n > keep) {
        uint64_t n = w->shards.item[w->shards.n - 1].tokens, before = w->n - n;
        st = shrink_last(w, keep > before ? keep - before : 0, err);
        w->n = keep > before ? keep : before;
    }
    return st ? st : shard_writer_end(rest, err);
}
