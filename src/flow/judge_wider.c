/* Work in float64 between what is narrower: the numbers did not have the precision that
 * they are given, and do not keep it. */
#include "flow/judging.h"

#include "base/mem.h"

#include <string.h>

static bool is_wide(const struct flow_graph *g, size_t use)
{
    return !strcmp(run_name(g->run, g->run->op_tensors.dtype[use]), "float64");
}

static bool is_narrow(const struct flow_graph *g, size_t use)
{
    return strstr(run_name(g->run, g->run->op_tensors.dtype[use]), "float") &&
           !is_wide(g, use);
}

/* Does it write anything wide? */
static bool makes_wide(const struct flow_graph *g, size_t op)
{
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (flow_writes(g->run->op_tensors.role[i]) && is_wide(g, i))
            return true;
    return false;
}

enum { UNKNOWN, CONSTANT, FROM_NARROW }; /* where wide values come from */

/* Of what a use reads: made by a factory or of what was narrower, or the same always: with
 * something narrower it is no more exact than that. */
static int origin_of(const struct flow_graph *g, size_t use, const uint8_t *origin)
{
    int32_t tensor = g->run->op_tensors.tensor[use];
    int32_t maker = tensor < 0 ? FLOW_NONE : g->maker[tensor];
    if (maker != FLOW_NONE)
        return flow_has(g, (size_t)maker, OP_TRAIT_FACTORY) ? CONSTANT : origin[maker];
    /* what was there before may be the data, of which each step takes another part */
    return tensor >= 0 && flow_is_constant(g, tensor) &&
                   g->run->tensors.source[tensor] != VALUE_SOURCE_BEFORE
               ? CONSTANT
               : UNKNOWN;
}

static int origin_of_op(const struct flow_graph *g, size_t op, const uint8_t *origin)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int result = CONSTANT;
    if (flow_has(g, op, OP_TRAIT_SELECTS)) /* as exact as the table, in each step */
        return UNKNOWN;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        if (u->role[i] != TENSOR_ROLE_READ && u->role[i] != TENSOR_ROLE_UPDATED)
            continue;
        int of = is_narrow(g, i) ? FROM_NARROW
                 : is_wide(g, i) ? origin_of(g, i, origin)
                                 : CONSTANT;
        if (of == UNKNOWN)
            return UNKNOWN;
        result = of > result ? of : result;
    }
    return result;
}

/* Do all who read what it makes give on something narrower, or nothing? wide_reader:
 * (tensors) of later operators, one that does not. */
static bool ends_narrow(const struct flow_graph *g, size_t op, const uint8_t *wide_reader)
{
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        int32_t tensor = u->tensor[i];
        if (!flow_writes(u->role[i]) || !is_wide(g, i))
            continue;
        if (tensor < 0 || g->maker[tensor] == FLOW_NONE || g->run->tensors.kept[tensor] ||
            wide_reader[tensor])
            return false;
    }
    return true;
}

static void mark_read(const struct flow_graph *g, size_t op, uint8_t *wide_reader)
{
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (u->tensor[i] >= 0 && u->role[i] != TENSOR_ROLE_MADE)
            wide_reader[u->tensor[i]] = 1;
}

void judge_wider(struct judging *x)
{
    const struct flow_graph *g = x->g;
    uint8_t *origin = mem_zalloc(g->n + 1, 1), *ends = mem_zalloc(g->n + 1, 1);
    for (size_t op = 0; op < g->n; op++)
        if (makes_wide(g, op))
            origin[op] = (uint8_t)origin_of_op(g, op, origin);
    uint8_t *wide_reader = mem_zalloc(g->run->tensors.table.n + 1, 1);
    for (size_t op = g->n; op-- > 0;) {
        ends[op] = origin[op] != UNKNOWN && ends_narrow(g, op, wide_reader);
        if (makes_wide(g, op) && is_work(g, op) && !ends[op])
            mark_read(g, op, wide_reader);
    }
    mem_free(wide_reader);
    for (size_t op = 0; op < g->n; op++) {
        if (!is_work(g, op))
            continue;
        if (origin[op] == FROM_NARROW && ends[op])
            judge(x, op, FLOW_CLASS_WIDER);
        for (size_t i = g->first_from[op]; i < g->first_from[op + 1]; i++)
            if (flow_has(g, op, OP_TRAIT_COPY) && origin[g->from[i]] == FROM_NARROW &&
                ends[g->from[i]])
                judge(x, op, FLOW_CLASS_WIDER); /* the cast back */
    }
    mem_free(origin);
    mem_free(ends);
}
