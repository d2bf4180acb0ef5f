#include "evidence/edit_list.h"

#include "base/mem.h"

#include <stdlib.h>

void edit_list_release(struct edit_list *l)
{
    mem_free(l->edit);
    *l = (struct edit_list){0};
}

static void add(struct edit_list *l, struct edit e)
{
    vec_grow(l->edit, l->cap, l->n + 1);
    l->edit[l->n++] = e;
}

/* Less than this of any host time is nothing, and still more than the 0 with which calls
 * are gone. */
static const double ALMOST_NOTHING = 1e-9;

static void add_range(struct edit_list *l, enum edit_kind kind, int32_t lane,
                      int64_t begin_ns, int64_t end_ns, double keep)
{
    if (end_ns > begin_ns)
        add(l, (struct edit){.kind = kind,
                             .lane = lane,
                             .span = -1,
                             .begin_ns = begin_ns,
                             .end_ns = end_ns,
                             .keep = keep});
}

void edit_list_host(struct edit_list *l, int32_t lane, int64_t begin_ns, int64_t end_ns,
                    double keep)
{
    add_range(l, EDIT_HOST, lane, begin_ns, end_ns, keep);
}

void edit_list_dispatch(struct edit_list *l, int32_t lane, int64_t begin_ns,
                        int64_t end_ns, double keep)
{
    add_range(l, EDIT_DISPATCH, lane, begin_ns, end_ns, keep);
}

void edit_list_work(struct edit_list *l, int64_t span, double keep)
{
    add(l, (struct edit){.kind = EDIT_WORK, .lane = -1, .span = span, .keep = keep});
}

void edit_list_unblock(struct edit_list *l, int64_t call)
{
    add(l, (struct edit){.kind = EDIT_UNBLOCK, .lane = -1, .span = call, .keep = 1});
}

void edit_list_append(struct edit_list *l, const struct edit_list *more)
{
    for (size_t i = 0; i < more->n; i++)
        add(l, more->edit[i]);
}

void edit_list_set_keep(struct edit_list *l, double keep)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->edit[i].kind != EDIT_UNBLOCK)
            l->edit[i].keep = keep;
}

/* --- applying --- */

struct work_edit {
    int64_t span;
    size_t at;
};

static int compare_work(const void *a, const void *b)
{
    const struct work_edit *x = a, *y = b;
    if (x->span != y->span)
        return x->span < y->span ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void apply_work(const struct edit_list *l, struct edits *e)
{
    struct work_edit *work = mem_alloc((l->n + 1) * sizeof *work);
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->edit[i].kind == EDIT_WORK)
            work[n++] = (struct work_edit){l->edit[i].span, i};
    if (n)
        qsort(work, n, sizeof *work, compare_work);
    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n || work[i + 1].span != work[i].span;
        if (last)
            edits_work(e, work[i].span, l->edit[work[i].at].keep);
    }
    mem_free(work);
}

void edit_list_apply(const struct edit_list *l, struct edits *e)
{
    apply_work(l, e);
    for (size_t i = 0; i < l->n; i++) {
        const struct edit *x = &l->edit[i];
        if (x->kind == EDIT_HOST)
            edits_host(e, x->lane, x->begin_ns, x->end_ns, x->keep);
        else if (x->kind == EDIT_DISPATCH)
            edits_host(e, x->lane, x->begin_ns, x->end_ns,
                       x->keep > ALMOST_NOTHING ? x->keep : ALMOST_NOTHING);
        else if (x->kind == EDIT_UNBLOCK)
            edits_unblock(e, x->span);
    }
}
