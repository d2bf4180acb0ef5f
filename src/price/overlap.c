#include "price/overlap.h"

#include "base/mem.h"

struct pieces {
    struct host_edit *piece; /* (n) apart from one another, in order */
    size_t n;
};

static struct pieces pieces_of(const struct evidence *e, const struct edit_list *l)
{
    struct edits edits;
    struct pieces p;
    edits_init(&edits, e->replay);
    edit_list_apply(l, &edits);
    p.piece = edits_host_pieces(&edits, &p.n);
    edits_release(&edits);
    return p;
}

static bool is_before(const struct host_edit *a, const struct host_edit *b)
{
    return a->lane != b->lane ? a->lane < b->lane : a->end_ns <= b->begin_ns;
}

static double shared_ns(const struct host_edit *a, const struct host_edit *b)
{
    int64_t begin_ns = a->begin_ns > b->begin_ns ? a->begin_ns : b->begin_ns;
    int64_t end_ns = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;
    return (double)(end_ns - begin_ns);
}

double overlap_frac(const struct evidence *e, const struct edit_list *outer,
                    const struct edit_list *inner)
{
    struct pieces a = pieces_of(e, outer), b = pieces_of(e, inner);
    double all_ns = 0, both_ns = 0;
    for (size_t i = 0; i < b.n; i++)
        all_ns += (double)(b.piece[i].end_ns - b.piece[i].begin_ns);
    for (size_t i = 0, k = 0; i < a.n && k < b.n;) {
        const struct host_edit *x = &a.piece[i], *y = &b.piece[k];
        if (is_before(x, y)) {
            i++;
        } else if (is_before(y, x)) {
            k++;
        } else {
            both_ns += shared_ns(x, y);
            if (x->end_ns < y->end_ns)
                i++;
            else
                k++;
        }
    }
    mem_free(a.piece);
    mem_free(b.piece);
    return all_ns > 0 ? both_ns / all_ns : 0;
}
