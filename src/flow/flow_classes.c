#include "flow/flow_classes.h"

#include "base/mem.h"
#include "run/op_traits.h"

#include <stdlib.h>

#define FLOW_CLASS_TEXT(v, text) text,
const char *const flow_class_text[FLOW_CLASS_COUNT] = {FLOW_CLASS_LIST(FLOW_CLASS_TEXT)};

struct judging {
    const struct flow_graph *g;
    enum flow_class *of; /* (g->n) */
    uint8_t *rewritten;  /* (tensors) written to after it was made */
};

static void judge(struct judging *x, size_t op, enum flow_class class)
{
    if (x->of[op] == FLOW_CLASS_NONE)
        x->of[op] = class;
}

/* Views are nothing by themselves, and reading a value makes none. */
static bool is_work(const struct flow_graph *g, size_t op)
{
    return !flow_has(g, op, OP_TRAIT_VIEW | OP_TRAIT_HOST_READ);
}

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

static void find_rewritten(struct judging *x)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[0]; i < g->first_use[g->n]; i++)
        if (u->tensor[i] >= 0 && flow_writes(u->role[i]) &&
            u->role[i] != TENSOR_ROLE_MADE)
            x->rewritten[u->tensor[i]] = 1;
}

/* --- the same work: invariant, repeated, recomputed --- */

struct same {
    uint64_t number;
    int32_t op;
};

static int compare_same(const void *a, const void *b)
{
    const struct same *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* Operators of one number stand together, in the order of time. The caller frees it. */
static struct same *by_number(const struct flow_graph *g, size_t *n)
{
    struct same *all = mem_alloc((g->n + 1) * sizeof *all);
    *n = 0;
    for (size_t op = 0; op < g->n; op++)
        if (is_work(g, op))
            all[(*n)++] = (struct same){g->number[op], (int32_t)op};
    if (*n)
        qsort(all, *n, sizeof *all, compare_same);
    return all;
}

/* In every watched step, with the same contents in all of them? */
static bool in_every_step(const struct flow_graph *g, const struct same *s, size_t n)
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

static void find_invariant(struct judging *x, const struct same *same, size_t n)
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
    for (size_t op = 0; op < g->n; op++)
        if (invariant[op])
            judge(x, op, FLOW_CLASS_INVARIANT);
    mem_free(invariant);
}

/* What autograd repeats within its own pass is not the job's. */
static void find_again(struct judging *x, const struct same *same, size_t n)
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
            judge(x, b, FLOW_CLASS_REPEATED);
        else if (!flow_in_backward(g, a))
            judge(x, b, FLOW_CLASS_RECOMPUTED);
    }
}

/* --- cleared --- */

static bool reads_anything(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (u->role[i] == TENSOR_ROLE_READ)
            return true;
    return false;
}

/* Is the storage older than the step of this operator? */
static bool is_older(const struct flow_graph *g, int32_t tensor, size_t op)
{
    int32_t maker = g->maker[tensor];
    return maker == FLOW_NONE || flow_step(g, (size_t)maker) < flow_step(g, op);
}

static void find_cleared(struct judging *x)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    int32_t *cleared_by = mem_alloc((g->run->tensors.table.n + 1) * sizeof *cleared_by);
    for (size_t t = 0; t < g->run->tensors.table.n; t++)
        cleared_by[t] = FLOW_NONE;
    for (size_t op = 0; op < g->n; op++)
        for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
            int32_t tensor = u->tensor[i];
            if (tensor < 0 || !flow_writes(u->role[i]))
                continue;
            if (u->role[i] == TENSOR_ROLE_UPDATED && cleared_by[tensor] != FLOW_NONE) {
                judge(x, (size_t)cleared_by[tensor], FLOW_CLASS_CLEARED);
                judge(x, op, FLOW_CLASS_CLEARED);
            }
            bool clears = u->role[i] == TENSOR_ROLE_WRITTEN && !reads_anything(g, op) &&
                          flow_has(g, op, OP_TRAIT_WRITES_ONLY) &&
                          !flow_has(g, op, OP_TRAIT_RANDOM) && is_older(g, tensor, op);
            cleared_by[tensor] = clears ? (int32_t)op : FLOW_NONE;
        }
    mem_free(cleared_by);
}

