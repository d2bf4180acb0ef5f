/* Gradient clipping by hand: parameter by parameter with a number fetched for each, or by
 * way of copies of all gradients. */
#include "evidence/outer_ops.h"
#include "evidence/sequences.h"
#include "evidence/shapes.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/price.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Between the backward pass and the optimizer's step. */
struct zone {
    const struct host_thread *thread;
    size_t first, end; /* outer ops */
    double gradients;  /* numbers of all that the backward pass left */
};

/* Numbers of the gradient that this node of the backward pass hands to a parameter. */
static double accumulated(const struct evidence *e, const struct host_thread *t,
                          const struct host_op *node)
{
    const struct host_op *op =
        outer_op_calls(e, t, node, "torch::autograd::AccumulateGrad");
    return op ? shapes_largest(e->run, op->span) : 0;
}

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
            z->gradients += accumulated(e, t, outer_op_at(t, *at));
        } else if (place == OP_PLACE_OPTIMIZER) {
            z->end = *at;
            if (after_backward && z->end > z->first)
                return true;
            after_backward = false;
            z->gradients = 0;
        } else if (place == OP_PLACE_CODE &&
                   sequences_is_trained(e, t, outer_op_at(t, *at))) {
            after_backward = false;
            z->gradients = 0;
        }
    }
    return false;
}

struct clip_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *first;
    size_t norms, fetched;
    double copies; /* of all gradients */
};

static void add_first(struct clip_sum *sum, const struct host_thread *t, size_t at)
{
    if (sum->first)
        return;
    sum->first = outer_op_at(t, at);
    sum->thread = t;
}

/* --- one by one --- */

