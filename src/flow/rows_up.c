/* What is computed row by row: where only some rows count, only these are needed of what
 * they were computed from. */
#include "flow/judging.h"

#include "base/mem.h"

/* The factor of a product whose rows the result has: the last but one that it reads. */
static size_t factor_of(const struct flow_graph *g, size_t op)
{
    size_t last = SIZE_MAX, before = SIZE_MAX;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (g->run->op_tensors.role[i] == TENSOR_ROLE_READ) {
            before = last;
            last = i;
        }
    return before;
}

bool flow_is_rowwise(const struct flow_graph *g, size_t op, size_t use)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int64_t made = flow_made(g, op);
    if (made == FLOW_NONE || u->role[use] != TENSOR_ROLE_READ || u->tensor[use] < 0 ||
        flow_rows(g, use) != flow_rows(g, (size_t)made))
        return false;
    bool as_large = flow_elements(g, use) == flow_elements(g, (size_t)made);
    if (flow_has(g, op, OP_TRAIT_POINTWISE | OP_TRAIT_COPY | OP_TRAIT_RANDOM))
        return as_large;
    switch (flow_family(g, op)) {
    case OP_FAMILY_MATMUL:
        return use == factor_of(g, op);
    case OP_FAMILY_NORM:
    case OP_FAMILY_SOFTMAX:
        return as_large && use == g->first_use[op];
    default:
        return false;
    }
}

/* Does nothing else of the forward pass read it? */
static bool has_one_reader(const struct flow_graph *g, int32_t tensor)
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
                   flow_rows(g, (size_t)made) == flow_rows(g, use) &&
                   has_one_reader(g, tensor)
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
        if (maker == FLOW_NONE || x->of[maker] != FLOW_CLASS_NONE)
            continue;
        size_t end = x->g->first_use[maker + 1];
        for (size_t i = x->g->first_use[maker]; i < end; i++) {
            if (!flow_is_rowwise(x->g, (size_t)maker, i))
                continue;
            judge_part(x, (size_t)maker, class, keep);
            vec_grow(todo, cap, n + 1);
            todo[n].op = (size_t)maker;
            todo[n++].use = i;
        }
    }
    mem_free(todo);
}