/* --- unread --- */

static bool lasts(const struct flow_graph *g, int32_t tensor)
{
    switch (g->run->tensors.source[tensor]) {
    case VALUE_SOURCE_PARAMETER:
    case VALUE_SOURCE_FROZEN:
    case VALUE_SOURCE_STATE:
    case VALUE_SOURCE_BUFFER:
        return true;
    case VALUE_SOURCE_BEFORE:
        return g->run->tensors.bytes[tensor] > FLOW_LASTING_BYTES;
    default:
        return false;
    }
}

/* What writes to something that lasts, what others get, and what cannot be followed. */
static bool is_end(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    if (flow_has(g, op, OP_TRAIT_COLLECTIVE))
        return true;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (u->tensor[i] < 0 ||
            (u->role[i] != TENSOR_ROLE_READ && u->role[i] != TENSOR_ROLE_VIEW &&
             lasts(g, u->tensor[i])))
            return true;
    return false;
}

/* From the ends back to all that they depend on: operators only depend on earlier ones.
 */
static void find_unread(struct judging *x)
{
    const struct flow_graph *g = x->g;
    uint8_t *needed = mem_zalloc(g->n + 1, 1);
    for (size_t op = g->n; op-- > 0;) {
        needed[op] |= is_end(g, op);
        for (size_t i = g->first_from[op]; needed[op] && i < g->first_from[op + 1]; i++)
            needed[g->from[i]] = 1;
    }
    for (size_t op = 0; op < g->n; op++)
        if (!needed[op] && is_work(g, op) && flow_step(g, op) < g->steps - 1)
            judge(x, op, FLOW_CLASS_UNREAD);
    mem_free(needed);
}

/* --- copied --- */

static bool same_layout(const struct op_tensors *u, size_t a, size_t b)
{
    return u->shape[a] == u->shape[b] && u->strides[a] == u->strides[b] &&
           u->dtype[a] == u->dtype[b];
}

/* Is the tensor written to after one operator and until another? */
static bool is_written_between(const struct flow_graph *g, int32_t tensor, size_t after,
                               size_t until)
{
    size_t low = g->first_write[tensor], high = g->first_write[tensor + 1];
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if ((size_t)g->write[mid] <= after)
            low = mid + 1;
        else
            high = mid;
    }
    return low < g->first_write[tensor + 1] && (size_t)g->write[low] <= until;
}

static bool is_needless_copy(const struct judging *x, size_t op)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    size_t first = g->first_use[op];
    if (!flow_has(g, op, OP_TRAIT_COPY) || flow_in_backward(g, op) ||
        g->first_use[op + 1] - first != 2 || u->role[first] != TENSOR_ROLE_READ ||
        u->role[first + 1] != TENSOR_ROLE_MADE || u->tensor[first] < 0 ||
        u->tensor[first + 1] < 0)
        return false;
    int32_t copy = u->tensor[first + 1], last = g->last_read[copy];
    return !x->rewritten[copy] && last != FLOW_NONE && same_layout(u, first, first + 1) &&
           !is_written_between(g, u->tensor[first], op, (size_t)last);
}

static void find_copies(struct judging *x)
{
    for (size_t op = 0; op < x->g->n; op++)
        if (is_needless_copy(x, op))
            judge(x, op, FLOW_CLASS_COPIED);
}

enum flow_class *flow_classes_of(const struct flow_graph *g)
{
    struct judging x = {.g = g, .of = mem_zalloc(g->n + 1, sizeof *x.of)};
    size_t n;
    x.rewritten = mem_zalloc(g->run->tensors.table.n + 1, 1);
    find_rewritten(&x);
    struct same *same = by_number(g, &n);
    find_invariant(&x, same, n);
    find_again(&x, same, n);
    mem_free(same);
    find_cleared(&x);
    find_unread(&x);
    find_copies(&x);
    mem_free(x.rewritten);
    return x.of;
}
