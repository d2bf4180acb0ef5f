#include "data/token_check.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <string.h>

struct token_check {
    const char *path, *base;
    size_t bytes;
    char *hashes;           /* (blocks, CONTENT_HASH_DIGITS) */
    atomic_uchar *is_sound; /* (blocks) compared, and the same */
};

size_t token_blocks(uint64_t bytes)
{
    return (size_t)((bytes + TOKEN_BLOCK_BYTES - 1) / TOKEN_BLOCK_BYTES);
}

struct token_check *token_check_new(const char *path, const void *base, size_t bytes,
                                    const char *hashes)
{
    struct token_check *c = mem_zalloc(1, sizeof *c);
    size_t blocks = token_blocks(bytes);
    c->path = path;
    c->base = base;
    c->bytes = bytes;
    c->hashes = mem_strndup(hashes, blocks * CONTENT_HASH_DIGITS);
    c->is_sound = mem_zalloc(blocks, sizeof *c->is_sound);
    return c;
}

void token_check_free(struct token_check *c)
{
    if (!c)
        return;
    mem_free(c->hashes);
    mem_free(c->is_sound);
    mem_free(c);
}

static enum status check_block(struct token_check *c, size_t block, struct err *err)
{
    size_t begin = block * TOKEN_BLOCK_BYTES, left = c->bytes - begin;
    size_t n = left < TOKEN_BLOCK_BYTES ? left : TOKEN_BLOCK_BYTES;
    struct content_hash_text hash = content_hash_of(c->base + begin, n);
    if (memcmp(hash.s, c->hashes + block * CONTENT_HASH_DIGITS, CONTENT_HASH_DIGITS) != 0)
        return err_set(err, STATUS_INPUT,
                       "%s is damaged: its bytes %zu … %zu are not those that gait data "
                       "prepare wrote; copy it again from where it is whole, or prepare "
                       "the data again",
                       c->path, begin, begin + n - 1);
    /* Two threads may compare the same block: they find the same. */
    atomic_store_explicit(&c->is_sound[block], 1, memory_order_relaxed);
    return STATUS_OK;
}

enum status token_check_part(struct token_check *c, const void *at, size_t n,
                             struct err *err)
{
    size_t begin = (size_t)((const char *)at - c->base);
    if (begin > c->bytes || n > c->bytes - begin)
        BUG("bytes %zu … + %zu of %zu", begin, n, c->bytes);
    enum status st = STATUS_OK;
    for (size_t b = begin / TOKEN_BLOCK_BYTES, end = token_blocks(begin + n);
         n && b < end && !st; b++)
        if (!atomic_load_explicit(&c->is_sound[b], memory_order_relaxed))
            st = check_block(c, b, err);
    return st;
}
