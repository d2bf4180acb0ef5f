/*
 * The latest so many things that have a number, found by that number: what is older is
 * forgotten. Entries are counted 0, 1, 2 … as they come; entry i stands at
 * recent_place(x, i) of whatever arrays the user keeps beside it, (x->cap) long. A number
 * that comes again hides the older one. A lookup looks at a bounded number of entries,
 * whatever numbers a hostile recording chooses. Private to run.
 */
#ifndef GAIT_REDUCE_RECENT_INDEX_H
#define GAIT_REDUCE_RECENT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recent_index {
    int64_t *key; /* (cap) */
    uint32_t
        *back; /* (cap) how many entries ago stands the next of the same slot; 0: no */
    uint64_t *slot;  /* (cap) the latest entry of a hash, + 1; 0: none */
    size_t cap, max; /* powers of two */
    uint64_t n;      /* entries so far, forgotten ones too */
};

void recent_init(struct recent_index *x, size_t max);
void recent_release(struct recent_index *x);

static inline size_t recent_place(const struct recent_index *x, uint64_t entry)
{
    return entry & (x->cap - 1);
}

/* Will the next add forget an entry? It is x->n - x->cap. */
static inline bool recent_is_full(const struct recent_index *x)
{
    return x->cap == x->max && x->n >= x->cap;
}

/* The entry. x->cap may have grown. */
uint64_t recent_add(struct recent_index *x, int64_t key);
/* The latest entry of this number before `entry`, which has one of the same slot; or -1.
 */
int64_t recent_find_before(const struct recent_index *x, int64_t key, uint64_t entry);

/* The entry is not found any more. */
static inline void recent_hide(struct recent_index *x, uint64_t entry)
{
    x->key[recent_place(x, entry)] = INT64_MIN; /* no correlation is negative */
}

/* Numbers are counted up for the most part: neighbours stay neighbours, so that what is
 * looked up lies in the cache. */
static inline uint64_t *recent_slot(const struct recent_index *x, int64_t key)
{
    uint64_t k = (uint64_t)key;
    return &x->slot[(k ^ k >> 20 ^ k >> 40) & (x->cap - 1)];
}

/* The latest entry of this number, or -1. */
static inline int64_t recent_find(const struct recent_index *x, int64_t key)
{
    uint64_t latest = x->n ? *recent_slot(x, key) : 0;
    if (!latest || x->n - (latest - 1) > x->cap)
        return -1; /* none, or forgotten */
    if (x->key[recent_place(x, latest - 1)] == key)
        return (int64_t)(latest - 1);
    return recent_find_before(x, key, latest - 1);
}

#endif
