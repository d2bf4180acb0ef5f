/* Device work by the calls that launched it, and the edits that take both along. */
#include "evidence/evidence_work.h"

#include "base/mem.h"
#include "evidence/sequences.h"

#include <stdlib.h>

static int compare_work(const void *a, const void *b)
{
    const struct launched_work *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->call_begin_ns != y->call_begin_ns)
        return x->call_begin_ns < y->call_begin_ns ? -1 : 1;
    return (x->span > y->span) - (x->span < y->span);
}

void evidence_find_work(struct evidence *e)
{
    const struct spans *s = &e->run->spans;
    size_t cap = 0;
    for (size_t i = 0; i < s->table.n; i++) {
        int64_t call = e->replay->launch[i];
        if (call < 0)
            continue;
        vec_grow(e->work, cap, e->n_work + 1);
        e->work[e->n_work++] =
            (struct launched_work){s->lane[call], s->begin_ns[call], (int64_t)i};
    }
    if (e->n_work)
        qsort(e->work, e->n_work, sizeof *e->work, compare_work);
}

/* How many of the list stand before this lane and time. */
static size_t work_before(const struct evidence *e, int32_t lane, int64_t ns)
{
    size_t low = 0, high = e->n_work;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct launched_work *w = &e->work[mid];
        if (w->lane < lane || (w->lane == lane && w->call_begin_ns < ns))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

size_t evidence_work(const struct evidence *e, int32_t lane, int64_t begin_ns,
                     int64_t end_ns, size_t *last)
{
    *last = work_before(e, lane, end_ns);
    return work_before(e, lane, begin_ns);
}

/* --- edits --- */

static int64_t end_with_gap_ns(const struct evidence *e, const struct host_thread *t,
                               const struct host_op *op)
{
    if (op->next < 0)
        return op->end_ns;
    int64_t gap_ns = t->op[op->next].begin_ns - op->end_ns;
    int64_t usual_ns = e->usual_gap_ns[e->run->spans.name[op->span]];
    gap_ns = gap_ns < usual_ns ? gap_ns : usual_ns;
    return op->end_ns + (gap_ns > 0 ? gap_ns : 0);
}

void evidence_edit_range(const struct evidence *e, struct edit_list *l, int32_t lane,
                         int64_t begin_ns, int64_t end_ns, double keep)
{
    size_t last, i = evidence_work(e, lane, begin_ns, end_ns, &last);
    edit_list_host(l, lane, begin_ns, end_ns, keep);
    for (; i < last && keep > 0; i++) /* with 0 the calls are gone, and with them this */
        edit_list_work(l, e->work[i].span, keep);
}

void evidence_edit_op(const struct evidence *e, struct edit_list *l,
                      const struct host_thread *t, const struct host_op *op, double keep,
                      bool with_backward)
{
    evidence_edit_range(e, l, t->lane, op->begin_ns,
                        keep > 0 ? op->end_ns : end_with_gap_ns(e, t, op), keep);
    if (with_backward)
        sequences_edit_backward(e, l, t, op, keep);
}
