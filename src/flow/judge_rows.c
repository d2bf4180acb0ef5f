/* Row by row work on rows that are copies of one another: done before they are copied, it
 * is less. */
#include "flow/judging.h"

#include "base/mem.h"

#include <math.h>

#define COPIES_LEAST 2.0

/* (tensors) How often each of its blocks is there, of how many elements one is, and since
 * which operator. A block has whole rows. */
struct copies {
    double *times;
    double *block;
    int32_t *since;
};

static bool is_expanded(const int64_t *size, const int64_t *stride, size_t n, size_t dim)
{
    return dim >= n || size[n - 1 - dim] == 1 || stride[n - 1 - dim] == 0;
}

/* Sizes and strides of what a use sees. */
struct form {
    int64_t size[FLOW_DIMS], stride[FLOW_DIMS];
    size_t n;
};

static bool form_of(const struct flow_graph *g, size_t use, struct form *f)
{
    const struct op_tensors *u = &g->run->op_tensors;
    f->n = flow_sizes(g, u->shape[use], f->size);
    return flow_sizes(g, u->strides[use], f->stride) == f->n;
}

/* Is all that it reads the same along that dimension, counted from the last? */
static bool reads_expanded(const struct flow_graph *g, size_t op, size_t dim)
{
    const struct op_tensors *u = &g->run->op_tensors;
    bool reads = false;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        struct form f;
        if (u->role[i] == TENSOR_ROLE_MADE)
            continue;
        if (u->role[i] != TENSOR_ROLE_READ || !form_of(g, i, &f) ||
            !is_expanded(f.size, f.stride, f.n, dim))
            return false;
        reads = true;
    }
    return reads;
}

/* Made of what was expanded, by a stride of 0 or by meeting something larger: along which
 * of its dimensions it is the same, the one with most. */
static double times_expanded(const struct flow_graph *g, size_t op, size_t made,
                             double *block)
{
    struct form f;
    double times = 1;
    if (!form_of(g, made, &f))
        return 1;
    for (size_t dim = 1; dim < f.n; dim++) {
        int64_t size = f.size[f.n - 1 - dim], stride = f.stride[f.n - 1 - dim];
        if ((double)size > times && stride > 0 && reads_expanded(g, op, dim)) {
            times = (double)size;
            *block = (double)stride;
        }
    }
    return times;
}

/* What it makes of rows that it picks or copies itself; 1: nothing more than there was.
 */
static double times_made(const struct flow_graph *g, size_t op, size_t made,
                         double *block)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t from = g->first_use[op];
    *block = (double)flow_last(g, u->shape[made]);
    if (u->role[from] != TENSOR_ROLE_READ || u->tensor[from] < 0)
        return 1;
    if (flow_has(g, op, OP_TRAIT_COPY | OP_TRAIT_POINTWISE))
        return times_expanded(g, op, made, block);
    if (!flow_has(g, op, OP_TRAIT_SELECTS) ||
        (double)flow_last(g, u->shape[from]) != *block)
        return 1;
    double elements = flow_elements(g, from);
    return elements > 0 ? flow_elements(g, made) / elements : 1;
}

/* One row after the other, as they lie in memory? */
static bool is_in_order(const struct flow_graph *g, size_t use)
{
    struct form f;
    double stride = 1;
    if (!form_of(g, use, &f))
        return false;
    for (size_t i = f.n; i-- > 0; stride *= (double)f.size[i])
        if (f.size[i] != 1 && (double)f.stride[i] != stride)
            return false;
    return true;
}

/* Does the use see these blocks, all of them and each by whole rows? */
static bool sees_copies(const struct flow_graph *g, size_t op, size_t use,
                        const struct copies *c)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int32_t t = u->tensor[use];
    double row = (double)flow_last(g, u->shape[use]);
    return c->times[t] >= COPIES_LEAST && row > 0 && fmod(c->block[t], row) == 0 &&
           is_in_order(g, use) && flow_is_whole(g, use) && flow_is_rowwise(g, op, use);
}

/* The last factor of a product of matrices is the same for all rows. */
static bool is_last_factor(const struct flow_graph *g, size_t op, size_t use)
{
    int64_t size[FLOW_DIMS];
    const struct op_tensors *u = &g->run->op_tensors;
    return flow_family(g, op) == OP_FAMILY_MATMUL &&
           flow_sizes(g, u->shape[use], size) == 2 &&
           (use + 1 == g->first_use[op + 1] || u->role[use + 1] != TENSOR_ROLE_READ);
}

/* The use whose rows are copies, where all else that it reads is the same for all rows,
 * or of the same copies; FLOW_NONE. */
static int64_t copied_use(const struct flow_graph *g, size_t op, const struct copies *c)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int64_t found = FLOW_NONE;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        int32_t t = u->tensor[i];
        if (u->role[i] == TENSOR_ROLE_MADE)
            continue;
        if (u->role[i] != TENSOR_ROLE_READ || t < 0)
            return FLOW_NONE;
        if (sees_copies(g, op, i, c)) {
            if (found != FLOW_NONE && c->since[t] != c->since[u->tensor[found]])
                return FLOW_NONE;
            found = (int64_t)i;
        } else if (flow_rows(g, i) > 1 && !is_last_factor(g, op, i)) {
            return FLOW_NONE; /* another for each row */
        }
    }
    return found;
}

static void see_op(struct judging *x, size_t op, struct copies *c)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    int64_t made = flow_made(g, op);
    if (made == FLOW_NONE || flow_has(g, op, OP_TRAIT_VIEW | OP_TRAIT_RANDOM) ||
        flow_in_backward(g, op) || x->rewritten[u->tensor[made]])
        return;
    int32_t tensor = u->tensor[made];
    int64_t of = copied_use(g, op, c);
    if (of == FLOW_NONE) {
        c->times[tensor] = times_made(g, op, (size_t)made, &c->block[tensor]);
        c->since[tensor] = (int32_t)op;
        return;
    }
    int32_t from = u->tensor[of];
    c->times[tensor] = c->times[from];
    c->block[tensor] = c->block[from] / (double)flow_last(g, u->shape[of]) *
                       (double)flow_last(g, u->shape[made]);
    c->since[tensor] = c->since[from];
    /* else they are to be made for others as well */
    if (flow_family(g, op) == OP_FAMILY_MATMUL || x->for_one[from])
        judge_part(x, op, FLOW_CLASS_ROWS, 1 / c->times[tensor]);
}

void judge_rows(struct judging *x)
{
    size_t tensors = x->g->run->tensors.table.n;
    struct copies c = {mem_zalloc(tensors + 1, sizeof *c.times),
                       mem_zalloc(tensors + 1, sizeof *c.block),
                       mem_zalloc(tensors + 1, sizeof *c.since)};
    for (size_t op = 0; op < x->g->n; op++)
        see_op(x, op, &c);
    mem_free(c.times);
    mem_free(c.block);
    mem_free(c.since);
}
