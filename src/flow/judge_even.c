/* Collectives of what is the same on all ranks already: it stays what it is. */
#include "flow/judging.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Flags and counts are often equal, and have to be asked for all the same. */
#define EVEN_LEAST_BYTES 4096.0

/* A collective of some rank, with what it was given. */
struct meeting {
    int32_t rank, step, nth; /* nth of the rank's step */
    name_id name;
    uint64_t hash; /* of its contents; 0: not known */
    double bytes;
    size_t row; /* of run->watched_ops */
};

struct meetings {
    struct meeting *meeting; /* (n) by rank, in time */
    size_t n, cap;
};

static bool is_collective(const struct run *run, size_t row)
{
    return run->watched_ops.traits[row] & OP_TRAIT_COLLECTIVE;
}

/* The recorder looks at what a collective is given before it begins. */
static void add_meeting(struct meetings *m, const struct flow_graph *g, size_t row,
                        size_t first, size_t end)
{
    const struct op_tensors *u = &g->run->op_tensors;
    const struct watched_ops *w = &g->run->watched_ops;
    struct meeting x = {w->rank[row], w->step[row], 0, w->name[row], 1, 0, row};
    const struct meeting *last = m->n ? &m->meeting[m->n - 1] : NULL;
    if (last && last->rank == x.rank && last->step == x.step)
        x.nth = last->nth + 1;
    for (size_t i = first; i < end; i++) {
        if (u->role[i] != TENSOR_ROLE_READ && u->role[i] != TENSOR_ROLE_UPDATED)
            continue;
        x.hash = x.hash && u->hash[i] ? x.hash * 31 + (uint64_t)u->hash[i] : 0;
        x.bytes += flow_bytes(g, i);
    }
    vec_grow(m->meeting, m->cap, m->n + 1);
    m->meeting[m->n++] = x;
}

/* Of all ranks, in one pass over what they used. */
static struct meetings find_meetings(const struct flow_graph *g)
{
    const struct run *run = g->run;
    const struct op_tensors *u = &run->op_tensors;
    struct meetings m = {0};
    for (size_t i = 0, end; i < u->table.n; i = end) {
        size_t row = (size_t)u->op[i];
        for (end = i + 1; end < u->table.n && u->op[end] == u->op[i];)
            end++;
        if (is_collective(run, row))
            add_meeting(&m, g, row, i, end);
    }
    return m;
}

static int compare_meetings(const void *a, const void *b)
{
    const struct meeting *x = a, *y = b;
    if (x->nth != y->nth)
        return x->nth < y->nth ? -1 : 1;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Of n that are the nth of their steps: is it the same collective of the same contents on
 * all ranks, in each step? */
static bool are_even(const struct meeting *m, size_t n, int32_t steps)
{
    int32_t even = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && m[end].step == m[i].step; end++)
            if (m[end].name != m[i].name || m[end].hash != m[i].hash)
                return false;
        if (end - i < 2 || !m[i].hash || m[i].bytes < EVEN_LEAST_BYTES)
            return false;
        even++;
    }
    return even == steps;
}

void judge_even(struct judging *x)
{
    const struct flow_graph *g = x->g;
    if (g->run->ranks.table.n < 2)
        return;
    struct meetings m = find_meetings(g);
    if (m.n)
        qsort(m.meeting, m.n, sizeof *m.meeting, compare_meetings);
    for (size_t i = 0, end; i < m.n; i = end) {
        for (end = i + 1; end < m.n && m.meeting[end].nth == m.meeting[i].nth;)
            end++;
        bool even = are_even(&m.meeting[i], end - i, g->steps);
        for (size_t k = i; even && k < end; k++)
            if (m.meeting[k].row - g->first_op < g->n)
                judge(x, m.meeting[k].row - g->first_op, FLOW_CLASS_EVEN);
    }
    mem_free(m.meeting);
}
