/* A gradient as large as the whole table of an embedding, of which a batch touches few
 * rows. */
#include "evidence/outer_ops.h"
#include "evidence/sequences.h"
#include "evidence/shapes.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/price.h"
#include "rules/rule.h"

#include <stdio.h>
#include <string.h>

struct embedding {
    const struct host_thread *thread;
    const struct host_op *op; /* aten::embedding */
    struct shape shape;       /* rows, width */
    double touched;           /* indices a call: at most so many rows */
    size_t calls;
};

/* Is a product made with the same table? Then its gradient is dense anyway. */
static bool is_head(const struct evidence *e, const struct host_thread *t,
                    const struct shape *table)
{
    struct shapes s;
    for (size_t i = 0; i < t->n_outer; i++) {
        const struct host_op *op = outer_op_at(t, i);
        if (t->outer[i].place == OP_PLACE_CODE && outer_op_named(e, op, "aten::linear") &&
            shapes_of(&s, e->run, op->span) && s.n >= 2 && shape_equal(&s.in[1], table))
            return true;
    }
    return false;
}

/* The largest table whose gradient is dense and which a batch hardly touches. */
static bool find_table(const struct rule *rule, const struct evidence *e,
                       struct embedding *table)
{
    enum { ROWS_A_TOUCH };
    struct shapes s;
    *table = (struct embedding){0};
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n_outer; i++) {
            const struct host_op *op = outer_op_at(t, i);
            if (t->outer[i].place != OP_PLACE_CODE ||
                !outer_op_named(e, op, "aten::embedding") ||
                !shapes_of(&s, e->run, op->span) || s.n < 2 || s.in[0].rank != 2 ||
                s.in[0].dim[0] == 0 || s.in[1].numbers <= 0 ||
                s.in[0].numbers < table->shape.numbers ||
                (double)s.in[0].dim[0] <
                    rule->limit[ROWS_A_TOUCH].value * s.in[1].numbers ||
                !sequences_is_trained(e, t, op))
                continue;
            bool known = table->op && shape_equal(&table->shape, &s.in[0]);
            if (!known && is_head(e, t, &s.in[0]))
                continue;
            *table = (struct embedding){t, op, s.in[0], s.in[1].numbers,
                                        known ? table->calls + 1 : 1};
        }
    }
    return table->op;
}

/* Nodes that fill a whole gradient for this table. */
static size_t edit_backward(const struct evidence *e, const struct embedding *table,
                            double keep, struct edit_list *edits)
{
    struct shapes s;
    size_t dense = 0;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n_outer; i++) {
            const struct host_op *op = outer_op_at(t, i);
            if (t->outer[i].place != OP_PLACE_BACKWARD)
                continue;
            const struct host_op *fills =
                outer_op_calls(e, t, op, "aten::embedding_dense_backward");
            if (!fills || !shapes_of(&s, e->run, fills->span) || s.n < 2 ||
                s.in[1].numbers != table->touched)
                continue;
            evidence_edit_op(e, edits, t, fills, keep, false);
            dense++;
        }
    }
    return dense;
}

/* What the optimizer does with the table. True where it could be found; *share_frac: the
 * table's of all that it passes over at once, 0: not known. */
static bool edit_optimizer(const struct evidence *e, const struct embedding *table,
                           double keep, struct edit_list *edits, double *share_frac)
{
    bool found = false;
    *share_frac = 0;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n_outer; i++) {
            const struct host_op *op = outer_op_at(t, i);
            const char *text = run_name(e->run, e->run->spans.shapes[op->span]);
            struct shapes s;
            double of, all;
            if (t->outer[i].place != OP_PLACE_OPTIMIZER || !*text)
                continue;
            if (shapes_share(text, &table->shape, &of, &all) && of > 0) {
                evidence_edit_op(e, edits, t, op, 1 - of / all * (1 - keep), false);
                *share_frac = of / all;
                found = true;
            } else if (shapes_read(&s, text) && s.n &&
                       shape_equal(&s.in[0], &table->shape)) {
                evidence_edit_op(e, edits, t, op, keep, false);
                found = true;
            }
        }
    }
    return found;
}

/* Clearing gives the memory of the whole gradient back to the system, page by page. */
static void edit_clearing(const struct evidence *e, double keep, struct edit_list *edits)
{
    static const char clears[] = "Optimizer.zero_grad#";
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            if (op->kind == SPAN_KIND_ANNOTATION &&
                !strncmp(evidence_name(e, op), clears, sizeof clears - 1))
                evidence_edit_range(e, edits, t->lane, op->begin_ns, op->end_ns, keep);
        }
    }
}

void rule_embedding_gradient(const struct rule *rule, const struct evidence *e,
                             struct findings *f)
{
    struct embedding table;
    struct edit_list edits = {0};
    if (!find_table(rule, e, &table))
        return;
    double keep = table.touched / (double)table.shape.dim[0];
    if (!edit_backward(e, &table, keep, &edits)) {
        edit_list_release(&edits);
        return;
    }
    double share_frac;
    bool optimizer = edit_optimizer(e, &table, keep, &edits, &share_frac);
    if (share_frac > 0)
        edit_clearing(e, 1 - share_frac * (1 - keep), &edits);
    struct finding *x = findings_add(f, rule);
    x->edits = edits;
    x->price = PRICE_MODELLED;
    x->low_frac = 0.6; /* docs/rules/embedding-gradient.md */
    outer_op_where(e, table.thread, table.op, x->where, sizeof x->where);
    evidence_say(
        x,
        "a batch reads at most {} of {} rows, and the gradient is made{} for all "
        "of them",
        quantity_whole("rows_read", table.touched),
        quantity_whole("rows", (double)table.shape.dim[0]),
        quantity_words(optimizer ? " and applied" : ""));
    snprintf(x->missing, sizeof x->missing,
             "the time of sorting and adding up the touched rows%s",
             optimizer ? ""
                       : "; the optimizer's pass over the table, whose shapes are not "
                         "recorded");
}
