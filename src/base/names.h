/*
 * Interned strings: each distinct string has one small id, so that columns hold 4 bytes a
 * name and equality is ==. Id 0 is always the empty string. Names are bytes, not
 * necessarily UTF-8.
 */
#ifndef GAIT_BASE_NAMES_H
#define GAIT_BASE_NAMES_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

typedef uint32_t name_id;

struct names {
    struct arena text;
    const char **str; /* (n) by id; NUL-terminated. One allocation with the three below */
    uint64_t *hash;   /* (n) */
    uint32_t *len;    /* (n) */
    uint32_t *slot;   /* (2 cap) open addressing, id + 1, 0 = free */
    size_t n, cap;    /* cap is a power of two */
};

void names_init(struct names *t);
void names_release(struct names *t);

/* The id of s[0..len), added when new. A NUL byte inside is kept by len but ends
 * names_str(). */
name_id names_add(struct names *t, const char *s, size_t len);
name_id names_add_z(struct names *t, const char *s);
/* The id of an existing name, or -1. */
int64_t names_find(const struct names *t, const char *s, size_t len);
int64_t names_find_z(const struct names *t, const char *s);
const char *names_str(const struct names *t,
                      name_id id); /* lives until names_release() */

#endif
