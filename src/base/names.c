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

static void names_rehash(struct names *t, size_t slots)
{
    mem_free(t->slot);
    t->slot = mem_zalloc(slots, sizeof *t->slot);
    t->slots = slots;
    for (size_t id = 0; id < t->n; id++) {
        size_t i = t->hash[id] & (slots - 1);
        while (t->slot[i])
            i = (i + 1) & (slots - 1);
        t->slot[i] = (uint32_t)id + 1;
    }
}

void names_init(struct names *t)
{
    *t = (struct names){0};
    arena_init(&t->text);
    names_rehash(t, 256);
    names_add(t, "", 0);
}

void names_release(struct names *t)
{
    arena_release(&t->text);
    mem_free(t->str);
    mem_free(t->len);
    mem_free(t->hash);
    mem_free(t->slot);
    *t = (struct names){0};
}

/* The slot that holds s, or the free one where it belongs. */
static size_t names_slot(const struct names *t, const char *s, size_t len, uint64_t hash)
{
    size_t i = hash & (t->slots - 1);
    while (t->slot[i]) {
        size_t id = t->slot[i] - 1;
        if (t->hash[id] == hash && t->len[id] == len && !memcmp(t->str[id], s, len))
            break;
        i = (i + 1) & (t->slots - 1);
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
    vec_grow(t->str, t->cap_str, t->n + 1);
    vec_grow(t->len, t->cap_len, t->n + 1);
    vec_grow(t->hash, t->cap_hash, t->n + 1);
    name_id id = (name_id)t->n++;
    t->str[id] = arena_strndup(&t->text, s, len);
    t->len[id] = (uint32_t)len;
    t->hash[id] = hash;
    t->slot[i] = id + 1;
    if (t->n * 2 > t->slots)
        names_rehash(t, t->slots * 2);
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
