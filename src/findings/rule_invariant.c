/* The same mask or table made anew in each layer or step. */
#include "base/units.h"
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/price.h"
#include "findings/sequences.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_TOLD = 10 };

/* Ops in a row that begin with a factory and have no gradient. */
struct series {
    const struct host_thread *thread;
    size_t first, last; /* outer ops */
    uint64_t key;       /* of their names and shapes */
    double ns;
    bool is_matrix; /* a sparse one, made of places that are not known to stay the same */
};

struct all_series {
    struct series *series; /* (n) */
    size_t n, cap;
};

static uint64_t mix(uint64_t key, uint64_t value)
{
    return (key ^ value) * UINT64_C(1099511628211);
}

#define IS_ONE_OF(e, op, names)                                                          \
    outer_op_one_of(e, op, names, sizeof(names) / sizeof *(names))

/* The same each time, as far as names tell. */
static bool is_invariant(const struct evidence *e, const struct host_thread *t, size_t i)
{
    const struct host_op *op = outer_op_at(t, i);
    unsigned sort = outer_op_sort(e, op);
    return t->outer[i].place == OP_PLACE_CODE && (sort & OP_SORT_PURE) &&
           !sequences_is_trained(e, t, op);
}

/* Does it choose among values of elsewhere by what it is given? It ends a series. */
static bool chooses(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {
        "aten::index", "aten::index_select",   "aten::gather",
        "aten::take",  "aten::take_along_dim", "aten::masked_select",
        "aten::where", "aten::sort",           "aten::argsort"};
    return IS_ONE_OF(e, op, names);
}

/* Does it take values in from elsewhere: a batch that is put together? */
static bool takes_in(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::copy_", "aten::index_put_", "aten::stack",
                                        "aten::cat", "aten::lift_fresh"};
    return IS_ONE_OF(e, op, names);
}

static bool makes_matrix(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::sparse_coo_tensor",
                                        "aten::sparse_csr_tensor", "aten::coalesce",
                                        "aten::to_sparse", "aten::to_sparse_csr"};
    return IS_ONE_OF(e, op, names);
}

/* Does it count at places that it is given: the degrees of a graph's nodes? */
static bool counts_at(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::index_add", "aten::index_add_",
                                        "aten::scatter_add", "aten::scatter_add_",
                                        "aten::bincount"};
    return IS_ONE_OF(e, op, names);
}

/* A series that chooses goes on where it ends in a sparse matrix, as graph convolutions
 * scale one: behind its last operator. `end`: it does not. */
static size_t matrix_end(const struct evidence *e, const struct host_thread *t,
                         size_t end)
{
    size_t result = end;
    for (size_t i = end; i < t->n_outer; i++) {
        const struct host_op *op = outer_op_at(t, i);
        bool made = makes_matrix(e, op);
        if (t->outer[i].place != OP_PLACE_CODE || sequences_is_trained(e, t, op) ||
            !(made || chooses(e, op) || counts_at(e, op) || is_invariant(e, t, i)))
            break;
        result = made ? i + 1 : result;
    }
    return result;
}

static void add_series(const struct evidence *e, const struct host_thread *t,
                       size_t first, size_t end, bool in_forward, bool is_matrix,
                       struct all_series *all)
{
    struct series s = {
        .thread = t, .first = first, .last = end - 1, .key = 1, .is_matrix = is_matrix};
    /* places in the data from which a batch is gathered */
    bool foreign = end < t->n_outer && chooses(e, outer_op_at(t, end));
    size_t work = 0;
    for (size_t i = first; i < end; i++) {
        const struct host_op *op = outer_op_at(t, i);
        foreign = foreign || takes_in(e, op);
        work += !(outer_op_sort(e, op) & OP_SORT_VIEW);
        s.key =
            mix(mix(s.key, e->run->spans.name[op->span]), e->run->spans.shapes[op->span]);
        s.ns += outer_op_ns(e, t, op);
    }
    /* a lone one is a buffer to be written to, or autograd's own first gradient */
    if ((foreign && !in_forward) || work < 2)
        return;
    vec_grow(all->series, all->cap, all->n + 1);
    all->series[all->n++] = s;
}