static bool is_norm(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {
        "aten::norm",        "aten::linalg_vector_norm", "aten::sum",
        "aten::linalg_norm", "aten::frobenius_norm",     "aten::dot"};
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

static bool scales(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::mul", "aten::mul_", "aten::div",
                                        "aten::div_"};
    return OUTER_OP_IS_ONE_OF(e, op, names);
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
    return OUTER_OP_IS_ONE_OF(e, op, gone);
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

static size_t count_norms(const struct evidence *e, const struct zone *z)
{
    size_t norms = 0;
    for (size_t i = z->first; i < z->end; i++)
        norms += is_norm(e, outer_op_at(z->thread, i));
    return norms;
}

/* What goes, with the host's way from one operator to the next. */
static void add_loop(const struct evidence *e, const struct zone *z, struct clip_sum *sum)
{
    const struct host_thread *t = z->thread;
    for (size_t i = z->first; i < z->end; i++) {
        const struct host_op *op = outer_op_at(t, i);
        sum->fetched += outer_op_named(e, op, "aten::item");
        if (goes(e, op))
            evidence_edit_op(e, &sum->edits, t, op, 0, false);
        if (i + 1 < z->end)
            edit_list_host(&sum->edits, t->lane, op->end_ns,
                           outer_op_at(t, i + 1)->begin_ns, 0);
    }
    add_first(sum, t, z->first);
    sum->norms += count_norms(e, z);
}

/* --- by way of copies --- */

/* The joint call reads the gradients for their norm, and reads and writes them to scale
 * them. */
enum { JOINT_MOVES = 3, COPY_MOVES = 2 };

/* What a zone does to the gradients, in numbers. */
struct passes {
    double normed, scaled;
    double copied, given_back; /* into other tensors; from those into the gradients */
    double made;               /* on the way to a norm */
};

static bool is_collective(const struct evidence *e, const struct host_op *op)
{
    return op->kind == SPAN_KIND_COLLECTIVE ||
           !strncmp(evidence_name(e, op), "c10d::", 6);
}

static bool gives_back(const struct evidence *e, const struct host_op *op)
{
    return outer_op_named(e, op, "aten::copy_");
}

/* Also a reshape that had to copy. */
static bool copies(const struct evidence *e, const struct host_thread *t,
                   const struct host_op *op)
{
    static const char *const joins[] = {"aten::cat",    "aten::concat",
                                        "aten::hstack", "aten::concatenate",
                                        "aten::stack",  "aten::flatten_dense_tensors"};
    if (gives_back(e, op))
        return false;
    return OUTER_OP_IS_ONE_OF(e, op, joins) ||
           ((outer_op_sort(e, op) & (OP_SORT_COPY | OP_SORT_VIEW)) &&
            outer_op_calls(e, t, op, "aten::copy_"));
}

/* A list that is too long for the trace has no shapes: it is of all gradients. */
static double numbers_of(const struct evidence *e, const struct host_op *op,
                         const struct zone *z)
{
    struct shapes s;
    double numbers = shapes_largest(e->run, op->span);
    bool unknown = !shapes_of(&s, e->run, op->span) || (!numbers && s.in[0].rank == 0);
    return unknown ? z->gradients : numbers;
}

/* False: ranks exchange the gradients there, which needs copies of its own. */
static bool measure_passes(const struct evidence *e, const struct zone *z,
                           struct passes *p)
{
    *p = (struct passes){0};
    for (size_t i = z->first; i < z->end; i++) {
        const struct host_op *op = outer_op_at(z->thread, i);
        double numbers = shapes_largest(e->run, op->span);
        if (is_collective(e, op))
            return false;
        if (is_norm(e, op))
            p->normed += numbers;
        else if (scales(e, op))
            p->scaled += numbers;
        else if (gives_back(e, op))
            p->given_back += numbers;
        else if (copies(e, z->thread, op))
            p->copied += numbers_of(e, op, z);
        else if (goes(e, op) && (outer_op_sort(e, op) & OP_SORT_POINTWISE))
            p->made += numbers;
    }
    return true;
}

/* All that clips them keeps the part that the joint call moves of what is moved; so does
 * the host's way between, where the copies' memory is given back. */
static void add_copies(const struct rule *rule, const struct evidence *e,
                       const struct zone *z, struct clip_sum *sum)
{
    enum { LEAST_NORMS, LEAST_COPIES };
    const struct host_thread *t = z->thread;
    const double half = z->gradients / 2; /* docs/rules/clip-cost.md: most of them */
    struct passes p;
    if (z->gradients <= 0 || !measure_passes(e, z, &p) || p.normed < half ||
        p.scaled + p.given_back < half ||
        p.copied < rule->limit[LEAST_COPIES].value * fmin(p.normed, z->gradients))
        return;
    double moved = p.normed + COPY_MOVES * (p.scaled + p.given_back + p.copied + p.made);
    double keep = JOINT_MOVES * z->gradients / moved;
    for (size_t i = z->first; i < z->end && keep < 1; i++) {
        const struct host_op *op = outer_op_at(t, i);
        if (i + 1 < z->end)
            edit_list_host(&sum->edits, t->lane, op->end_ns,
                           outer_op_at(t, i + 1)->begin_ns, keep);
        if (!is_norm(e, op) && !scales(e, op) && !gives_back(e, op) &&
            !copies(e, t, op) && !goes(e, op))
            continue;
        evidence_edit_op(e, &sum->edits, t, op, keep, false);
        add_first(sum, t, i);
    }
    sum->copies += (p.copied + p.given_back) / z->gradients;
}

static void add_zone(const struct rule *rule, const struct evidence *e, struct zone *z,
                     struct clip_sum *sum)
{
    enum { LEAST_NORMS };
    if ((double)count_norms(e, z) < rule->limit[LEAST_NORMS].value) {
        add_copies(rule, e, z, sum);
        return;
    }
    narrow(e, z);
    add_loop(e, z, sum);
}

static void tell(const struct evidence *e, const struct clip_sum *sum, struct finding *x)
{
    double steps = (double)e->steps;
    if (sum->norms) {
        const struct evidence_part parts[] = {
            {"norms_per_step", (double)sum->norms / steps, "norm of a single gradient",
             "norms of single gradients"},
            {"fetched_numbers_per_step", (double)sum->fetched / steps, "fetched number",
             "fetched numbers"},
        };
        evidence_parts(x, parts, sizeof parts / sizeof *parts);
        evidence_append(x, " a step between backward and optimizer", NULL, 0);
        snprintf(x->missing, sizeof x->missing,
                 "the joint call's own time: taken as that of the sums and products that "
                 "are there already");
    } else {
        evidence_say(
            x,
            "all gradients are copied {} a step between backward and optimizer, for "
            "a norm of them",
            quantity_times("copies_per_step", sum->copies / steps));
        snprintf(x->missing, sizeof x->missing,
                 "the joint call's own time: taken by what it moves, at the rate of what "
                 "is there");
    }
}

void rule_clip_cost(const struct rule *rule, const struct evidence *e, struct findings *f)
{
    struct clip_sum sum = {0};
    for (size_t k = 0; k < e->n_threads; k++) {
        struct zone z;
        for (size_t at = 0; next_zone(e, &e->threads[k], &at, &z);)
            add_zone(rule, e, &z, &sum);
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
    tell(e, &sum, x);
}
