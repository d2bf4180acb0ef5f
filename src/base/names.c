#include "base/names.h"

#include "base/mem.h"
#include "base/status.h"

#include <string.h>

/* FNV-1a over 8 bytes at a time, mixed at the end: short names, no adversary-proofing
 * needed beyond bounded growth, since the table doubles and never degrades below half
 * empty. */
static uint64_t name_hash(const char *s, size_t len)
{
    uint64_t h = 0xcbf29ce484222325u ^ len;
    while (len >= 8) {
        uint64_t word;
        memcpy(&word, s, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
        s += 8;
        len -= 8;
    }
    uint64_t tail = 0;
    memcpy(&tail, s, len);
    h = (h ^ tail) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
}

enum { NAMES_CAP_FIRST = 16 };

static size_t names_slots(const struct names *t)
{
    return 2 * t->cap;
}

static void names_fill_slots(struct names *t)
{
    size_t mask = names_slots(t) - 1;
    memset(t->slot, 0, names_slots(t) * sizeof *t->slot);
    for (size_t id = 0; id < t->n; id++) {
        size_t i = t->hash[id] & mask;
        while (t->slot[i])
            i = (i + 1) & mask;
        t->slot[i] = (uint32_t)id + 1;
    }
}

/* Room for cap names, the wider columns first so that all are aligned. There are many
 * small tables: one allocation each. */
static void names_grow(struct names *t, size_t cap)
{
    struct names old = *t;
    size_t wide = sizeof *t->str + sizeof *t->hash;
    size_t narrow = sizeof *t->len + 2 * sizeof *t->slot;
    t->cap = cap;
    t->str = mem_resize(NULL, cap, wide + narrow);
    t->hash = (uint64_t *)(void *)(t->str + cap);
    t->len = (uint32_t *)(void *)(t->hash + cap);
    t->slot = t->len + cap;
    if (old.n) {
        memcpy(t->str, old.str, old.n * sizeof *t->str);
        memcpy(t->hash, old.hash, old.n * sizeof *t->hash);
        memcpy(t->len, old.len, old.n * sizeof *t->len);
    }
    names_fill_slots(t);
    mem_free(old.str);
}

void names_init(struct names *t)
{
    *t = (struct names){0};
    arena_init(&t->text);
    names_grow(t, NAMES_CAP_FIRST);
    names_add(t, "", 0);
}

void names_release(struct names *t)
{
    arena_release(&t->text);
    mem_free(t->str);
    *t = (struct names){0};
}

/* The slot that holds s, or the free one where it belongs. */
static size_t names_slot(const struct names *t, const char *s, size_t len, uint64_t hash)
{
    size_t mask = names_slots(t) - 1, i = hash & mask;
    while (t->slot[i]) {
        size_t id = t->slot[i] - 1;
        if (t->hash[id] == hash && t->len[id] == len && !memcmp(t->str[id], s, len))
            break;
        i = (i + 1) & mask;
    }
    return i;
}

name_id names_add(struct names *t, const char *s, size_t len)
{
    uint64_t hash = name_hash(s, len);
    size_t i = names_slot(t, s, len, hash);
    if (t->slot[i])
        return t->slot[i] - 1;
    if (t->n >= UINT32_MAX - 1 || len > UINT32_MAX)
        BUG("too many names");
    if (t->n == t->cap) {
        names_grow(t, 2 * t->cap);
        i = names_slot(t, s, len, hash);
    }
    name_id id = (name_id)t->n++;
    t->str[id] = len ? arena_strndup(&t->text, s, len) : "";
    t->len[id] = (uint32_t)len;
    t->hash[id] = hash;
    t->slot[i] = id + 1;
    return id;
}

name_id names_add_z(struct names *t, const char *s)
{
    return names_add(t, s, strlen(s));
}

int64_t names_find(const struct names *t, const char *s, size_t len)
{
    return (int64_t)t->slot[names_slot(t, s, len, name_hash(s, len))] - 1;
}

int64_t names_find_z(const struct names *t, const char *s)
{
    return names_find(t, s, strlen(s));
}

const char *names_str(const struct names *t, name_id id)
{
    if (id >= t->n)
        BUG("name %u of %zu", id, t->n);
    return t->str[id];
}