static void look_at(const struct evidence *e, const struct host_thread *t,
                    struct all_series *all)
{
    bool in_forward = false; /* something with a gradient came before, in this pass */
    for (size_t i = 0; i < t->n_outer;) {
        const struct host_op *op = outer_op_at(t, i);
        if (t->outer[i].place != OP_PLACE_CODE)
            in_forward = false;
        else if (sequences_is_trained(e, t, op))
            in_forward = true;
        if (!is_invariant(e, t, i) || !(outer_op_sort(e, op) & OP_SORT_FACTORY)) {
            i++;
            continue;
        }
        size_t end = i + 1;
        while (end < t->n_outer && is_invariant(e, t, end))
            end++;
        size_t behind = in_forward ? matrix_end(e, t, end) : end;
        add_series(e, t, i, behind, in_forward, behind > end, all);
        i = behind;
    }
}

static int compare_series(const void *a, const void *b)
{
    const struct series *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int32_t step_of(const struct evidence *e, const struct series *s)
{
    return e->run->spans.step[outer_op_at(s->thread, s->first)->span];
}

/* Of n series alike, how many must be made: a matrix whose shapes only one step has is of
 * that step's batch, and made once for all its layers. */
static size_t made_anyway(const struct evidence *e, const struct series *s, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (step_of(e, &s[i]) != step_of(e, &s[0]))
            return 0;
    return s->is_matrix ? 1 : 0;
}

static void tell(const struct evidence *e, const struct series *s, double times,
                 struct finding *x)
{
    size_t told = 0, used;
    outer_op_where(e, s->thread, outer_op_at(s->thread, s->first), x->where,
                   sizeof x->where);
    used = (size_t)snprintf(
        x->evidence, sizeof x->evidence,
        "made anew %s a step, always of the same shapes:", unit_times(times).s);
    for (size_t i = s->first; i <= s->last && told < NAMES_TOLD; i++, told++) {
        const char *name = evidence_name(e, outer_op_at(s->thread, i));
        name = strncmp(name, "aten::", 6) ? name : name + 6;
        if (used < sizeof x->evidence)
            used += (size_t)snprintf(x->evidence + used, sizeof x->evidence - used, " %s",
                                     name);
    }
}

void rule_invariant_rebuilt(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    enum { TIMES, HELD_FRAC };
    struct all_series all = {0};
    struct edit_list edits = {0};
    const struct series *longest = NULL;
    double longest_ns = 0, times = 0;
    for (size_t k = 0; k < e->n_threads; k++)
        look_at(e, &e->threads[k], &all);
    if (all.n)
        qsort(all.series, all.n, sizeof *all.series, compare_series);
    for (size_t i = 0, end; i < all.n; i = end) {
        double ns = 0;
        for (end = i; end < all.n && all.series[end].key == all.series[i].key; end++)
            ns += all.series[end].ns;
        if ((double)(end - i) < rule->limit[TIMES])
            continue;
        size_t kept = made_anyway(e, &all.series[i], end - i);
        for (size_t k = i + kept; k < end; k++)
            for (size_t j = all.series[k].first; j <= all.series[k].last; j++)
                evidence_edit_op(e, &edits, all.series[k].thread,
                                 outer_op_at(all.series[k].thread, j), 0, false);
        times += (double)(end - i - kept) / (double)e->steps;
        if (ns > longest_ns) {
            longest_ns = ns;
            longest = &all.series[i];
        }
    }
    if (longest && price_share(e, &edits) >= rule->limit[HELD_FRAC]) {
        struct finding *x = findings_add(f, rule);
        x->edits = edits;
        x->price = PRICE_REPLAYED;
        tell(e, longest, times, x);
    } else {
        edit_list_release(&edits);
    }
    mem_free(all.series);
}
