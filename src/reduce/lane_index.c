#include "reduce/lane_index.h"

#include "base/mem.h"

static bool lane_same(const struct lane *a, const struct lane *b)
{
    return a->tid == b->tid && a->pid == b->pid && a->device == b->device &&
           a->kind == b->kind;
}

static uint64_t lane_hash(const struct lane *l)
{
    uint64_t h = (uint64_t)l->tid * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 31) ^ (uint64_t)l->pid) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 29) ^ (uint64_t)(uint32_t)l->device << 8 ^ l->kind) *
        0x94d049bb133111ebu;
    return h ^ (h >> 32);
}

void lane_index_release(struct lane_index *x)
{
    mem_free(x->lane);
    mem_free(x->slot);
    *x = (struct lane_index){0};
}

static void lane_index_rehash(struct lane_index *x, size_t slots)
{
    mem_free(x->slot);
    x->slot = mem_zalloc(slots, sizeof *x->slot);
    x->slots = slots;
    for (size_t k = 0; k < x->n; k++) {
        size_t i = lane_hash(&x->lane[k]) & (slots - 1);
        while (x->slot[i])
            i = (i + 1) & (slots - 1);
        x->slot[i] = (uint32_t)k + 1;
    }
}

/* The slot of this lane, or the free one where it belongs. */
static size_t lane_slot(const struct lane_index *x, const struct lane *lane)
{
    size_t i = lane_hash(lane) & (x->slots - 1);
    while (x->slot[i] && !lane_same(&x->lane[x->slot[i] - 1], lane))
        i = (i + 1) & (x->slots - 1);
    return i;
}

int32_t lane_index_find(const struct lane_index *x, const struct lane *lane)
{
    return x->n ? (int32_t)x->slot[lane_slot(x, lane)] - 1 : -1;
}

int32_t lane_index_add(struct lane_index *x, const struct lane *lane)
{
    if (x->n && lane_same(&x->lane[x->recent], lane))
        return (int32_t)x->recent;
    if (x->n * 2 >= x->slots)
        lane_index_rehash(x, x->slots ? x->slots * 2 : 64);
    size_t i = lane_slot(x, lane);
    if (!x->slot[i]) {
        vec_grow(x->lane, x->cap, x->n + 1);
        x->lane[x->n] = *lane;
        x->slot[i] = (uint32_t)++x->n;
    }
    x->recent = x->slot[i] - 1;
    return (int32_t)x->recent;
}
