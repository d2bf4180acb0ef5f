#include "evidence/sequences.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool sequences_is_backward(const char *name)
{
    static const char prefix[] = "autograd::engine::evaluate_function";
    return !strncmp(name, prefix, sizeof prefix - 1);
}

static int compare_sequence(const void *a, const void *b)
{
    const struct sequence *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->span > y->span) - (x->span < y->span);
}

static size_t first_of(const struct sequence *s, size_t n, int64_t number)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s[mid].number < number)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void collect(struct evidence *e, struct sequence **list, size_t *n, bool backward)
{
    size_t cap = 0;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            int64_t number = e->run->spans.correlation[t->op[i].span];
            if (t->op[i].kind != SPAN_KIND_OP || !number)
                continue;
            bool marked = sequences_is_backward(evidence_name(e, &t->op[i]));
            if (backward ? !marked : t->op[i].backward)
                continue;
            vec_grow(*list, cap, *n + 1);
            (*list)[(*n)++] = (struct sequence){number, t->op[i].span};
        }
    }
    if (*n)
        qsort(*list, *n, sizeof **list, compare_sequence);
}

void sequences_find(struct evidence *e)
{
    const int64_t *begin_ns = e->run->spans.begin_ns;
    collect(e, &e->owner, &e->n_owners, false);
    collect(e, &e->backward, &e->n_backward, true);
    size_t n = 0;
    for (size_t i = 0; i < e->n_owners; i++) { /* the last to begin owns the number */
        struct sequence *last = n ? &e->owner[n - 1] : NULL;
        if (last && last->number == e->owner[i].number) {
            if (begin_ns[e->owner[i].span] >= begin_ns[last->span])
                last->span = e->owner[i].span;
        } else {
            e->owner[n++] = e->owner[i];
        }
    }
    e->n_owners = n;
}

/* The first backward work of the operator's own number; e->n_backward: none. */
static size_t backward_of(const struct evidence *e, const struct host_op *op)
{
    int64_t number = e->run->spans.correlation[op->span];
    if (op->kind != SPAN_KIND_OP || !number)
        return e->n_backward;
    size_t owner = first_of(e->owner, e->n_owners, number);
    if (owner == e->n_owners || e->owner[owner].span != op->span)
        return e->n_backward;
    size_t i = first_of(e->backward, e->n_backward, number);
    return i < e->n_backward && e->backward[i].number == number ? i : e->n_backward;
}

bool sequences_is_trained(const struct evidence *e, const struct host_thread *t,
                          const struct host_op *op)
{
    for (const struct host_op *x = op; x < t->op + t->n && x->begin_ns < op->end_ns; x++)
        if (backward_of(e, x) < e->n_backward)
            return true;
    return false;
}

void sequences_edit_backward(const struct evidence *e, struct edit_list *l,
                             const struct host_thread *t, const struct host_op *op,
                             double keep)
{
    const struct spans *s = &e->run->spans;
    for (const struct host_op *x = op; x < t->op + t->n && x->begin_ns < op->end_ns;
         x++) {
        int64_t number = s->correlation[x->span];
        for (size_t i = backward_of(e, x);
             i < e->n_backward && e->backward[i].number == number; i++) {
            int64_t row = e->backward[i].span;
            evidence_edit_range(e, l, s->lane[row], s->begin_ns[row],
                                s->begin_ns[row] + s->dur_ns[row], keep);
        }
    }
}
