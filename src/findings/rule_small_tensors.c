/* Very many tensors of a few numbers, made one by one: torch.tensor(...) in a loop. */
#include "findings/evidence_text.h"
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/price.h"
#include "findings/sequences.h"
#include "findings/shapes.h"

#include "base/mem.h"

#include <stdio.h>

/* torch.tensor() ends with these two, whatever it is given. */
static bool is_made(const struct evidence *e, const struct host_op *op)
{
    return outer_op_named(e, op, "aten::lift_fresh");
}

static bool is_part(const struct evidence *e, const struct host_op *op)
{
    return outer_op_named(e, op, "aten::empty") || outer_op_named(e, op, "aten::to") ||
           outer_op_named(e, op, "aten::detach_") || outer_op_named(e, op, "aten::fill_");
}

static bool is_joined(const struct evidence *e, const struct host_op *op)
{
    return outer_op_named(e, op, "aten::stack") || outer_op_named(e, op, "aten::cat");
}

static double numbers(const struct evidence *e, const struct host_op *op)
{
    struct shapes s;
    return shapes_of(&s, e->run, op->span) && s.n ? s.in[0].numbers : 1;
}

struct small_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *first;
    size_t count;
    double numbers;
};

static bool is_small(const struct evidence *e, const struct host_op *op,
                     double most_numbers)
{
    struct shapes s;
    return shapes_of(&s, e->run, op->span) && s.n &&
           shapes_largest(e->run, op->span) <= most_numbers;
}

/* The limits, as the table of rules has them. */
enum { MADE_A_STEP, MOST_NUMBERS, BETWEEN_NUMBERS, HELD_FRAC };

/* Is outer op i one that belongs to tensors being made or joined, or computes with few
 * numbers between them? */
static bool belongs(const struct rule *rule, const struct evidence *e,
                    const struct host_thread *t, size_t i)
{
    const struct host_op *op = outer_op_at(t, i);
    if (t->outer[i].place != OP_PLACE_CODE || op->fetch) /* input has rules of its own */
        return false;
    if (is_made(e, op))
        return numbers(e, op) <= rule->limit[MOST_NUMBERS].value;
    return is_part(e, op) || is_joined(e, op) ||
           (is_small(e, op, rule->limit[BETWEEN_NUMBERS].value) &&
            !sequences_is_trained(e, t, op));
}

/* The loop alone: from what belongs to its first tensor, to as far behind the last one as
 * any two of them lie apart. */
static void trim_series(const struct evidence *e, const struct host_thread *t,
                        size_t *first, size_t *end)
{
    size_t last = *end, apart = 0;
    while (*first < *end && !is_part(e, outer_op_at(t, *first)) &&
           !is_made(e, outer_op_at(t, *first)))
        (*first)++;
    for (size_t i = *first; i < *end; i++) {
        if (!is_made(e, outer_op_at(t, i)))
            continue;
        if (last < i && i - last > apart)
            apart = i - last;
        last = i;
    }
    if (last < *end && last + apart + 1 < *end)
        *end = last + apart + 1;
}

/* A series of such ops counts where it makes several tensors. */
static void add_series(const struct evidence *e, const struct host_thread *t,
                       size_t first, size_t end, struct small_sum *sum)
{
    enum { SEVERAL = 4 };
    trim_series(e, t, &first, &end);
    size_t made = 0;
    double all = 0;
    for (size_t i = first; i < end; i++)
        if (is_made(e, outer_op_at(t, i))) {
            made++;
            all += numbers(e, outer_op_at(t, i));
        }
    if (made < SEVERAL)
        return;
    /* with the loop around them: the way from one to the next is a part of making them */
    const struct host_op *last = outer_op_at(t, end - 1);
    evidence_edit_range(e, &sum->edits, t->lane, outer_op_at(t, first)->begin_ns,
                        last->end_ns, 0);
    if (!sum->count) {
        sum->first = outer_op_at(t, first);
        sum->thread = t;
    }
    sum->count += made;
    sum->numbers += all;
}

void rule_small_tensors(const struct rule *rule, const struct evidence *e,
                        struct findings *f)
{
    struct small_sum sum = {0};
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0, end; i < t->n_outer; i = end) {
            end = i + 1;
            if (!belongs(rule, e, t, i))
                continue;
            while (end < t->n_outer && belongs(rule, e, t, end))
                end++;
            add_series(e, t, i, end, &sum);
        }
    }
    double made = (double)sum.count / (double)e->steps;
    if (made < rule->limit[MADE_A_STEP].value ||
        price_share(e, &sum.edits) < rule->limit[HELD_FRAC].value) {
        edit_list_release(&sum.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    const char *line = evidence_line(e, sum.thread, sum.first);
    x->edits = sum.edits;
    x->price = PRICE_REPLAYED;
    x->low_frac = e->event_cost_ns > 0 ? 0.8 : 0.5; /* docs/rules/small-tensors.md */
    snprintf(x->where, sizeof x->where, "torch.tensor%s%s", *line ? ", " : "", line);
    evidence_say(x,
                 "{} tensors a step are made one by one, of {} on average; {} "
                 "of a step",
                 quantity_whole("tensors_per_step", made),
                 quantity_plural("mean_numbers", sum.numbers / (double)sum.count,
                                 "number", "numbers"),
                 quantity_percent("held_frac", price_share(e, &sum.edits), 1));
    snprintf(x->missing, sizeof x->missing, "%s",
             e->event_cost_ns > 0
                 ? "the one call that makes them all at once"
                 : "the one call that makes them all at once, and the tracer's own time, "
                   "which is large beside calls this short");
}
