/* softmax(q kᵀ) v written out: scores of all pairs go through memory several times. */
#include "evidence/outer_ops.h"
#include "evidence/sequences.h"
#include "evidence/shapes.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/price.h"
#include "price/replaced.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>

/* Between a product and the softmax: scale, mask, casts, dropout, and views. */
enum { BEFORE_MOST = 16, AFTER_MOST = 12 };

/* The factors of a product of many matrices: its own last two inputs, or those of the
 * product that it calls. */
static bool factors(const struct evidence *e, const struct host_thread *t,
                    const struct host_op *op, struct shape *a, struct shape *b)
{
    struct shapes s;
    if (!(outer_op_sort(e, op) & OP_SORT_PRODUCT))
        return false;
    const struct host_op *from = op;
    if (outer_op_named(e, op, "aten::einsum"))
        from = outer_op_calls(e, t, op, "aten::bmm");
    if (!from || !shapes_of(&s, e->run, from->span))
        return false;
    int last = s.n;
    while (last > 0 && s.in[last - 1].rank < 3)
        last--;
    if (last < 2 || s.in[last - 2].rank < 3)
        return false;
    *a = s.in[last - 2];
    *b = s.in[last - 1];
    return true;
}

static bool same_matrices(const struct shape *s, double numbers, int64_t rows,
                          int64_t columns)
{
    return s->numbers == numbers && s->dim[s->rank - 2] == rows &&
           s->dim[s->rank - 1] == columns;
}

/* The product that made the scores: an outer op before `at`; SIZE_MAX: none. */
static size_t scores_before(const struct evidence *e, const struct host_thread *t,
                            size_t at, const struct shape *scores)
{
    for (size_t i = at, n = 0; i-- > 0 && n < BEFORE_MOST; n++) {
        struct shape a, b;
        if (t->outer[i].place != OP_PLACE_CODE)
            return SIZE_MAX;
        if (!factors(e, t, outer_op_at(t, i), &a, &b))
            continue;
        int64_t rows = a.dim[a.rank - 2], columns = b.dim[b.rank - 1];
        double numbers = a.numbers / (double)a.dim[a.rank - 1] * (double)columns;
        if (same_matrices(scores, numbers, rows, columns))
            return i;
    }
    return SIZE_MAX;
}

static size_t values_after(const struct evidence *e, const struct host_thread *t,
                           size_t at, const struct shape *scores)
{
    for (size_t i = at + 1; i < t->n_outer && i <= at + AFTER_MOST; i++) {
        struct shape a, b;
        if (t->outer[i].place != OP_PLACE_CODE)
            return SIZE_MAX;
        if (!factors(e, t, outer_op_at(t, i), &a, &b))
            continue;
        if (same_matrices(&a, scores->numbers, scores->dim[scores->rank - 2],
                          scores->dim[scores->rank - 1]) &&
            b.dim[b.rank - 2] == scores->dim[scores->rank - 1])
            return i;
    }
    return SIZE_MAX;
}

static bool is_softmax(const struct evidence *e, const struct host_op *op,
                       struct shape *scores)
{
    struct shapes s;
    if (!outer_op_named(e, op, "aten::softmax") &&
        !outer_op_named(e, op, "aten::_softmax"))
        return false;
    if (!shapes_of(&s, e->run, op->span) || s.in[0].rank < 3)
        return false;
    *scores = s.in[0];
    return scores->dim[scores->rank - 1] > 1;
}

struct attention_sum {
    struct edit_list all;    /* of all that a fused operator would replace */
    struct edit_list passes; /* of it, what is no product */
    const struct host_thread *thread;
    const struct host_op *softmax; /* the longest */
    struct shape scores;           /* its */
    size_t count;
};

static void add_place(const struct evidence *e, const struct host_thread *t, size_t first,
                      size_t last, struct attention_sum *sum)
{
    for (size_t i = first; i <= last; i++) {
        const struct host_op *op = outer_op_at(t, i);
        evidence_edit_op(e, &sum->all, t, op, 1, true);
        if (!(outer_op_sort(e, op) & OP_SORT_PRODUCT))
            evidence_edit_op(e, &sum->passes, t, op, 0, true);
    }
    sum->count++;
}

static void look_at(const struct evidence *e, const struct host_thread *t,
                    struct attention_sum *sum)
{
    for (size_t i = 0; i < t->n_outer; i++) {
        const struct host_op *op = outer_op_at(t, i);
        struct shape scores;
        if (t->outer[i].place != OP_PLACE_CODE || !is_softmax(e, op, &scores))
            continue;
        size_t first = scores_before(e, t, i, &scores);
        size_t last = values_after(e, t, i, &scores);
        if (first == SIZE_MAX || last == SIZE_MAX)
            continue;
        add_place(e, t, first, last, sum);
        if (!sum->softmax || scores.numbers > sum->scores.numbers) {
            sum->softmax = op;
            sum->thread = t;
            sum->scores = scores;
        }
    }
}

/* The products stay as they are, the passes between them go: docs/rules. */
static void set_model(struct finding *x, struct attention_sum *sum)
{
    edit_list_release(&x->edits);
    x->edits = sum->passes;
    sum->passes = (struct edit_list){0};
    x->price = PRICE_MODELLED;
    x->low_frac = 0.4;
    x->high_frac = 1.6;
    snprintf(x->missing, sizeof x->missing,
             "the fused operator's own time: taken as that of the two products");
}

void rule_attention_unfused(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    enum { HELD_FRAC };
    struct attention_sum sum = {0};
    for (size_t k = 0; k < e->n_threads; k++)
        look_at(e, &e->threads[k], &sum);
    double share = price_share(e, &sum.all);
    if (!sum.softmax || share < rule->limit[HELD_FRAC].value) {
        edit_list_release(&sum.all);
        edit_list_release(&sum.passes);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = sum.all;
    x->holds_ns = price_untraced_ns(e, &sum.all);
    outer_op_where(e, sum.thread, sum.softmax, x->where, sizeof x->where);
    const struct shape *s = &sum.scores;
    double rows = (double)s->dim[s->rank - 2], columns = (double)s->dim[s->rank - 1];
    evidence_say(x,
                 "product, softmax, product, the largest over scores of {} by {} by {}; "
                 "all {} a step{} {} of it",
                 quantity_whole("score_matrices", s->numbers / (columns * rows)),
                 quantity_whole("score_rows", rows),
                 quantity_whole("score_columns", columns),
                 quantity_times("times_per_step", (double)sum.count / (double)e->steps),
                 quantity_words(e->n_backward ? ", with their backward" : ","),
                 quantity_percent("held_frac", share, 1));
    if (!replaced_as_measured(e, x, NAN))
        set_model(x, &sum);
    edit_list_release(&sum.passes);
}
