/* The same mask or table made anew in each layer or step. */
#include "findings/evidence_text.h"
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/price.h"
#include "findings/sequences.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_TOLD = 10 };

/* Ops in a row that begin with a factory and have no gradient. */
struct series {
    const struct host_thread *thread;
    size_t first, last; /* outer ops */
    uint64_t key;       /* of their names and shapes */
    double ns;
    int32_t step;
    size_t pass;    /* of the model, forward, counted on its thread */
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
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

/* Does it take values in from elsewhere: a batch that is put together? */
static bool takes_in(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::copy_", "aten::index_put_", "aten::stack",
                                        "aten::cat", "aten::lift_fresh"};
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

static bool makes_matrix(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::sparse_coo_tensor",
                                        "aten::sparse_csr_tensor", "aten::coalesce",
                                        "aten::to_sparse", "aten::to_sparse_csr"};
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

/* Does it count at places that it is given: the degrees of a graph's nodes? */
static bool counts_at(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::index_add", "aten::index_add_",
                                        "aten::scatter_add", "aten::scatter_add_",
                                        "aten::bincount"};
    return OUTER_OP_IS_ONE_OF(e, op, names);
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

/* s: its key, time and step are set here. */
static void add_series(const struct evidence *e, struct series s, bool in_forward,
                       struct all_series *all)
{
    const struct host_thread *t = s.thread;
    size_t end = s.last + 1;
    s.key = 1;
    s.step = e->run->spans.step[outer_op_at(t, s.first)->span];
    /* places in the data from which a batch is gathered */
    bool foreign = end < t->n_outer && chooses(e, outer_op_at(t, end));
    size_t work = 0;
    for (size_t i = s.first; i < end; i++) {
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
    size_t pass = 0;
    for (size_t i = 0; i < t->n_outer;) {
        const struct host_op *op = outer_op_at(t, i);
        if (t->outer[i].place != OP_PLACE_CODE) {
            in_forward = false;
        } else if (sequences_is_trained(e, t, op)) {
            pass += !in_forward;
            in_forward = true;
        }
        if (!is_invariant(e, t, i) || !(outer_op_sort(e, op) & OP_SORT_FACTORY)) {
            i++;
            continue;
        }
        size_t end = i + 1;
        while (end < t->n_outer && is_invariant(e, t, end))
            end++;
        size_t behind = in_forward ? matrix_end(e, t, end) : end;
        add_series(e,
                   (struct series){.thread = t,
                                   .first = i,
                                   .last = behind - 1,
                                   .pass = pass,
                                   .is_matrix = behind > end},
                   in_forward, all);
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

/* Must the i-th of series alike be made in any case? A matrix may be of the batch: the
 * first of each forward pass stays, for all layers. */
static bool is_needed(const struct series *s, size_t i)
{
    if (!s[i].is_matrix || !i)
        return s[i].is_matrix;
    const struct series *before = &s[i - 1];
    return s[i].thread != before->thread || s[i].step != before->step ||
           s[i].pass != before->pass;
}

struct rebuilt {
    struct edit_list edits;
    const struct series *longest; /* the first of those alike that cost most */
    double longest_ns;
    size_t count; /* in all steps, with those that are needed */
};

/* n series alike, in their order. */
static void add_alike(const struct evidence *e, const struct series *s, size_t n,
                      struct rebuilt *sum)
{
    double ns = 0;
    size_t needless = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_needed(s, i))
            continue;
        for (size_t k = s[i].first; k <= s[i].last; k++)
            evidence_edit_op(e, &sum->edits, s[i].thread, outer_op_at(s[i].thread, k), 0,
                             false);
        ns += s[i].ns;
        needless++;
    }
    if (!needless)
        return;
    sum->count += n;
    if (ns > sum->longest_ns) {
        sum->longest_ns = ns;
        sum->longest = s;
    }
}

static void tell(const struct evidence *e, const struct rebuilt *sum, struct finding *x)
{
    const struct series *s = sum->longest;
    size_t told = 0;
    outer_op_where(e, s->thread, outer_op_at(s->thread, s->first), x->where,
                   sizeof x->where);
    evidence_say(
        x, "made anew {} a step, always of the same shapes{}:",
        quantity_times("times_per_step", (double)sum->count / (double)e->steps),
        quantity_words(s->is_matrix ? ", where once in a forward pass is enough" : ""));
    for (size_t i = s->first; i <= s->last && told < NAMES_TOLD; i++, told++)
        evidence_say(x, " {}",
                     quantity_words(outer_op_short_name(e, outer_op_at(s->thread, i))));
    if (s->is_matrix)
        x->fix = rule_other_fix(x->rule);
}

static struct rebuilt find_rebuilt(const struct rule *rule, const struct evidence *e,
                                   struct all_series *all)
{
    enum { TIMES };
    struct rebuilt sum = {0};
    for (size_t k = 0; k < e->n_threads; k++)
        look_at(e, &e->threads[k], all);
    if (all->n)
        qsort(all->series, all->n, sizeof *all->series, compare_series);
    for (size_t i = 0, end; i < all->n; i = end) {
        for (end = i; end < all->n && all->series[end].key == all->series[i].key; end++)
            ;
        if ((double)(end - i) >= rule->limit[TIMES].value)
            add_alike(e, &all->series[i], end - i, &sum);
    }
    return sum;
}

void rule_invariant_rebuilt(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    enum { TIMES, HELD_FRAC };
    struct all_series all = {0};
    struct rebuilt sum = find_rebuilt(rule, e, &all);
    if (sum.longest && price_share(e, &sum.edits) >= rule->limit[HELD_FRAC].value) {
        struct finding *x = findings_add(f, rule);
        x->edits = sum.edits;
        x->price = PRICE_REPLAYED;
        tell(e, &sum, x);
    } else {
        edit_list_release(&sum.edits);
    }
    mem_free(all.series);
}
