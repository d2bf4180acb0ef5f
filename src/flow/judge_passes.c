/* Backward passes through the same forward calls whose gradients are only added up: the
 * gradient of the sum of their losses is the same, in one pass. */
#include "flow/judging.h"

#include "base/mem.h"

/* Of the backward passes of all steps, by number. */
struct passes {
    size_t n;
    uint8_t *adds;   /* (n) to gradients that an earlier pass of the step has made */
    uint8_t *parted; /* (n) something has looked at these or written to them before the
                        pass began, or it makes anew what it would add to */
};

static size_t count_passes(const struct flow_graph *g)
{
    int32_t most = 0;
    for (size_t op = 0; op < g->n; op++)
        most = flow_pass(g, op) > most ? flow_pass(g, op) : most;
    return (size_t)most + 1;
}

/* Another pass of this step that wrote what the use reads or writes; 0: none. */
static int32_t written_in(const struct flow_graph *g, size_t op, size_t use)
{
    const struct op_tensors *u = &g->run->op_tensors;
    if (u->tensor[use] < 0 || u->role[use] == TENSOR_ROLE_MADE)
        return 0;
    int32_t writer = flow_writer(g, u->tensor[use], op);
    if (writer == FLOW_NONE || flow_step(g, (size_t)writer) != flow_step(g, op))
        return 0;
    int32_t pass = flow_pass(g, (size_t)writer);
    return pass == flow_pass(g, op) ? 0 : pass;
}

static void see_passes(const struct flow_graph *g, struct passes *p)
{
    int32_t begun = 0, looked_step = FLOW_NONE;
    for (size_t op = 0; op < g->n; op++) {
        int32_t now = flow_pass(g, op);
        if (now > begun) {
            p->parted[now] = looked_step == flow_step(g, op);
            begun = now;
        }
        for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
            if (flow_has(g, op, OP_TRAIT_VIEW) || !written_in(g, op, i))
                continue;
            if (now && g->run->op_tensors.role[i] == TENSOR_ROLE_UPDATED)
                p->adds[now] = 1;
            else
                looked_step = flow_step(g, op);
        }
    }
}

/* Has it become a gradient itself, instead of being added to one? */
static bool makes_gradient(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (u->role[i] == TENSOR_ROLE_MADE && u->tensor[i] >= 0 &&
            g->run->tensors.source[u->tensor[i]] == VALUE_SOURCE_GRADIENT)
            return true;
    return false;
}

/* (g->n) Of calls of a pass whose forward call an earlier pass has gone through: 1. The
 * caller frees it. */
static uint8_t *find_again(const struct flow_graph *g)
{
    uint8_t *again = mem_zalloc(g->n + 1, 1);
    int32_t *first = mem_zalloc(g->n + 1, sizeof *first); /* pass through each call */
    for (size_t op = 0; op < g->n; op++) {
        int32_t forward = g->run->watched_ops.forward[flow_row(g, op)];
        int32_t now = flow_pass(g, op);
        if (!now || forward < (int32_t)g->first_op || !is_work(g, op))
            continue;
        size_t of = (size_t)forward - g->first_op;
        if (!first[of])
            first[of] = now;
        again[op] = first[of] < now;
    }
    mem_free(first);
    return again;
}

void judge_passes(struct judging *x)
{
    const struct flow_graph *g = x->g;
    struct passes p = {.n = count_passes(g)};
    uint8_t *again = find_again(g);
    p.adds = mem_zalloc(p.n, 1);
    p.parted = mem_zalloc(p.n, 1);
    see_passes(g, &p);
    for (size_t op = 0; op < g->n; op++)
        p.parted[flow_pass(g, op)] |= again[op] && makes_gradient(g, op);
    for (size_t op = 0; op < g->n; op++)
        if (again[op] && p.adds[flow_pass(g, op)] && !p.parted[flow_pass(g, op)])
            judge(x, op, FLOW_CLASS_PASSES);
    mem_free(p.adds);
    mem_free(p.parted);
    mem_free(again);
}
