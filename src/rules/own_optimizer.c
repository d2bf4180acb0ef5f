/*
 * A loop of sums, products and quotients over whole parameters is an optimizer that
 * PyTorch has in one pass:
 *   - with a root or a quotient of tensors it divides by the second moment. Adam joins
 *     three tensors with others a parameter (two moments, the parameter); what joins
 *     fewer has one moment, and no fused form on the host;
 *   - without one it is SGD.
 * Anything else (signs, norms, products of matrices, random numbers) is another optimizer
 * that has no such form.
 */
#include "rules/own_optimizer.h"

#include "evidence/outer_ops.h"
#include "evidence/shapes.h"

/* docs/rules/optimizer-unfused.md: tensors that a fused pass reads and writes. */
enum { ADAM_MOVES = 7, MOMENTUM_MOVES = 5, PLAIN_MOVES = 3 };
enum { ADAM_JOINS = 3, MOMENTUM_JOINS = 2 };

/* How far the fused pass may be from the loop's rate, either way: reckoned, not fitted.
 * Twice: Adam written out moves some 33 tensors for each parameter, of which 7 come from
 * memory in any fused form; where a cache gives the other 26 at three times the rate of
 * memory, those 7 are about twice the share that they are by number. Half: results that
 * are made anew cost more than their moves. Parameters of a million numbers and more
 * were seen at 0.23 to 0.33 (two threads), which the error of each price covers
 * (price.c). */
static const double MOVES_RATIO = 2;

/* Which sums are of nearly all parameters, as a part of the largest. Under one name an
 * optimizer runs a few operators for each parameter (Adam written out: four products), so
 * one that runs once has a quarter of the most frequent one's numbers; an eighth leaves
 * room for twice as many. What has less is of some parameters only. */
static const double NEARLY_ALL = 0.125;

struct passes {
    bool arithmetic; /* nothing else was seen */
    size_t roots, quotients;
    size_t joins;  /* operators of two tensors or more */
    double joined; /* numbers of their results */
    double moved;  /* numbers read and written */
};

static bool is_arithmetic(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {
        "aten::add",      "aten::add_",     "aten::sub",         "aten::sub_",
        "aten::rsub",     "aten::mul",      "aten::mul_",        "aten::div",
        "aten::div_",     "aten::neg",      "aten::neg_",        "aten::sqrt",
        "aten::sqrt_",    "aten::rsqrt",    "aten::rsqrt_",      "aten::square",
        "aten::square_",  "aten::pow",      "aten::pow_",        "aten::reciprocal",
        "aten::addcmul",  "aten::addcmul_", "aten::reciprocal_", "aten::addcdiv",
        "aten::addcdiv_", "aten::lerp",     "aten::lerp_",       "aten::maximum",
        "aten::copy_",    "aten::clone",    "aten::to",          "aten::contiguous",
        "aten::zero_",    "aten::fill_",    "aten::zeros_like",  "aten::empty_like",
        "aten::item",     "aten::_to_copy",
    };
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

/* Asks or sets something without passing over numbers, as `p.data = …` does. */
static bool is_bookkeeping(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {
        "aten::_has_compatible_shallow_copy_type",
        "aten::set_data",
        "aten::result_type",
        "aten::resize_",
        "aten::empty_strided",
        "aten::is_same_size",
    };
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

static bool is_root(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::sqrt", "aten::sqrt_", "aten::rsqrt",
                                        "aten::rsqrt_"};
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

static bool is_quotient(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::div", "aten::div_", "aten::addcdiv",
                                        "aten::addcdiv_"};
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

/* Single numbers (counts of steps, corrections) are no passes. */
static void add_op(const struct evidence *e, const struct host_op *op, struct passes *p,
                   double *numbers_of)
{
    struct shapes s;
    double numbers = shapes_largest(e->run, op->span);
    int tensors = 0;
    if (numbers <= 1 || !shapes_of(&s, e->run, op->span))
        return;
    for (int i = 0; i < s.n; i++)
        tensors += s.in[i].rank > 0 && s.in[i].numbers == numbers;
    numbers_of[e->run->spans.name[op->span]] += numbers;
    p->moved += (tensors + 1) * numbers;
    p->joins += tensors > 1;
    p->joined += tensors > 1 ? numbers : 0;
    p->roots += is_root(e, op);
    p->quotients += tensors > 1 && is_quotient(e, op);
}

/* Numbers of all parameters: the operator that passes over them least often does so once.
 */
static double parameters_of(const struct evidence *e, const struct host_thread *t,
                            size_t first, size_t end, double *numbers_of)
{
    double most = 0, least;
    for (size_t i = first; i < end; i++) {
        double n = numbers_of[e->run->spans.name[outer_op_at(t, i)->span]];
        most = n > most ? n : most;
    }
    least = most;
    for (size_t i = first; i < end; i++) {
        double *n = &numbers_of[e->run->spans.name[outer_op_at(t, i)->span]];
        if (*n >= NEARLY_ALL * most && *n < least)
            least = *n;
    }
    for (size_t i = first; i < end; i++)
        numbers_of[e->run->spans.name[outer_op_at(t, i)->span]] = 0;
    return least;
}

/* How many tensors the fused form moves; 0: there is none. */
static int fused_moves(const struct passes *p, double parameters)
{
    size_t divided = p->roots > p->quotients ? p->roots : p->quotients;
    if (!p->arithmetic || !p->joins)
        return 0;
    if (divided)
        return p->joins >= ADAM_JOINS * divided ? ADAM_MOVES : 0;
    return p->joined >= MOMENTUM_JOINS * parameters ? MOMENTUM_MOVES : PLAIN_MOVES;
}

struct own_optimizer own_optimizer_of(const struct evidence *e,
                                      const struct host_thread *t, size_t first,
                                      size_t end, double *numbers_of)
{
    struct passes p = {.arithmetic = true};
    struct own_optimizer own = {0};
    for (size_t i = first; i < end; i++) {
        const struct host_op *op = outer_op_at(t, i);
        if (outer_op_sort(e, op) & OP_SORT_VIEW || is_bookkeeping(e, op))
            continue;
        p.arithmetic = p.arithmetic && is_arithmetic(e, op);
        add_op(e, op, &p, numbers_of);
    }
    double parameters = parameters_of(e, t, first, end, numbers_of);
    int moves = fused_moves(&p, parameters);
    if (!moves || p.moved <= 0)
        return own;
    own.nearest = moves == ADAM_MOVES ? "AdamW" : "SGD";
    own.keep = moves * parameters / p.moved;
    own.keep_least = own.keep / MOVES_RATIO;
    own.keep_most = own.keep * MOVES_RATIO;
    return own;
}
