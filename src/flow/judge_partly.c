/* Results of which a small part is ever read, of operators that could make just that. */
#include "flow/judging.h"

#define PARTLY_MOST 0.5 /* of the elements: else little is to be gained */
enum { PARTS_MOST = 32 };

/* Could it make one element without the others? */
static bool makes_each_alone(const struct flow_graph *g, size_t op)
{
    enum op_family family = flow_family(g, op);
    return flow_has(g, op, OP_TRAIT_POINTWISE | OP_TRAIT_SORTS) ||
           family == OP_FAMILY_NORM || family == OP_FAMILY_SOFTMAX ||
           op_family_is_product(family);
}

/* Different parts of a storage that are read, and how much that is. */
struct parts {
    size_t use[PARTS_MOST]; /* (n) */
    size_t n;
    double elements;
    bool rows; /* each has whole rows */
};

static bool same_part(const struct flow_graph *g, size_t a, size_t b)
{
    return g->run->op_tensors.offset[a] == g->run->op_tensors.offset[b] &&
           flow_same_form(g, a, b);
}

static int64_t last_size(const struct flow_graph *g, size_t use)
{
    int64_t size[FLOW_DIMS];
    size_t n = flow_sizes(g, g->run->op_tensors.shape[use], size);
    return n ? size[n - 1] : 1;
}

/* What selects reads as much as it gives. */
static double elements_read(const struct flow_graph *g, size_t op, size_t use)
{
    int64_t made = flow_made(g, op);
    double elements = flow_elements(g, use);
    if (!flow_has(g, op, OP_TRAIT_SELECTS) || use != g->first_use[op] ||
        made == FLOW_NONE)
        return elements;
    double given = flow_elements(g, (size_t)made);
    return given < elements ? given : elements;
}

static void add_part(struct parts *p, const struct flow_graph *g, size_t op, size_t use,
                     size_t made)
{
    bool selects = flow_has(g, op, OP_TRAIT_SELECTS);
    for (size_t i = 0; i < p->n && !selects; i++)
        if (same_part(g, p->use[i], use))
            return;
    if (p->n < PARTS_MOST)
        p->use[p->n++] = use;
    p->elements += elements_read(g, op, use);
    int64_t result = flow_made(g, op);
    size_t seen = selects && result != FLOW_NONE ? (size_t)result : use;
    p->rows = p->rows && last_size(g, seen) == last_size(g, made);
}

/* Of what was made in that use. False: it is not known who reads it. */
static bool find_parts(const struct flow_graph *g, size_t made, struct parts *p)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int32_t tensor = u->tensor[made];
    size_t readers = 0;
    if (tensor < 0 || g->run->tensors.kept[tensor])
        return false;
    for (size_t i = g->first_read[tensor]; i < g->first_read[tensor + 1]; i++) {
        size_t op = (size_t)g->read[i];
        if (flow_has(g, op, OP_TRAIT_VIEW) || flow_in_backward(g, op))
            continue;
        if (readers++ == PARTS_MOST)
            return false;
        for (size_t k = g->first_use[op]; k < g->first_use[op + 1]; k++)
            if (u->tensor[k] == tensor && u->role[k] == TENSOR_ROLE_READ)
                add_part(p, g, op, k, made);
    }
    return true;
}

static void judge_op(struct judging *x, size_t op)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    struct parts p = {.rows = true};
    double all = 0;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        if (u->role[i] != TENSOR_ROLE_MADE)
            continue;
        if (u->tensor[i] < 0 || x->rewritten[u->tensor[i]] || !find_parts(g, i, &p))
            return;
        all += flow_elements(g, i);
    }
    if (p.elements <= 0 || p.elements > PARTLY_MOST * all)
        return;
    judge_part(x, op, FLOW_CLASS_PARTLY, p.elements / all);
    for (size_t i = g->first_use[op]; p.rows && i < g->first_use[op + 1]; i++)
        if (flow_is_rowwise(g, op, i))
            judge_rows_up(x, op, i, FLOW_CLASS_PARTLY, p.elements / all);
}

void judge_partly(struct judging *x)
{
    const struct flow_graph *g = x->g;
    for (size_t op = 0; op < g->n; op++)
        if (x->of[op] == FLOW_CLASS_NONE && !flow_in_backward(g, op) && is_work(g, op) &&
            flow_made(g, op) != FLOW_NONE && makes_each_alone(g, op))
            judge_op(x, op);
}
