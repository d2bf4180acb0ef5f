/* Work whose result is multiplied by 0, and dense work on what is nearly all zeros. */
#include "flow/judging.h"

#include "base/mem.h"

#include <string.h>

enum {
    DENSE_LEAST = 900, /* of elements: what makes use of fewer zeros is no faster */
};
#define DENSE_LEAST_ELEMENTS 4096.0

static bool is_float(const struct flow_graph *g, size_t use)
{
    return strstr(run_name(g->run, g->run->op_tensors.dtype[use]), "float") != NULL;
}

/* Is all that it makes zeros, and does it write nothing else? */
static bool makes_zeros(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    bool makes = false;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        if (!flow_writes(u->role[i]))
            continue;
        if (u->role[i] != TENSOR_ROLE_MADE || u->zeros[i] != FLOW_ALL || !is_float(g, i))
            return false;
        makes = true;
    }
    return makes;
}

/* --- all of it --- */

static uint8_t *find_zeros(const struct flow_graph *g)
{
    uint8_t *zeros = mem_zalloc(g->n + 1, 1);
    for (size_t op = 0; op < g->n; op++)
        zeros[op] = flow_has(g, op, OP_TRAIT_MULTIPLIES) && makes_zeros(g, op);
    keep_in_every_step(g, zeros);
    for (size_t op = 0; op < g->n; op++) /* and what is made of it */
        for (size_t i = g->first_from[op]; i < g->first_from[op + 1] && !zeros[op]; i++)
            zeros[op] = zeros[g->from[i]] && is_work(g, op) && makes_zeros(g, op);
    return zeros;
}

static void judge_all(struct judging *x)
{
    const struct flow_graph *g = x->g;
    uint8_t *zeros = find_zeros(g), *needed = find_needed(g, zeros);
    for (size_t op = 0; op < g->n; op++)
        if (is_work(g, op) && flow_step(g, op) < g->steps - 1 &&
            (zeros[op] || !needed[op]))
            judge(x, op, FLOW_CLASS_ZEROS);
    mem_free(zeros);
    mem_free(needed);
}

/* --- rows of it --- */

/* Rows of zeros in what it makes, in 1/1000; 0: few. */
static int32_t zero_rows_of(const struct flow_graph *g, size_t op)
{
    int64_t made = flow_made(g, op);
    int32_t rows = made == FLOW_NONE ? 0 : g->run->op_tensors.zero_rows[made];
    return flow_has(g, op, OP_TRAIT_MULTIPLIES) && !flow_in_backward(g, op) &&
                   rows >= FLOW_ROWS_LEAST && rows < FLOW_ALL && is_float(g, (size_t)made)
               ? rows
               : 0;
}

/* The same of a storage, with nothing written to it meanwhile? */
static bool same_part(const struct flow_graph *g, size_t a, size_t b)
{
    const struct op_tensors *u = &g->run->op_tensors;
    return u->version[a] == u->version[b] && u->offset[a] == u->offset[b] &&
           flow_elements(g, a) == flow_elements(g, b);
}

/* (uses) Where what each reads was looked at last, as much of it; FLOW_NONE: nowhere.
 * What was there before is looked at once, however often it is read. */
static int64_t *find_seen(const struct flow_graph *g)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t tensors = g->run->tensors.table.n;
    int64_t *seen = mem_alloc((u->table.n + 1) * sizeof *seen);
    int64_t *last = mem_alloc((tensors + 1) * sizeof *last);
    for (size_t t = 0; t < tensors; t++)
        last[t] = FLOW_NONE;
    for (size_t i = g->first_use[0]; i < g->first_use[g->n]; i++) {
        int32_t tensor = u->tensor[i];
        seen[i] = FLOW_NONE;
        if (tensor < 0)
            continue;
        if (u->zeros[i] >= 0 || flow_writes(u->role[i]))
            last[tensor] = u->zeros[i] >= 0 ? (int64_t)i : FLOW_NONE;
        if (last[tensor] != FLOW_NONE && same_part(g, i, (size_t)last[tensor]))
            seen[i] = last[tensor];
    }
    mem_free(last);
    return seen;
}

static void judge_some_rows(struct judging *x, size_t op, const int64_t *seen)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    int32_t rows = zero_rows_of(g, op);
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        if (seen[i] != FLOW_NONE && u->zero_rows[seen[i]] >= 0 &&
            u->zero_rows[seen[i]] < rows / 2 && flow_is_rowwise(g, op, i))
            judge_rows_up(x, op, i, FLOW_CLASS_ZEROS, 1 - rows / (double)FLOW_ALL);
    }
}

/* --- nearly all of what it is given --- */

/* Of a product the factors, not what is added to it. Gradients that are zeros are another
 * matter in each step: in the backward pass only what stays as it is counts. */
static bool may_count(const struct flow_graph *g, size_t op, size_t use, bool product)
{
    int32_t tensor = g->run->op_tensors.tensor[use];
    return g->run->op_tensors.role[use] == TENSOR_ROLE_READ && tensor >= 0 &&
           is_float(g, use) && flow_elements(g, use) >= DENSE_LEAST_ELEMENTS &&
           (!product || flow_reads_after(g, op, use) < 2) &&
           (!flow_in_backward(g, op) || flow_is_constant(g, tensor));
}

/* Part of what it does that is not with zeros; 1: all. */
static double part_not_zero(const struct flow_graph *g, size_t op, const int64_t *seen)
{
    const struct op_tensors *u = &g->run->op_tensors;
    bool product = flow_family(g, op) == OP_FAMILY_MATMUL;
    int32_t most = 0;
    if (!product && !flow_has(g, op, OP_TRAIT_MULTIPLIES))
        return 1;
    double largest = flow_most_elements(g, op);
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        if (!may_count(g, op, i, product) || (!product && flow_elements(g, i) < largest))
            continue;
        if (seen[i] != FLOW_NONE && u->zeros[seen[i]] > most &&
            u->zeros[seen[i]] < FLOW_ALL)
            most = u->zeros[seen[i]];
    }
    return most >= DENSE_LEAST ? 1 - most / (double)FLOW_ALL : 1;
}

void judge_zeros(struct judging *x)
{
    const struct flow_graph *g = x->g;
    uint8_t *some = mem_zalloc(g->n + 1, 1), *dense = mem_zalloc(g->n + 1, 1);
    int64_t *seen = find_seen(g);
    /* several ranks wait for the gradients of all parameters, also where they are 0 */
    if (ends_are_known(g) && g->run->ranks.table.n < 2)
        judge_all(x);
    for (size_t op = 0; op < g->n; op++) {
        some[op] = zero_rows_of(g, op) > 0;
        dense[op] = part_not_zero(g, op, seen) < 1;
    }
    keep_in_every_step(g, some);
    keep_in_every_step(g, dense);
    for (size_t op = 0; op < g->n; op++) {
        if (some[op])
            judge_some_rows(x, op, seen);
        if (dense[op] && x->c.of[op] == FLOW_CLASS_NONE) {
            judge_part(x, op, FLOW_CLASS_ZEROS, part_not_zero(g, op, seen));
            x->alone[op] = 1; /* what its backward pass multiplies is something else */
        }
    }
    mem_free(some);
    mem_free(dense);
    mem_free(seen);
}
