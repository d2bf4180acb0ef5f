/*
 * A bump allocator in blocks: many small objects with one lifetime, freed together.
 * Pointers stay valid until arena_release().
 */
#ifndef GAIT_BASE_ARENA_H
#define GAIT_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *block; /* the newest block; older ones hang behind it */
    size_t used;               /* bytes taken of the newest block */
    size_t total_bytes;        /* of all blocks */
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);
void *arena_alloc(struct arena *a, size_t bytes); /* 16-byte aligned, uninitialised */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);

#endif
