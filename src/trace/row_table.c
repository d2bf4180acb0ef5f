#include "trace/row_table.h"

#include "base/mem.h"

#include <stdbool.h>

static uint64_t row_hash(const struct row_key *k)
{
    uint64_t h = (uint64_t)(uint32_t)k->kind << 32 | (uint32_t)k->device;
    h = (h ^ (uint64_t)k->pid) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29 ^ (uint64_t)k->tid) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

static bool row_same(const struct row_key *a, const struct row_key *b)
{
    return a->tid == b->tid && a->pid == b->pid && a->device == b->device &&
           a->kind == b->kind;
}

/* The slot of the key, or the free one where it belongs. */
static size_t row_slot(const struct row_table *t, const struct row_key *key)
{
    size_t i = row_hash(key) & (t->slots - 1);
    while (t->slot[i] && !row_same(&t->row[t->slot[i] - 1].key, key))
        i = (i + 1) & (t->slots - 1);
    return i;
}

static void row_rehash(struct row_table *t, size_t slots)
{
    mem_free(t->slot);
    t->slot = mem_zalloc(slots, sizeof *t->slot);
    t->slots = slots;
    for (size_t i = 0; i < t->n; i++)
        t->slot[row_slot(t, &t->row[i].key)] = (uint32_t)i + 1;
}

void row_table_release(struct row_table *t)
{
    mem_free(t->row);
    mem_free(t->slot);
    *t = (struct row_table){0};
}

struct row *row_table_find(struct row_table *t, struct row_key key)
{
    if (!t->n)
        return NULL;
    if (row_same(&t->row[t->recent].key, &key))
        return &t->row[t->recent];
    size_t slot = row_slot(t, &key);
    if (!t->slot[slot])
        return NULL;
    t->recent = t->slot[slot] - 1;
    return &t->row[t->recent];
}

struct row *row_table_add(struct row_table *t, struct row_key key)
{
    if (t->n >= ROWS_MAX)
        return NULL;
    if ((t->n + 1) * 2 > t->slots)
        row_rehash(t, t->slots ? t->slots * 2 : 64);
    vec_grow(t->row, t->cap, t->n + 1);
    t->slot[row_slot(t, &key)] = (uint32_t)t->n + 1;
    t->recent = t->n;
    t->row[t->n] = (struct row){.key = key};
    return &t->row[t->n++];
}

/* Newest first: nothing was put behind the newest row of a chain, so its slot is free
 * again without more. */
void row_table_forget(struct row_table *t, size_t n)
{
    while (t->n > n)
        t->slot[row_slot(t, &t->row[--t->n].key)] = 0;
    t->recent = 0;
}
