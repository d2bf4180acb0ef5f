/* Gradients set to zero by writing, and then added to, instead of let go. */
#include "evidence/outer_ops.h"
#include "evidence/shapes.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/price.h"
#include "rules/needless.h"
#include "rules/rule.h"

#include <stdio.h>
#include <string.h>

struct clear_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *first;
    size_t zeroed; /* tensors; 0 where a call does not say of how many */
    bool unknown;
};

/* How many tensors the op sets to zero; 0: none, or not said (sum->unknown). */
static size_t count_zeroed(const struct evidence *e, const struct host_thread *t,
                           const struct host_op *op, struct clear_sum *sum)
{
    struct shapes s;
    size_t n = 0;
    if (outer_op_named(e, op, "aten::zero_"))
        return 1;
    if (!outer_op_named(e, op, "aten::_foreach_zero_"))
        return 0;
    if (shapes_of(&s, e->run, op->span) && s.n && s.in[0].tensors)
        return (size_t)s.in[0].tensors;
    for (const struct host_op *x = op + 1; x < t->op + t->n && x->begin_ns < op->end_ns;
         x++)
        n += outer_op_named(e, x, "aten::zero_");
    sum->unknown = sum->unknown || !n;
    return n;
}

static void add_zeroing(const struct evidence *e, const struct host_thread *t,
                        struct clear_sum *sum)
{
    for (size_t i = 0; i < t->n_outer; i++) {
        const struct host_op *op = outer_op_at(t, i);
        enum op_place place = t->outer[i].place;
        if (place != OP_PLACE_CODE && place != OP_PLACE_CLEAR)
            continue;
        size_t n = count_zeroed(e, t, op, sum);
        if (!n && !outer_op_named(e, op, "aten::_foreach_zero_"))
            continue;
        evidence_edit_op(e, &sum->edits, t, op, 0, false);
        sum->zeroed += n;
        if (!sum->first) {
            sum->first = op;
            sum->thread = t;
        }
    }
}

/* Gradients that are added to what was zeroed: with nothing there the first of them would
 * just be kept. */
static size_t add_sums(const struct evidence *e, struct edit_list *edits, double keep)
{
    size_t n = 0;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n_outer; i++) {
            const struct host_op *node = outer_op_at(t, i);
            if (t->outer[i].place != OP_PLACE_BACKWARD ||
                !strstr(evidence_name(e, node), "AccumulateGrad"))
                continue;
            const struct host_op *sum = outer_op_calls(e, t, node, "aten::add_");
            if (!sum)
                continue;
            n++;
            if (edits)
                evidence_edit_op(e, edits, t, sum, keep, false);
        }
    }
    return n;
}

void bare_clear_cost(const struct rule *rule, const struct evidence *e,
                     struct findings *f)
{
    enum { HELD_FRAC, LEAST_ZEROED };
    struct clear_sum sum = {0};
    for (size_t k = 0; k < e->n_threads; k++)
        add_zeroing(e, &e->threads[k], &sum);
    size_t sums = add_sums(e, NULL, 1);
    double zeroed = (double)sum.zeroed / (double)e->steps;
    bool known = !sum.unknown && sum.zeroed;
    if (known && sums) /* of several a step only the first one goes */
        add_sums(e, &sum.edits,
                 sum.zeroed < sums ? 1 - (double)sum.zeroed / (double)sums : 0);
    if (!sum.first || !sums || (known && zeroed < rule->limit[LEAST_ZEROED].value) ||
        price_share(e, &sum.edits) < rule->limit[HELD_FRAC].value) {
        edit_list_release(&sum.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = sum.edits;
    x->price = PRICE_REPLAYED;
    outer_op_where(e, sum.thread, sum.first, x->where, sizeof x->where);
    if (known)
        evidence_say(x, "{} ", quantity_whole("zeroed_per_step", zeroed));
    evidence_say(
        x,
        "gradients a step are set to zero by writing and then added to ({}); {} "
        "of a step",
        quantity_plural("sums_per_step", (double)sums / (double)e->steps, "sum", "sums"),
        quantity_percent("held_frac", price_share(e, &x->edits), 1));
    if (!known)
        snprintf(
            x->missing, sizeof x->missing,
            "the sums in the backward pass that would go too: how many gradients are "
            "zeroed is not recorded");
}
