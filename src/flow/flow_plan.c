#include "flow/flow_plan.h"

#include "base/mem.h"
#include "flow/flow_same.h"
#include "run/op_traits.h"

/* What draws numbers moves a generator, and others wait in collectives. */
static bool may_be_left_out(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    bool makes = false;
    if (flow_has(g, op,
                 OP_TRAIT_VIEW | OP_TRAIT_HOST_READ | OP_TRAIT_RANDOM |
                     OP_TRAIT_COLLECTIVE))
        return false;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        if (u->tensor[i] < 0)
            return false;
        makes = makes || flow_writes(u->role[i]);
    }
    return makes;
}

/* Is all that it writes new, and never written to again? */
static bool makes_lasting(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        size_t t = (size_t)u->tensor[i];
        if (flow_writes(u->role[i]) && (u->role[i] != TENSOR_ROLE_MADE ||
                                        g->first_write[t + 1] - g->first_write[t] != 1))
            return false;
    }
    return true;
}

static bool is_made_once(const struct flow_graph *g, size_t op)
{
    return may_be_left_out(g, op) && makes_lasting(g, op);
}

static void plan_invariant(const struct flow_graph *g, const enum flow_class *classes,
                           int32_t *plan)
{
    for (size_t op = 0; op < g->n; op++)
        if (classes[op] == FLOW_CLASS_INVARIANT && !flow_in_backward(g, op) &&
            is_made_once(g, op))
            plan[op] = FLOW_KEPT;
}

/* Does it get the storages that the other got, or results that stand for them? */
static bool gets_the_same(const struct flow_graph *g, const enum flow_class *classes,
                          const int32_t *plan, size_t op)
{
    size_t earlier = (size_t)plan[op];
    const struct op_tensors *u = &g->run->op_tensors;
    size_t first = g->first_use[op], n = g->first_use[op + 1] - first;
    size_t other = g->first_use[earlier];
    if (g->first_use[earlier + 1] - other != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int32_t a = u->tensor[other + i], b = u->tensor[first + i];
        if (u->role[first + i] != TENSOR_ROLE_READ || a == b)
            continue;
        int32_t maker = g->maker[b];
        if (maker == FLOW_NONE || plan[maker] < 0 || plan[maker] != g->maker[a] ||
            classes[maker] != classes[op]) /* one class is left out at a time */
            return false;
    }
    return true;
}

/* The first of those that did the same in a step has the result of the others. */
static void plan_again(const struct flow_graph *g, const enum flow_class *classes,
                       int32_t *plan)
{
    size_t n;
    struct flow_same *all = flow_same_of(g, is_made_once, &n);
    for (size_t i = 1, first = 0; i < n; i++) {
        size_t op = (size_t)all[i].op, earlier = (size_t)all[first].op;
        if (all[i].number != all[first].number ||
            flow_step(g, op) != flow_step(g, earlier))
            first = i;
        else if ((classes[op] == FLOW_CLASS_REPEATED ||
                  classes[op] == FLOW_CLASS_RECOMPUTED ||
                  classes[op] == FLOW_CLASS_COPIED) &&
                 flow_same_contents(g, earlier, op))
            plan[op] = (int32_t)earlier;
    }
    mem_free(all);
    for (size_t op = 0; op < g->n; op++) /* what it gets was made before it */
        if (plan[op] >= 0 && !gets_the_same(g, classes, plan, op))
            plan[op] = FLOW_RUNS;
}

/* Has the copy the type and the layout of what it is a copy of? That must be of the same
 * step: others may write to what was there before. */
static bool is_alike(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t from = g->first_use[op];
    int32_t maker = g->maker[u->tensor[from]];
    return flow_has(g, op, OP_TRAIT_COPY) && g->first_use[op + 1] - from == 2 &&
           maker != FLOW_NONE && flow_step(g, (size_t)maker) == flow_step(g, op) &&
           flow_same_form(g, from, from + 1);
}

static void plan_copies(const struct flow_graph *g, const enum flow_class *classes,
                        int32_t *plan)
{
    for (size_t op = 0; op < g->n; op++)
        if (classes[op] == FLOW_CLASS_COPIED && plan[op] == FLOW_RUNS &&
            is_made_once(g, op) && is_alike(g, op))
            plan[op] = FLOW_ITS_SOURCE;
}

int32_t *flow_plan_of(const struct flow_graph *g, const enum flow_class *classes)
{
    int32_t *plan = mem_alloc((g->n + 1) * sizeof *plan);
    for (size_t op = 0; op < g->n; op++)
        plan[op] = FLOW_RUNS;
    plan_invariant(g, classes, plan);
    plan_again(g, classes, plan);
    plan_copies(g, classes, plan);
    return plan;
}

double flow_made_bytes(const struct flow_graph *g, size_t op)
{
    double bytes = 0;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (flow_writes(g->run->op_tensors.role[i]))
            bytes += flow_bytes(g, i);
    return bytes;
}
