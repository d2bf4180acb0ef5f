/* What is computed row by row: where only some rows count, only these are needed of what
 * they were computed from. */
#include "flow/judging.h"

#include "base/mem.h"

size_t flow_reads_after(const struct flow_graph *g, size_t op, size_t use)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t n = 0;
    for (size_t i = use + 1; i < g->first_use[op + 1]; i++)
        n += u->role[i] == TENSOR_ROLE_READ;
    return n;
}

bool flow_is_rowwise(const struct flow_graph *g, size_t op, size_t use)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int64_t made = flow_made(g, op);
    if (made == FLOW_NONE || u->role[use] != TENSOR_ROLE_READ || u->tensor[use] < 0 ||
        flow_rows(g, use) != flow_rows(g, (size_t)made))
        return false;
    if (flow_family(g, op) == OP_FAMILY_MATMUL) /* the factor whose rows the result has */
        return flow_reads_after(g, op, use) == 1;
    bool as_large = u->shape[use] == u->shape[made] ||
                    flow_elements(g, use) == flow_elements(g, (size_t)made);
    if (flow_has(g, op, OP_TRAIT_JOINS_ROWS))
        return true;
    if (flow_has(g, op, OP_TRAIT_POINTWISE | OP_TRAIT_COPY | OP_TRAIT_RANDOM))
        return as_large;
    return flow_has(g, op, OP_TRAIT_BY_ROWS) && as_large && use == g->first_use[op];
}

/* Does nothing of the forward pass but one operator read it? */
static bool is_for_one(const struct flow_graph *g, size_t tensor)
{
    int32_t reader = FLOW_NONE;
    for (size_t i = g->first_read[tensor]; i < g->first_read[tensor + 1]; i++) {
        size_t op = (size_t)g->read[i];
        if (flow_has(g, op, OP_TRAIT_VIEW) || flow_in_backward(g, op))
            continue;
        if (reader != FLOW_NONE && reader != g->read[i])
            return false;
        reader = g->read[i];
    }
    return true;
}

void find_for_one(struct judging *x)
{
    for (size_t t = 0; t < x->g->run->tensors.table.n; t++)
        x->for_one[t] = is_for_one(x->g, t);
}

/* Who made all that is read there, for that alone; FLOW_NONE: nobody. */
static int32_t maker_for(const struct judging *x, size_t op, size_t use)
{
    const struct flow_graph *g = x->g;
    int32_t tensor = g->run->op_tensors.tensor[use], maker = g->maker[tensor];
    if (maker == FLOW_NONE || (size_t)maker >= op || x->rewritten[tensor] ||
        g->run->tensors.kept[tensor] || flow_in_backward(g, (size_t)maker) ||
        flow_step(g, (size_t)maker) != flow_step(g, op))
        return FLOW_NONE;
    int64_t made = flow_made(g, (size_t)maker);
    return made != FLOW_NONE && g->run->op_tensors.tensor[made] == tensor &&
                   flow_elements(g, (size_t)made) == flow_elements(g, use) &&
                   flow_rows(g, (size_t)made) == flow_rows(g, use) && x->for_one[tensor]
               ? maker
               : FLOW_NONE;
}

void judge_rows_up(struct judging *x, size_t op, size_t use, enum flow_class class,
                   double keep)
{
    struct {
        size_t op, use;
    } *todo = NULL;
    size_t n = 0, cap = 0;
    vec_grow(todo, cap, n + 1);
    todo[n].op = op;
    todo[n++].use = use;
    while (n) {
        n--;
        int32_t maker = maker_for(x, todo[n].op, todo[n].use);
        if (maker == FLOW_NONE || x->c.of[maker] != FLOW_CLASS_NONE)
            continue;
        size_t end = x->g->first_use[maker + 1];
        for (size_t i = x->g->first_use[maker]; i < end; i++) {
            if (!flow_is_rowwise(x->g, (size_t)maker, i))
                continue;
            judge_part(x, (size_t)maker, class, keep);
            x->c.cause[maker] = (int32_t)op;
            vec_grow(todo, cap, n + 1);
            todo[n].op = (size_t)maker;
            todo[n++].use = i;
        }
    }
    mem_free(todo);
}
