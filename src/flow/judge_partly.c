/* Results of which a small part is ever read, of operators that could make just that. */
#include "flow/judging.h"

#include "base/mem.h"

#include <string.h>

#define PARTLY_MOST 0.5 /* of the elements: else little is to be gained */
enum { PARTS_MOST = 32 };

/* Could it make one element without the others? */
static bool makes_each_alone(const struct flow_graph *g, size_t op)
{
    return flow_has(g, op, OP_TRAIT_POINTWISE | OP_TRAIT_SORTS) ||
           op_family_is_product(flow_family(g, op));
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

/* What selects reads as much as it gives. */
static bool gives_less(const struct flow_graph *g, size_t op, size_t use)
{
    return flow_has(g, op, OP_TRAIT_SELECTS) && use == g->first_use[op] &&
           flow_made(g, op) != FLOW_NONE &&
           flow_elements(g, (size_t)flow_made(g, op)) < flow_elements(g, use);
}

static void add_part(struct parts *p, const struct flow_graph *g, size_t op, size_t use,
                     int64_t row)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t seen = gives_less(g, op, use) ? (size_t)flow_made(g, op) : use;
    for (size_t i = 0; i < p->n && seen == use; i++)
        if (same_part(g, p->use[i], use))
            return;
    if (seen == use)
        p->use[p->n++] = use;
    p->elements += flow_elements(g, seen);
    p->rows = p->rows && flow_last(g, u->shape[seen]) == row;
}

/* Of what was made in that use. False: it is not known who reads it. */
static bool find_parts(const struct flow_graph *g, size_t made, struct parts *p)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int32_t tensor = u->tensor[made];
    int64_t row = flow_last(g, u->shape[made]);
    size_t reads = 0;
    *p = (struct parts){.rows = true};
    if (tensor < 0 || g->run->tensors.kept[tensor])
        return false;
    for (size_t i = g->first_read[tensor]; i < g->first_read[tensor + 1]; i++) {
        size_t op = (size_t)g->read[i];
        if (flow_has(g, op, OP_TRAIT_VIEW) || flow_in_backward(g, op))
            continue;
        if (reads++ == PARTS_MOST)
            return false;
        add_part(p, g, op, g->read_use[i], row);
    }
    return true;
}

/* Results that nobody reads cost nothing beside those that somebody does. */
static void judge_op(struct judging *x, size_t op)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    struct parts p;
    double keep = 0;
    bool rows = true;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        if (u->role[i] != TENSOR_ROLE_MADE)
            continue;
        double elements = flow_elements(g, i);
        if (u->tensor[i] < 0 || x->rewritten[u->tensor[i]] || !find_parts(g, i, &p))
            return;
        if (p.elements <= 0 || elements <= 0)
            continue;
        keep = p.elements / elements > keep ? p.elements / elements : keep;
        rows = rows && p.rows;
    }
    if (keep <= 0 || keep > PARTLY_MOST || (!rows && !makes_each_alone(g, op)))
        return;
    judge_part(x, op, FLOW_CLASS_PARTLY, keep);
    for (size_t i = g->first_use[op]; rows && i < g->first_use[op + 1]; i++)
        if (flow_is_rowwise(g, op, i))
            judge_rows_up(x, op, i, FLOW_CLASS_PARTLY, keep);
}

/* --- rows that a choice leaves without a gradient --- */

/* Rows of zeros in the gradient that it makes, in 1/1000; 0: few. */
static int32_t rows_without(const struct flow_graph *g, size_t op)
{
    int64_t made = flow_made(g, op);
    int32_t rows = made == FLOW_NONE ? 0 : g->run->op_tensors.zero_rows[made];
    return flow_in_backward(g, op) && rows >= FLOW_ROWS_LEAST && rows < FLOW_ALL ? rows
                                                                                 : 0;
}

static bool is_integer(const struct flow_graph *g, size_t use)
{
    return strstr(run_name(g->run, g->run->op_tensors.dtype[use]), "int") != NULL;
}

/* The use in which a loss reads so many rows, by an integer for each of them; FLOW_NONE.
 * Where it gives a number for each, what follows may choose by these. */
static int64_t chosen_use(const struct flow_graph *g, size_t op, double rows)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int64_t chosen = FLOW_NONE;
    bool by_integers = false;
    if (!flow_has(g, op, OP_TRAIT_BY_LABELS) || flow_made(g, op) == FLOW_NONE ||
        flow_elements(g, (size_t)flow_made(g, op)) != 1)
        return FLOW_NONE;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        if (u->role[i] != TENSOR_ROLE_READ || u->tensor[i] < 0)
            continue;
        by_integers = by_integers || (is_integer(g, i) && flow_elements(g, i) == rows);
        if (!is_integer(g, i) && flow_rows(g, i) == rows && chosen == FLOW_NONE)
            chosen = (int64_t)i;
    }
    return by_integers ? chosen : FLOW_NONE;
}

static void judge_chosen_rows(struct judging *x)
{
    const struct flow_graph *g = x->g;
    uint8_t *some = mem_zalloc(g->n + 1, 1);
    for (size_t op = 0; op < g->n; op++)
        some[op] = rows_without(g, op) > 0;
    keep_in_every_step(g, some);
    for (size_t op = 0; op < g->n; op++) {
        int32_t of = flow_forward(g, op);
        if (!some[op] || of == FLOW_NONE)
            continue;
        int64_t use = chosen_use(g, (size_t)of, flow_rows(g, (size_t)flow_made(g, op)));
        if (use != FLOW_NONE)
            judge_rows_up(x, (size_t)of, (size_t)use, FLOW_CLASS_PARTLY,
                          1 - rows_without(g, op) / (double)FLOW_ALL);
    }
    mem_free(some);
}

void judge_partly(struct judging *x)
{
    const struct flow_graph *g = x->g;
    judge_chosen_rows(x);
    for (size_t op = 0; op < g->n; op++)
        if (x->c.of[op] == FLOW_CLASS_NONE && !flow_in_backward(g, op) &&
            is_work(g, op) && !flow_has(g, op, OP_TRAIT_OPTIMIZER) &&
            flow_made(g, op) != FLOW_NONE &&
            (makes_each_alone(g, op) || flow_has(g, op, OP_TRAIT_BY_ROWS)))
            judge_op(x, op);
}
