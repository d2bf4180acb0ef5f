/* Three linear layers of one shape on one input, one after another, and attention after
 * them: queries, keys, values. */
#include "evidence/outer_ops.h"
#include "evidence/shapes.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/price.h"
#include "price/replaced.h"
#include "rules/rule.h"

#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { IN_A_ROW = 3 };

/* --- the run's own rates of products --- */

struct product {
    name_id shapes;
    double flop, rate; /* a ns */
};

static int compare_product(const void *a, const void *b)
{
    const struct product *x = a, *y = b;
    if (x->shapes != y->shapes)
        return x->shapes < y->shapes ? -1 : 1;
    return (x->rate > y->rate) - (x->rate < y->rate);
}

static struct product *collect_products(const struct evidence *e, size_t *n)
{
    const struct spans *s = &e->run->spans;
    struct product *p = NULL;
    size_t cap = 0;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            if (op->kind != SPAN_KIND_OP || s->flop[op->span] <= 0 ||
                !(outer_op_sort(e, op) & OP_SORT_PRODUCT))
                continue;
            double flop = (double)s->flop[op->span], ns = outer_op_ns(e, t, op);
            vec_grow(p, cap, *n + 1);
            p[(*n)++] =
                (struct product){s->shapes[op->span], flop, ns > 0 ? flop / ns : 0};
        }
    }
    return p;
}

/* The best rate that the run reached, by the median over calls of one shape, with
 * products of at least this much work; 0: there are none. */
static double best_rate(const struct evidence *e, double least_flop)
{
    size_t n = 0;
    double best = 0;
    struct product *p = collect_products(e, &n);
    if (n)
        qsort(p, n, sizeof *p, compare_product);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && p[end].shapes == p[i].shapes; end++)
            ;
        const struct product *median = &p[i + (end - i) / 2];
        if (median->flop >= least_flop && median->rate > best)
            best = median->rate;
    }
    mem_free(p);
    return best;
}

/* --- three in a row --- */

struct qkv_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *first;
    double flop, ns; /* of all, forward */
    size_t count;
};

static bool is_linear(const struct evidence *e, const struct host_op *op,
                      struct shapes *s)
{
    return outer_op_named(e, op, "aten::linear") && shapes_of(s, e->run, op->span) &&
           s->n >= 2 && s->in[0].rank >= 2 && s->in[1].rank == 2;
}

/* Copies of layout stand between them at most, nothing that computes. */
static bool may_stand_between(const struct evidence *e, const struct host_op *op)
{
    return outer_op_sort(e, op) & (OP_SORT_VIEW | OP_SORT_COPY);
}

/* Where the three meet. Layers that feed each other have shapes as equal as theirs. */
static bool is_attention(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::scaled_dot_product_attention",
                                        "aten::softmax",
                                        "aten::_softmax",
                                        "aten::matmul",
                                        "aten::bmm",
                                        "aten::baddbmm",
                                        "aten::einsum"};
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

static void add_three(const struct evidence *e, const struct host_thread *t,
                      const size_t row[IN_A_ROW], const struct shapes *first,
                      struct qkv_sum *sum)
{
    for (size_t k = 0; k < IN_A_ROW; k++) {
        const struct host_op *linear = outer_op_at(t, row[k]);
        evidence_edit_op(e, &sum->edits, t, linear, 1, true);
        sum->flop += 2 * first->in[0].numbers * (double)first->in[1].dim[0];
        sum->ns += outer_op_ns(e, t, linear);
    }
    if (!sum->count++) {
        sum->thread = t;
        sum->first = outer_op_at(t, row[0]);
    }
}

static void look_at(const struct evidence *e, const struct host_thread *t,
                    struct qkv_sum *sum)
{
    size_t row[IN_A_ROW], n = 0;
    struct shapes first = {.n = 0}, s;
    for (size_t i = 0; i < t->n_outer; i++) {
        const struct host_op *op = outer_op_at(t, i);
        if (t->outer[i].place != OP_PLACE_CODE) {
            n = 0;
        } else if (is_linear(e, op, &s)) {
            if (n == IN_A_ROW || !n || !shape_equal(&s.in[0], &first.in[0]) ||
                !shape_equal(&s.in[1], &first.in[1]))
                n = 0;
            first = n ? first : s;
            row[n++] = i;
        } else if (n == IN_A_ROW && is_attention(e, op)) {
            add_three(e, t, row, &first, sum);
            n = 0;
        } else if (n < IN_A_ROW && !may_stand_between(e, op)) {
            n = 0;
        }
    }
}

/* One product at the best rate that the run reached with products no smaller; beside a
 * device, the host makes one call instead of three. */
static bool set_model(const struct evidence *e, struct finding *x,
                      const struct qkv_sum *sum)
{
    double best = best_rate(e, sum->flop / (double)(IN_A_ROW * sum->count));
    if (best <= 0 || sum->ns <= 0 || sum->flop / sum->ns >= best)
        return false;
    edit_list_set_keep(&x->edits, sum->flop / sum->ns / best);
    for (size_t i = 0; i < x->edits.n && e->has_device; i++)
        if (x->edits.edit[i].kind == EDIT_HOST)
            x->edits.edit[i].keep = 1.0 / IN_A_ROW;
    x->price = PRICE_MODELLED;
    x->low_frac = 0;
    x->high_frac = 1;
    snprintf(
        x->missing, sizeof x->missing,
        "the joint product's own time: taken at the best rate of this run's products");
    return true;
}

void rule_qkv_unfused(const struct rule *rule, const struct evidence *e,
                      struct findings *f)
{
    enum { HELD_FRAC };
    struct qkv_sum sum = {0};
    for (size_t k = 0; k < e->n_threads; k++)
        look_at(e, &e->threads[k], &sum);
    if (!sum.count || price_share(e, &sum.edits) < rule->limit[HELD_FRAC].value) {
        edit_list_release(&sum.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = sum.edits;
    outer_op_where(e, sum.thread, sum.first, x->where, sizeof x->where);
    evidence_say(x, "three products of one shape in a row, {} a step{} {} of it",
                 quantity_times("times_per_step", (double)sum.count / (double)e->steps),
                 quantity_words(e->n_backward ? ", with their backward" : ","),
                 quantity_percent("held_frac", price_share(e, &x->edits), 1));
    if (!replaced_as_measured(e, x, NAN) && !set_model(e, x, &sum)) {
        edit_list_release(&x->edits);
        f->n--;
    }
}
