#include "reduce/cover_history.h"

#include "base/mem.h"

void cover_history_release(struct cover_history *h)
{
    mem_free(h->piece);
    *h = (struct cover_history){0};
}

static struct history_piece *piece_at(const struct cover_history *h, uint64_t i)
{
    return &h->piece[i & (h->cap - 1)];
}

void cover_history_add(struct cover_history *h, int64_t begin_ns, int64_t end_ns)
{
    int64_t before_ns = 0;
    if (end_ns <= begin_ns)
        return;
    if (h->n) {
        struct history_piece *last = piece_at(h, h->n - 1);
        if (begin_ns <= last->end_ns) {
            last->end_ns = end_ns > last->end_ns ? end_ns : last->end_ns;
            return;
        }
        before_ns = last->before_ns + (last->end_ns - last->begin_ns);
    }
    if (h->n >= h->cap && h->cap < COVER_HISTORY_PIECES) {
        h->cap = h->cap ? 2 * h->cap : 16;
        h->piece = mem_resize(h->piece, h->cap, sizeof *h->piece);
    }
    *piece_at(h, h->n++) = (struct history_piece){begin_ns, end_ns, before_ns};
}

/* Covered before t. Most questions are about the last piece or the one before it. */
static int64_t covered_before_ns(const struct cover_history *h, int64_t t_ns)
{
    uint64_t low = h->n > h->cap ? h->n - h->cap : 0, high = h->n, oldest = low;
    if (piece_at(h, h->n - 1)->begin_ns < t_ns)
        low = h->n;
    while (low < high) { /* the first piece that begins at or after t */
        uint64_t mid = low + (high - low) / 2;
        if (piece_at(h, mid)->begin_ns < t_ns)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == oldest)
        return piece_at(h, oldest)->before_ns;
    const struct history_piece *p = piece_at(h, low - 1);
    return p->before_ns + ((t_ns < p->end_ns ? t_ns : p->end_ns) - p->begin_ns);
}

int64_t cover_history_within_ns(const struct cover_history *h, int64_t begin_ns,
                                int64_t end_ns)
{
    if (!h->n || end_ns <= begin_ns)
        return 0;
    return covered_before_ns(h, end_ns) - covered_before_ns(h, begin_ns);
}
