/*
 * A cover: the union of intervals of time, as disjoint sorted pieces. How much of a
 * window something was going on, whatever overlapped and in whatever order it came: what
 * the tests hold the sweep against.
 */
#ifndef GAIT_TESTS_COVER_H
#define GAIT_TESTS_COVER_H

#include "base/mem.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct cover_piece {
    int64_t begin_ns, end_ns;
    int64_t before_ns; /* covered by all earlier pieces; filled in by cover_finish() */
};

struct cover {
    struct cover_piece *piece; /* (n) */
    size_t n, cap;
};

static inline void cover_init(struct cover *c)
{
    *c = (struct cover){0};
}

static inline void cover_release(struct cover *c)
{
    mem_free(c->piece);
    cover_init(c);
}

static inline void cover_add(struct cover *c, int64_t begin_ns, int64_t end_ns)
{
    if (end_ns <= begin_ns)
        return;
    /* Most sources are nearly sorted: joining at once keeps the list short. */
    if (c->n && begin_ns >= c->piece[c->n - 1].begin_ns &&
        begin_ns <= c->piece[c->n - 1].end_ns) {
        if (end_ns > c->piece[c->n - 1].end_ns)
            c->piece[c->n - 1].end_ns = end_ns;
        return;
    }
    vec_grow(c->piece, c->cap, c->n + 1);
    c->piece[c->n++] = (struct cover_piece){begin_ns, end_ns, 0};
}

static inline void cover_add_all(struct cover *c, const struct cover *other)
{
    for (size_t i = 0; i < other->n; i++)
        cover_add(c, other->piece[i].begin_ns, other->piece[i].end_ns);
}

static inline int compare_piece(const void *a, const void *b)
{
    const struct cover_piece *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static inline void cover_finish(struct cover *c)
{
    if (!c->n)
        return;
    qsort(c->piece, c->n, sizeof *c->piece, compare_piece);
    size_t last = 0;
    for (size_t i = 1; i < c->n; i++) {
        struct cover_piece *p = &c->piece[last];
        if (c->piece[i].begin_ns > p->end_ns)
            c->piece[++last] = c->piece[i];
        else if (c->piece[i].end_ns > p->end_ns)
            p->end_ns = c->piece[i].end_ns;
    }
    c->n = last + 1;
    int64_t before_ns = 0;
    for (size_t i = 0; i < c->n; i++) {
        c->piece[i].before_ns = before_ns;
        before_ns += c->piece[i].end_ns - c->piece[i].begin_ns;
    }
}

/* Covered time before t. */
static inline int64_t cover_until_ns(const struct cover *c, int64_t t_ns)
{
    size_t low = 0, high = c->n; /* the first piece that begins at or after t */
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c->piece[mid].begin_ns < t_ns)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low)
        return 0;
    const struct cover_piece *p = &c->piece[low - 1];
    return p->before_ns + ((t_ns < p->end_ns ? t_ns : p->end_ns) - p->begin_ns);
}

static inline int64_t cover_total_ns(const struct cover *c)
{
    return c->n ? cover_until_ns(c, INT64_MAX) : 0;
}

static inline int64_t cover_within_ns(const struct cover *c, int64_t begin_ns,
                                      int64_t end_ns)
{
    return end_ns > begin_ns ? cover_until_ns(c, end_ns) - cover_until_ns(c, begin_ns)
                             : 0;
}

#endif
