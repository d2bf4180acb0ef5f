/* Many passes over the same numbers in a row, each through memory: hand-written GELU,
 * LayerNorm, RMSNorm, rotary positions. */
#include "evidence/outer_ops.h"
#include "evidence/sequences.h"
#include "evidence/shapes.h"
#include "evidence/watched.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/price.h"
#include "price/replaced.h"
#include "rules/rule.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_TOLD = 12 };

/* Of what the chains hold: the recorder found calls for so much of it, or the whole is
 * modelled. docs/rules/elementwise-chain.md */
static const double MEASURED_MIN_FRAC = 0.5;

struct chain {
    size_t first, last; /* outer ops */
    size_t passes;      /* of them over `numbers` numbers */
    double numbers;
};

struct chain_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    struct chain longest; /* the one with the most passes */
    size_t count;
};

/* Numbers a pass goes over; 0: the op is none. */
static double pass_numbers(const struct evidence *e, const struct host_thread *t,
                           const struct host_op *op)
{
    unsigned sort = outer_op_sort(e, op);
    if (sort & OP_SORT_COPY)
        return outer_op_calls(e, t, op, "aten::copy_") ? shapes_largest(e->run, op->span)
                                                       : 0;
    if (!(sort & (OP_SORT_POINTWISE | OP_SORT_REDUCTION)))
        return 0;
    return shapes_largest(e->run, op->span);
}

/* The longest pass must be made in any case; the others go along with it. */
static void edit_chain(const struct evidence *e, const struct host_thread *t,
                       const struct chain *c, struct edit_list *edits)
{
    struct edit_list backward = {0};
    double longest_ns = 0, all_ns = 0;
    for (size_t i = c->first; i <= c->last; i++) {
        double ns = outer_op_ns(e, t, outer_op_at(t, i));
        longest_ns = ns > longest_ns ? ns : longest_ns;
        all_ns += ns;
        sequences_edit_backward(e, &backward, t, outer_op_at(t, i), 1);
    }
    for (size_t i = c->first; i <= c->last && all_ns > 0; i++)
        evidence_edit_op(e, edits, t, outer_op_at(t, i), longest_ns / all_ns, false);
    double most_ns = 0, sum_ns = 0;
    for (size_t i = 0; i < backward.n; i++) {
        const struct edit *x = &backward.edit[i];
        double ns = x->kind == EDIT_HOST ? (double)(x->end_ns - x->begin_ns) : 0;
        most_ns = ns > most_ns ? ns : most_ns;
        sum_ns += ns;
    }
    for (size_t i = c->first; i <= c->last && sum_ns > 0; i++)
        sequences_edit_backward(e, edits, t, outer_op_at(t, i), most_ns / sum_ns);
    edit_list_release(&backward);
}

static void end_chain(const struct rule *rule, const struct evidence *e,
                      const struct host_thread *t, struct chain *c, struct chain_sum *sum)
{
    enum { LEAST_PASSES };
    if ((double)c->passes >= rule->limit[LEAST_PASSES].value) {
        edit_chain(e, t, c, &sum->edits);
        sum->count++;
        if (c->passes * c->numbers > sum->longest.passes * sum->longest.numbers) {
            sum->longest = *c;
            sum->thread = t;
        }
    }
    *c = (struct chain){0};
}

static void look_at(const struct rule *rule, const struct evidence *e,
                    const struct host_thread *t, struct chain_sum *sum)
{
    struct chain c = {0};
    for (size_t i = 0; i < t->n_outer; i++) {
        const struct host_op *op = outer_op_at(t, i);
        bool code = t->outer[i].place == OP_PLACE_CODE;
        if (code &&
            (outer_op_sort(e, op) & OP_SORT_VIEW || watched_is_needless(e, t, op)))
            continue;
        double numbers = code ? pass_numbers(e, t, op) : 0;
        bool trained = sequences_is_trained(e, t, op);
        if (!trained && numbers > 0 && numbers <= c.numbers)
            continue; /* a comparison, a mask: in the chain if it goes on */
        if (numbers <= 0 || !trained) {
            end_chain(rule, e, t, &c, sum);
            continue;
        }
        if (numbers > c.numbers) { /* statistics of fewer numbers belong to a chain */
            end_chain(rule, e, t, &c, sum);
            c = (struct chain){.first = i, .numbers = numbers};
        }
        c.last = i;
        c.passes += numbers == c.numbers;
    }
    end_chain(rule, e, t, &c, sum);
}

static void tell(struct finding *x, const struct evidence *e, const struct chain_sum *sum)
{
    const struct chain *c = &sum->longest;
    size_t told = 0;
    evidence_say(x, "{} a step, the largest of {} passes over {} numbers:",
                 quantity_plural("chains_per_step", (double)sum->count / (double)e->steps,
                                 "chain", "chains"),
                 quantity_whole("longest_passes", (double)c->passes),
                 quantity_whole("longest_numbers", c->numbers));
    for (size_t i = c->first; i <= c->last && told < NAMES_TOLD; i++) {
        const struct host_op *op = outer_op_at(sum->thread, i);
        if (outer_op_sort(e, op) & OP_SORT_VIEW)
            continue;
        evidence_say(x, " {}", quantity_words(outer_op_short_name(e, op)));
        told++;
    }
    if (x->price != PRICE_MEASURED)
        return;
    /* it need not be the largest chain that gains most */
    struct replaced_most most = replaced_most(e, x->rule->name);
    evidence_say(x, ". Instead of {}: {}", quantity_words(most.subject),
                 quantity_words(most.how));
}

static void set_model(struct finding *x)
{
    x->price = PRICE_MODELLED;
    x->low_frac = 0.5; /* docs/rules/elementwise-chain.md */
    x->high_frac = 1.2;
    snprintf(x->missing, sizeof x->missing,
             "the fused operator's own time: taken as that of each chain's longest pass");
}

void rule_elementwise_chain(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    enum { LEAST_PASSES, HELD_FRAC };
    struct chain_sum sum = {0};
    double now_ns, instead_ns;
    /* a device's own kernels tell more: kernels-unfused */
    if (e->has_device && !evidence_replacement(e, rule->name, &now_ns, &instead_ns))
        return;
    for (size_t k = 0; k < e->n_threads; k++)
        look_at(rule, e, &e->threads[k], &sum);
    if (!sum.thread || price_share(e, &sum.edits) < rule->limit[HELD_FRAC].value) {
        edit_list_release(&sum.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = sum.edits;
    if (!replaced_parts_as_measured(e, x, MEASURED_MIN_FRAC))
        set_model(x);
    outer_op_where(e, sum.thread, outer_op_at(sum.thread, sum.longest.first), x->where,
                   sizeof x->where);
    tell(x, e, &sum);
}
