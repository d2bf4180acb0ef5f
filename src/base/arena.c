#include "base/arena.h"

#include "base/mem.h"

#include <stdalign.h>
#include <string.h>

/* Blocks double, so that a small arena costs little and a large one few blocks. */
enum {
    ARENA_BLOCK_MIN_BYTES = 1 << 10,
    ARENA_BLOCK_MAX_BYTES = 64 << 10,
    ARENA_ALIGN = 16
};

struct arena_block {
    struct arena_block *older;
    size_t bytes;
    alignas(ARENA_ALIGN) char data[];
};

void arena_init(struct arena *a)
{
    *a = (struct arena){0};
}

void arena_release(struct arena *a)
{
    while (a->block) {
        struct arena_block *older = a->block->older;
        mem_free(a->block);
        a->block = older;
    }
    arena_init(a);
}

static void arena_add_block(struct arena *a, size_t need)
{
    size_t bytes = a->block ? 2 * a->block->bytes : ARENA_BLOCK_MIN_BYTES;
    if (bytes > ARENA_BLOCK_MAX_BYTES)
        bytes = ARENA_BLOCK_MAX_BYTES;
    if (bytes < need)
        bytes = need;
    struct arena_block *b = mem_alloc(sizeof *b + bytes);
    b->older = a->block;
    b->bytes = bytes;
    a->block = b;
    a->used = 0;
    a->total_bytes += bytes;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    bytes = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (!a->block || a->block->bytes - a->used < bytes)
        arena_add_block(a, bytes);
    void *p = a->block->data + a->used;
    a->used += bytes;
    return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *copy = arena_alloc(a, n + 1);
    memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}
