#include "reduce/recent_index.h"

#include "base/mem.h"

/* Slots are as many as entries, so a walk of more than a few is no accident. */
enum { RECENT_WALK_MAX = 64, RECENT_CAP_FIRST = 1024 };

void recent_init(struct recent_index *x, size_t max)
{
    *x = (struct recent_index){.max = max};
}

void recent_release(struct recent_index *x)
{
    mem_free(x->key);
    mem_free(x->back);
    mem_free(x->slot);
    *x = (struct recent_index){0};
}

static void recent_link(struct recent_index *x, uint64_t entry, int64_t key)
{
    uint64_t *slot = recent_slot(x, key);
    bool reachable = *slot && entry - (*slot - 1) < x->cap;
    x->key[recent_place(x, entry)] = key;
    x->back[recent_place(x, entry)] = reachable ? (uint32_t)(entry - (*slot - 1)) : 0;
    *slot = entry + 1;
}

/* Nothing was forgotten yet, so entry i stands at place i before and after. */
static void recent_grow(struct recent_index *x)
{
    x->cap = x->cap ? 2 * x->cap : x->max < RECENT_CAP_FIRST ? x->max : RECENT_CAP_FIRST;
    x->key = mem_resize(x->key, x->cap, sizeof *x->key);
    x->back = mem_resize(x->back, x->cap, sizeof *x->back);
    mem_free(x->slot);
    x->slot = mem_zalloc(x->cap, sizeof *x->slot);
    for (uint64_t i = 0; i < x->n; i++)
        recent_link(x, i, x->key[i]);
}

uint64_t recent_add(struct recent_index *x, int64_t key)
{
    if (x->n >= x->cap && x->cap < x->max)
        recent_grow(x);
    recent_link(x, x->n, key);
    return x->n++;
}

int64_t recent_find_before(const struct recent_index *x, int64_t key, uint64_t entry)
{
    for (int walk = 0; walk < RECENT_WALK_MAX; walk++) {
        uint32_t back = x->back[recent_place(x, entry)];
        entry -= back;
        if (!back || x->n - entry > x->cap)
            return -1; /* none, or forgotten */
        if (x->key[recent_place(x, entry)] == key)
            return (int64_t)entry;
    }
    return -1;
}
