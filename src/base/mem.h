/*
 * Heap memory that is never NULL: a process that cannot get it ends with exit code 4 and
 * the size that was asked for. Sizes that come from a file are checked against a stated
 * limit before they get here.
 */
#ifndef GAIT_BASE_MEM_H
#define GAIT_BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t bytes);           /* uninitialised; free with mem_free() */
void *mem_zalloc(size_t n, size_t size); /* zeroed; n * size is checked for overflow */
void *mem_resize(void *p, size_t n, size_t size);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
void mem_free(void *p);

/* For a library that found no memory where nothing can be returned: the same end. */
_Noreturn void mem_refused(const char *who);
/* A sentence for the user where that happens, like where unsaved work lies. The caller
 * keeps it until another takes its place; NULL: none. */
void mem_say_if_refused(const char *sentence);

/* Grow an array so that it holds at least `need` elements; the growth is geometric.
 * p and cap are lvalues: vec_grow(v->item, v->cap, v->n + 1). */
#define vec_grow(p, cap, need)                                                           \
    do {                                                                                 \
        size_t vec_need_ = (need);                                                       \
        if (vec_need_ > (cap)) {                                                         \
            size_t vec_cap_ = (cap) ? (cap)*2 : 16;                                      \
            if (vec_cap_ < vec_need_)                                                    \
                vec_cap_ = vec_need_;                                                    \
            (p) = mem_resize((p), vec_cap_, sizeof *(p));                                \
            (cap) = vec_cap_;                                                            \
        }                                                                                \
    } while (0)

#endif
