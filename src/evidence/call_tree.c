#include "evidence/call_tree.h"

#include "base/mem.h"

/* --- nodes by caller and name --- */

struct node_index {
    int32_t *slot; /* (size) node + 1; 0: free */
    size_t size;   /* a power of two, more than twice the calls */
};

static struct node_index index_new(size_t calls)
{
    struct node_index x = {.size = 16};
    while (x.size < 2 * calls + 1)
        x.size *= 2;
    x.slot = mem_zalloc(x.size, sizeof *x.slot);
    return x;
}

static struct call_node *node_of(struct call_tree *t, struct node_index *x,
                                 int32_t parent, name_id name)
{
    uint64_t key = ((uint64_t)(uint32_t)(parent + 1) << 32) | name;
    size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (x->size - 1);
    for (; x->slot[i]; i = (i + 1) & (x->size - 1)) {
        struct call_node *n = &t->node[x->slot[i] - 1];
        if (n->parent == parent && n->name == name)
            return n;
    }
    vec_grow(t->node, t->cap, t->n + 1);
    t->node[t->n] = (struct call_node){.name = name, .parent = parent};
    x->slot[i] = (int32_t)++t->n;
    return &t->node[t->n - 1];
}

/* The nearest that lasts as long: an annotation begins in the call that opens it, and
 * outlives it. What a caller has outlived, its callee that lasts longer has outlived too,
 * so the way goes from caller to caller and is short. */
static int32_t caller_of(const struct host_thread *t, size_t i, const int32_t *caller)
{
    int32_t c = t->op[i].parent;
    while (c >= 0 && t->op[c].end_ns < t->op[i].end_ns)
        c = caller[c];
    return c;
}

void call_tree_init(struct call_tree *t, const struct evidence *e,
                    const struct host_thread *thread, const struct stretches *when)
{
    struct stretch_sums sums = stretch_sums_new(when);
    double all_ns = sums.before_ns[when->n];
    struct node_index index = index_new(thread->n);
    int32_t *node_of_op = mem_alloc((thread->n + 1) * sizeof *node_of_op);
    int32_t *caller = mem_alloc((thread->n + 1) * sizeof *caller);
    *t = (struct call_tree){.all_ns = all_ns, .outside_ns = all_ns};
    for (size_t i = 0; i < thread->n; i++) {
        const struct host_op *op = &thread->op[i];
        caller[i] = caller_of(thread, i, caller);
        int32_t parent = caller[i] < 0 ? -1 : node_of_op[caller[i]];
        struct call_node *x = node_of(t, &index, parent, e->run->spans.name[op->span]);
        double ns = stretch_sums_in(&sums, op->begin_ns, op->end_ns);
        node_of_op[i] = (int32_t)(x - t->node);
        x->ns += ns;
        if (parent < 0)
            t->outside_ns -= ns;
        if (!x->call || host_op_ns(op) > x->longest_ns) {
            x->call = op;
            x->longest_ns = host_op_ns(op);
        }
    }
    mem_free(node_of_op);
    mem_free(caller);
    mem_free(index.slot);
    stretch_sums_release(&sums);
}

void call_tree_release(struct call_tree *t)
{
    mem_free(t->node);
    *t = (struct call_tree){0};
}
