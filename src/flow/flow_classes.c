#include "flow/flow_same.h"
#include "flow/judging.h"

#include "base/mem.h"

#include <stdlib.h>

#define FLOW_CLASS_NAME(v, name) name,
const char *const flow_class_name[FLOW_CLASS_COUNT] = {FLOW_CLASS_LIST(FLOW_CLASS_NAME)};

static void find_rewritten(struct judging *x)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[0]; i < g->first_use[g->n]; i++)
        if (u->tensor[i] >= 0 && flow_writes(u->role[i]) &&
            u->role[i] != TENSOR_ROLE_MADE)
            x->rewritten[u->tensor[i]] = 1;
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

void placed_sort(struct placed *p, size_t n)
{
    if (n)
        qsort(p, n, sizeof *p, compare_placed);
}

size_t placed_end(const struct placed *p, size_t n, size_t first)
{
    size_t end = first + 1;
    while (end < n && p[end].group == p[first].group && p[end].line == p[first].line &&
           p[end].name == p[first].name)
        end++;
    return end;
}

/* Of n calls of one place and name: as many in each step, and the k-th of each has it? */
static bool have_in_every_step(const struct flow_graph *g, const struct placed *p,
                               size_t n, size_t k, const uint8_t *flag)
{
    size_t each = n / (size_t)g->steps;
    for (size_t i = k % each; i < n; i += each)
        if (flow_step(g, (size_t)p[i].op) != (int32_t)(i / each) || !flag[p[i].op])
            return false;
    return true;
}

void keep_in_every_step(const struct flow_graph *g, uint8_t *flag)
{
    struct placed *all = mem_alloc((g->n + 1) * sizeof *all);
    uint8_t *kept = mem_zalloc(g->n + 1, 1);
    size_t n = 0;
    for (size_t op = 0; op < g->n; op++)
        all[n++] = placed_of(g, op, 0);
    placed_sort(all, n);
    for (size_t i = 0, end; i < n; i = end) {
        end = placed_end(all, n, i);
        for (size_t k = i; k < end && (end - i) % (size_t)g->steps == 0; k++)
            kept[all[k].op] = have_in_every_step(g, all + i, end - i, k - i, flag);
    }
    for (size_t op = 0; op < g->n; op++)
        flag[op] = kept[op];
    mem_free(all);
    mem_free(kept);
}

struct flow_classes flow_classes_of(const struct flow_graph *g)
{
    struct judging x = {.g = g,
                        .c = {.of = mem_zalloc(g->n + 1, sizeof *x.c.of),
                              .keep = mem_zalloc(g->n + 1, sizeof *x.c.keep),
                              .cause = mem_alloc((g->n + 1) * sizeof *x.c.cause)},
                        .alone = mem_zalloc(g->n + 1, 1)};
    x.rewritten = mem_zalloc(g->run->tensors.table.n + 1, 1);
    for (size_t op = 0; op < g->n; op++)
        x.c.cause[op] = (int32_t)op;
    x.for_one = mem_zalloc(g->run->tensors.table.n + 1, 1);
    find_rewritten(&x);
    find_for_one(&x);
    x.differentiated = mem_zalloc(g->n + 1, 1);
    find_differentiated(&x);
    x.first = flow_first_of(g);
    judge_same(&x);
    judge_cleared(&x);
    judge_unread(&x);
    judge_copies(&x);
    judge_nearly(&x);
    judge_passes(&x);
    judge_zeros(&x);
    judge_partly(&x);
    judge_rows(&x);
    judge_order(&x);
    inherit(&x);
    judge_wider(&x);
    judge_even(&x);
    judge_pieces(&x);
    inherit(&x);
    mem_free(x.rewritten);
    mem_free(x.for_one);
    mem_free(x.differentiated);
    mem_free(x.by_pass);
    mem_free(x.first);
    mem_free(x.alone);
    return x.c;
}

void flow_classes_release(struct flow_classes *c)
{
    mem_free(c->of);
    mem_free(c->keep);
    mem_free(c->cause);
}
