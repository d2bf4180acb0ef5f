/* Gradient clipping by hand, parameter by parameter, with a number fetched for each. */
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/price.h"
#include "findings/sequences.h"
#include "findings/told.h"

#include <stdio.h>

/* Between the backward pass and the optimizer's step. */
struct zone {
    const struct host_thread *thread;
    size_t first, end; /* outer ops */
};

/* The next zone of the thread from outer op *at on. */
static bool next_zone(const struct evidence *e, const struct host_thread *t, size_t *at,
                      struct zone *z)
{
    bool after_backward = false;
    *z = (struct zone){.thread = t};
    for (; *at < t->n_outer; ++*at) {
        enum op_place place = t->outer[*at].place;
        if (place == OP_PLACE_BACKWARD) {
            after_backward = true;
            z->first = *at + 1;
        } else if (place == OP_PLACE_OPTIMIZER) {
            z->end = *at;
            if (after_backward && z->end > z->first)
                return true;
            after_backward = false;
        } else if (place == OP_PLACE_CODE &&
                   sequences_is_trained(e, t, outer_op_at(t, *at))) {
            after_backward = false;
        }
    }
    return false;
}

struct clip_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *first;
    size_t norms, fetched;
};

static bool is_norm(const struct evidence *e, const struct host_op *op)
{
    return outer_op_named(e, op, "aten::norm") ||
           outer_op_named(e, op, "aten::linalg_vector_norm") ||
           outer_op_named(e, op, "aten::sum");
}

static bool scales(const struct evidence *e, const struct host_op *op)
{
    return outer_op_named(e, op, "aten::mul") || outer_op_named(e, op, "aten::mul_") ||
           outer_op_named(e, op, "aten::div_");
}

/* Not in the joint call: numbers fetched, tensors made on the way to a norm, checks. The
 * sum of a gradient and its product with the factor stay. */
static bool goes(const struct evidence *e, const struct host_op *op)
{
    static const char *const gone[] = {
        "aten::item", "aten::pow",      "aten::square",     "aten::abs",
        "aten::to",   "aten::isfinite", "aten::isnan",      "aten::isinf",
        "aten::all",  "aten::any",      "aten::is_nonzero",
    };
    return outer_op_one_of(e, op, gone, sizeof gone / sizeof *gone);
}

/* From its first operator that is of clipping to the last: what else the job does there
 * is its own. */
static void narrow(const struct evidence *e, struct zone *z)
{
    size_t first = z->end, last = z->first;
    for (size_t i = z->first; i < z->end; i++) {
        const struct host_op *op = outer_op_at(z->thread, i);
        if (!is_norm(e, op) && !goes(e, op) && !scales(e, op))
            continue;
        first = first == z->end ? i : first;
        last = i;
    }
    z->end = first < z->end ? last + 1 : first;
    z->first = first;
}

/* What goes, with the host's way from one operator to the next. */
static void add_zone(const struct rule *rule, const struct evidence *e,
                     const struct zone *z, struct clip_sum *sum)
{
    enum { LEAST_NORMS };
    const struct host_thread *t = z->thread;
    size_t norms = 0, fetched = 0;
    for (size_t i = z->first; i < z->end; i++) {
        norms += is_norm(e, outer_op_at(t, i));
        fetched += outer_op_named(e, outer_op_at(t, i), "aten::item");
    }
    if ((double)norms < rule->limit[LEAST_NORMS])
        return;
    for (size_t i = z->first; i < z->end; i++) {
        const struct host_op *op = outer_op_at(t, i);
        if (goes(e, op))
            evidence_edit_op(e, &sum->edits, t, op, 0, false);
        if (i + 1 < z->end)
            edit_list_host(&sum->edits, t->lane, op->end_ns,
                           outer_op_at(t, i + 1)->begin_ns, 0);
    }
    if (!sum->first) {
        sum->first = outer_op_at(t, z->first);
        sum->thread = t;
    }
    sum->norms += norms;
    sum->fetched += fetched;
}

void rule_clip_cost(const struct rule *rule, const struct evidence *e, struct findings *f)
{
    struct clip_sum sum = {0};
    for (size_t k = 0; k < e->n_threads; k++) {
        struct zone z;
        for (size_t at = 0; next_zone(e, &e->threads[k], &at, &z);) {
            narrow(e, &z);
            add_zone(rule, e, &z, &sum);
        }
    }
    if (!sum.first) {
        edit_list_release(&sum.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = sum.edits;
    x->price = PRICE_MODELLED;
    x->low_frac = 0.5; /* docs/rules/clip-cost.md */
    x->high_frac = 2;
    outer_op_where(e, sum.thread, sum.first, x->where, sizeof x->where);
    const struct told_part parts[] = {
        {(double)sum.norms / (double)e->steps, "norm of a single gradient",
         "norms of single gradients"},
        {(double)sum.fetched / (double)e->steps, "fetched number", "fetched numbers"},
    };
    told_parts(x->evidence, sizeof x->evidence, parts, 2);
    told_add(x->evidence, sizeof x->evidence, " a step between backward and optimizer");
    snprintf(x->missing, sizeof x->missing,
             "the joint call's own time: taken as that of the sums and products that are "
             "there already");
}
