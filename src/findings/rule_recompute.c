/* Activation checkpointing: the forward pass is computed again inside the backward pass.
 */
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/price.h"

#include <stdio.h>

struct recompute_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *first;
    size_t count;
};

static bool is_forward(const struct evidence *e, const struct host_op *op)
{
    return op->kind == SPAN_KIND_OP && (outer_op_sort(e, op) & OP_SORT_FORWARD);
}

/* All that a node of the backward pass calls up to the last operator that models call:
 * what stands before it is made for it. */
static void add_children(const struct evidence *e, const struct host_thread *t,
                         const struct host_op *first, struct recompute_sum *sum)
{
    const struct host_op *last = NULL;
    for (const struct host_op *x = first; x; x = x->next < 0 ? NULL : &t->op[x->next])
        if (is_forward(e, x)) {
            last = x;
            sum->count++;
            sum->first = sum->first ? sum->first : x;
            sum->thread = t;
        }
    if (last)
        evidence_edit_range(e, &sum->edits, t->lane, first->begin_ns, last->end_ns, 0);
}

/* The nodes in an evaluated function, and what they call in turn. */
static void look_into(const struct evidence *e, const struct host_thread *t, size_t node,
                      struct recompute_sum *sum)
{
    int64_t done_ns = t->op[node].begin_ns;
    for (size_t i = node + 1; i < t->n && t->op[i].begin_ns < t->op[node].end_ns; i++) {
        const struct host_op *op = &t->op[i];
        if (op->begin_ns < done_ns || !is_forward(e, op))
            continue;
        /* from the first of those that are called beside it */
        const struct host_op *first = op;
        for (size_t k = i; k-- > node + 1;)
            if (t->op[k].parent == op->parent)
                first = &t->op[k];
        add_children(e, t, first, sum);
        if (op->parent >= 0)
            done_ns = t->op[op->parent].end_ns;
    }
}

void rule_recompute_needless(const struct rule *rule, const struct evidence *e,
                             struct findings *f)
{
    enum { HELD_FRAC };
    struct recompute_sum sum = {0};
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n_outer; i++)
            if (t->outer[i].place == OP_PLACE_BACKWARD)
                look_into(e, t, (size_t)t->outer[i].op, &sum);
    }
    if (!sum.first || price_share(e, &sum.edits) < rule->limit[HELD_FRAC]) {
        edit_list_release(&sum.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = sum.edits;
    x->price = PRICE_REPLAYED;
    outer_op_where(e, sum.thread, sum.first, x->where, sizeof x->where);
    snprintf(
        x->evidence, sizeof x->evidence,
        "%.0f forward operators a step run again inside the backward pass; %.1f %% of "
        "a step",
        (double)sum.count / (double)e->steps, 100 * price_share(e, &x->edits));
    snprintf(x->missing, sizeof x->missing,
             "whether memory has room for the activations that would then be kept");
}
