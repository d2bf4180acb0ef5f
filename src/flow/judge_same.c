/* Work that was done before: in every step, earlier in this one, in its forward pass. */
#include "flow/flow_same.h"
#include "flow/judging.h"

#include "base/mem.h"

static bool is_rewritten(const struct judging *x, size_t op)
{
    const struct op_tensors *u = &x->g->run->op_tensors;
    for (size_t i = x->g->first_use[op]; i < x->g->first_use[op + 1]; i++)
        if (flow_writes(u->role[i]) &&
            (u->tensor[i] < 0 || u->role[i] != TENSOR_ROLE_MADE ||
             x->rewritten[u->tensor[i]]))
            return true;
    return false;
}

/* In every watched step, with the same contents in all of them? */
static bool in_every_step(const struct flow_graph *g, const struct flow_same *s, size_t n)
{
    int32_t steps = 0, last = FLOW_NONE;
    for (size_t i = 0; i < n; i++) {
        steps += flow_step(g, (size_t)s[i].op) != last;
        last = flow_step(g, (size_t)s[i].op);
        if (!flow_same_contents(g, (size_t)s[0].op, (size_t)s[i].op))
            return false;
    }
    return g->steps > 1 && steps == g->steps;
}

/* A storage that something else is written to must be made anew, whoever made it: then
 * nothing that writes to it is invariant, and so on. Each storage is passed on once. */
static void drop_rewritten(const struct flow_graph *g, uint8_t *invariant)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t tensors = g->run->tensors.table.n, n = 0;
    uint8_t *other = mem_zalloc(tensors + 1, 1);
    int32_t *todo = mem_alloc((tensors + 1) * sizeof *todo);
    for (size_t t = 0; t < tensors; t++) {
        for (size_t i = g->first_write[t]; i < g->first_write[t + 1]; i++)
            other[t] |= !invariant[g->write[i]];
        if (other[t])
            todo[n++] = (int32_t)t;
    }
    while (n) {
        size_t t = (size_t)todo[--n];
        for (size_t i = g->first_write[t]; i < g->first_write[t + 1]; i++) {
            size_t op = (size_t)g->write[i];
            if (!invariant[op])
                continue;
            invariant[op] = 0;
            for (size_t k = g->first_use[op]; k < g->first_use[op + 1]; k++)
                if (u->tensor[k] >= 0 && flow_writes(u->role[k]) &&
                    !other[u->tensor[k]]) {
                    other[u->tensor[k]] = 1;
                    todo[n++] = u->tensor[k];
                }
        }
    }
    mem_free(other);
    mem_free(todo);
}

/* Nothing is faster than to fill memory: a factory counts with what is made of it. */
static void drop_lone_factories(const struct flow_graph *g, uint8_t *invariant)
{
    uint8_t *is_read = mem_zalloc(g->n + 1, 1);
    for (size_t op = 0; op < g->n; op++)
        for (size_t i = g->first_from[op]; invariant[op] && i < g->first_from[op + 1];
             i++)
            is_read[g->from[i]] |= is_work(g, op);
    for (size_t op = 0; op < g->n; op++)
        invariant[op] &= !flow_has(g, op, OP_TRAIT_FACTORY) || is_read[op];
    mem_free(is_read);
}

static void find_invariant(struct judging *x, const struct flow_same *same, size_t n)
{
    const struct flow_graph *g = x->g;
    uint8_t *invariant = mem_zalloc(g->n + 1, 1);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && same[end].number == same[i].number;)
            end++;
        bool every = in_every_step(g, same + i, end - i);
        for (size_t k = i; every && k < end; k++)
            invariant[same[k].op] = 1;
    }
    drop_rewritten(g, invariant);
    drop_lone_factories(g, invariant);
    for (size_t op = 0; op < g->n; op++)
        if (invariant[op])
            judge(x, op, FLOW_CLASS_INVARIANT);
    mem_free(invariant);
}

/* Do both stand in the same line, whoever called its function? What is checkpointed does;
 * autograd's own formulas stand where the pass begins. Without lines nobody knows. */
static bool same_place(const struct flow_graph *g, size_t a, size_t b)
{
    const struct lines *l = &g->run->lines;
    int32_t x = flow_inner_line(g, a), y = flow_inner_line(g, b);
    return x >= 0 && y >= 0 &&
           (x == y || (l->file[x] == l->file[y] && l->line[x] == l->line[y]));
}

/* What autograd repeats within one pass, or to differentiate one, is not the job's. */
static void find_again(struct judging *x, const struct flow_same *same, size_t n)
{
    const struct flow_graph *g = x->g;
    size_t first = 0;
    for (size_t i = 1; i < n; i++) {
        size_t a = (size_t)same[first].op, b = (size_t)same[i].op;
        if (same[first].number != same[i].number || flow_step(g, a) != flow_step(g, b)) {
            first = i;
            continue;
        }
        if (flow_has(g, b, OP_TRAIT_FACTORY) || is_rewritten(x, a) ||
            is_rewritten(x, b) || !flow_same_contents(g, a, b))
            continue;
        if (!flow_in_backward(g, b))
            judge(x, b,
                  flow_has(g, b, OP_TRAIT_COPY) ? FLOW_CLASS_COPIED
                                                : FLOW_CLASS_REPEATED);
        else if (flow_in_backward(g, a) && flow_pass(g, a) != flow_pass(g, b) &&
                 !flow_differentiates(x, b, a))
            judge(x, b, FLOW_CLASS_REPEATED);
        else if (!flow_in_backward(g, a) && same_place(g, a, b))
            judge(x, b, FLOW_CLASS_RECOMPUTED);
    }
}

void judge_same(struct judging *x)
{
    size_t n;
    struct flow_same *same = flow_same_of(x->g, is_work, &n);
    find_invariant(x, same, n);
    find_again(x, same, n);
    mem_free(same);
}
