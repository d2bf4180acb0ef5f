/* Tokens as they are made: a growing list of ids. */
#ifndef GAIT_DATA_TOKEN_LIST_H
#define GAIT_DATA_TOKEN_LIST_H

#include "base/mem.h"

#include <stddef.h>
#include <stdint.h>

typedef uint32_t token_id;

struct token_list {
    token_id *id; /* (n) */
    size_t n, cap;
};

static inline void token_list_add(struct token_list *l, token_id id)
{
    vec_grow(l->id, l->cap, l->n + 1);
    l->id[l->n++] = id;
}

static inline void token_list_release(struct token_list *l)
{
    mem_free(l->id);
    *l = (struct token_list){0};
}

#endif
