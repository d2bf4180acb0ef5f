/* Copies of what is there already: alike and never written, or there and back again. */
#include "flow/judging.h"

#include "run/op_family.h"

#include <stdio.h>
#include <string.h>

/* What a copy reads, and what it makes of it: uses. */
struct copy {
    size_t from, to;
};

/* Is it a copy of one tensor into a new one? */
static bool is_copy(const struct flow_graph *g, size_t op, struct copy *copy)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t first = g->first_use[op];
    *copy = (struct copy){first, first + 1};
    return flow_has(g, op, OP_TRAIT_COPY) && g->first_use[op + 1] - first == 2 &&
           u->role[first] == TENSOR_ROLE_READ && u->role[first + 1] == TENSOR_ROLE_MADE &&
           u->tensor[first] >= 0 && u->tensor[first + 1] >= 0;
}

/* --- alike --- */

static bool is_alike(const struct judging *x, size_t op, const struct copy *c)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    int32_t copy = u->tensor[c->to], last = g->last_read[copy];
    /* what the job keeps it may read at any time */
    size_t until = g->run->tensors.kept[copy] ? g->n : (size_t)last;
    return !x->rewritten[copy] && last != FLOW_NONE &&
           flow_same_form(g, c->from, c->to) &&
           !flow_is_written_between(g, u->tensor[c->from], op, until);
}

/* --- to a wider type and back --- */

/* Has the one type all values of the other? */
static bool holds_all(const char *wide, const char *narrow)
{
    static const char *const chains[][4] = {{"float16", "float32", "float64"},
                                            {"bfloat16", "float32", "float64"},
                                            {"int8", "int16", "int32", "int64"},
                                            {"bool", "uint8", "int16", "int32"}};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        bool seen = false;
        for (size_t k = 0; k < 4 && chains[i][k]; k++) {
            if (seen && !strcmp(chains[i][k], wide))
                return true;
            seen = seen || !strcmp(chains[i][k], narrow);
        }
    }
    return !strcmp(narrow, "bool") && strcmp(wide, "bool") != 0;
}

/* Does everyone who reads the copy cast it back at once? */
static bool is_cast_back(const struct judging *x, size_t op, const struct copy *c)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    int32_t made = u->tensor[c->to];
    struct copy back;
    size_t n = 0;
    if (x->rewritten[made] || !holds_all(run_name(g->run, u->dtype[c->to]),
                                         run_name(g->run, u->dtype[c->from])))
        return false;
    for (size_t i = g->first_read[made]; i < g->first_read[made + 1]; i++) {
        size_t reader = (size_t)g->read[i];
        if (flow_has(g, reader, OP_TRAIT_VIEW))
            continue;
        if (reader <= op || !is_copy(g, reader, &back) ||
            u->dtype[back.to] != u->dtype[c->from])
            return false;
        n++;
    }
    return n > 0;
}

static void judge_readers(struct judging *x, int32_t tensor)
{
    for (size_t i = x->g->first_read[tensor]; i < x->g->first_read[tensor + 1]; i++)
        if (is_work(x->g, (size_t)x->g->read[i]))
            judge(x, (size_t)x->g->read[i], FLOW_CLASS_COPIED);
}

/* --- to another layout and back --- */

/* Operators from one change of layout to the one that undoes it. */
enum { BETWEEN_MOST = 16 };

/* The dimensions of what is read, from the one with the largest stride on. False where it
 * lies in memory as it will: nothing is changed. */
static bool order_of(const struct flow_graph *g, size_t use, size_t order[FLOW_DIMS],
                     size_t *n)
{
    int64_t stride[FLOW_DIMS];
    *n = flow_sizes(g, g->run->op_tensors.strides[use], stride);
    for (size_t i = 0; i < *n; i++) {
        size_t at = i;
        for (; at > 0 && stride[order[at - 1]] < stride[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t i = 0; i < *n; i++)
        if (order[i] != i)
            return true;
    return false;
}

static bool changes_layout(const struct flow_graph *g, size_t op, size_t order[FLOW_DIMS],
                           size_t *n)
{
    const struct op_tensors *u = &g->run->op_tensors;
    struct copy c;
    return is_copy(g, op, &c) && !flow_in_backward(g, op) &&
           u->dtype[c.from] == u->dtype[c.to] && order_of(g, c.from, order, n);
}

static bool undoes(const struct flow_graph *g, size_t op, const size_t *order, size_t n)
{
    size_t other[FLOW_DIMS], m;
    if (!changes_layout(g, op, other, &m) || m != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (other[order[i]] != i)
            return false;
    return flow_elements(g, g->first_use[op]) > 1;
}

/* The change that this one undoes, among what it depends on; FLOW_NONE: none. Products
 * need their numbers in an order of their own. */
static int32_t find_undone(const struct flow_graph *g, size_t op)
{
    size_t order[FLOW_DIMS], n, todo[BETWEEN_MOST], end = 0;
    if (!changes_layout(g, op, order, &n))
        return FLOW_NONE;
    double elements = flow_elements(g, g->first_use[op]);
    todo[end++] = op;
    for (size_t at = 0; at < end; at++)
        for (size_t i = g->first_from[todo[at]]; i < g->first_from[todo[at] + 1]; i++) {
            size_t from = (size_t)g->from[i];
            if (flow_elements(g, g->first_use[from]) != elements ||
                op_family_is_product(flow_family(g, from)))
                continue;
            if (undoes(g, from, order, n))
                return (int32_t)from;
            if (end < BETWEEN_MOST)
                todo[end++] = from;
        }
    return FLOW_NONE;
}

static bool has_one_reader(const struct flow_graph *g, size_t op)
{
    int32_t made = g->run->op_tensors.tensor[g->first_use[op] + 1];
    size_t n = 0;
    for (size_t i = g->first_read[made]; i < g->first_read[made + 1]; i++)
        n += is_work(g, (size_t)g->read[i]) && !flow_in_backward(g, (size_t)g->read[i]);
    return n == 1;
}

void judge_copies(struct judging *x)
{
    struct copy c;
    for (size_t op = 0; op < x->g->n; op++) {
        if (!is_copy(x->g, op, &c) || flow_in_backward(x->g, op))
            continue;
        int32_t undone = find_undone(x->g, op);
        if (is_cast_back(x, op, &c))
            judge_readers(x, x->g->run->op_tensors.tensor[c.to]);
        else if (undone != FLOW_NONE && has_one_reader(x->g, (size_t)undone))
            judge(x, (size_t)undone, FLOW_CLASS_COPIED);
        else if (!is_alike(x, op, &c))
            continue;
        judge(x, op, FLOW_CLASS_COPIED);
    }
}
