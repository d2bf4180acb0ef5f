#include "findings/call_tree.h"

#include "base/mem.h"

/* --- how much of a span lies in the stretches --- */

struct cover {
    const struct stretch *stretch; /* (n) */
    size_t n;
    double *before_ns; /* (n + 1) in those before each */
};

static struct cover cover_new(const struct stretch *stretch, size_t n)
{
    struct cover c = {stretch, n, mem_alloc((n + 1) * sizeof *c.before_ns)};
    c.before_ns[0] = 0;
    for (size_t i = 0; i < n; i++)
        c.before_ns[i + 1] =
            c.before_ns[i] + (double)stretch[i].end_ns - (double)stretch[i].begin_ns;
    return c;
}

static double covered_until(const struct cover *c, int64_t at_ns)
{
    size_t low = 0, high = c->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c->stretch[mid].end_ns <= at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    bool inside = low < c->n && c->stretch[low].begin_ns < at_ns;
    return c->before_ns[low] +
           (inside ? (double)at_ns - (double)c->stretch[low].begin_ns : 0);
}

static double covered_ns(const struct cover *c, const struct host_op *op)
{
    return covered_until(c, op->end_ns) - covered_until(c, op->begin_ns);
}

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
                    const struct host_thread *thread, const struct stretch *stretch,
                    size_t n)
{
    struct cover c = cover_new(stretch, n);
    struct node_index index = index_new(thread->n);
    int32_t *node_of_op = mem_alloc((thread->n + 1) * sizeof *node_of_op);
    int32_t *caller = mem_alloc((thread->n + 1) * sizeof *caller);
    *t = (struct call_tree){.all_ns = c.before_ns[n], .outside_ns = c.before_ns[n]};
    for (size_t i = 0; i < thread->n; i++) {
        const struct host_op *op = &thread->op[i];
        caller[i] = caller_of(thread, i, caller);
        int32_t parent = caller[i] < 0 ? -1 : node_of_op[caller[i]];
        struct call_node *x = node_of(t, &index, parent, e->run->spans.name[op->span]);
        double ns = covered_ns(&c, op);
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
    mem_free(c.before_ns);
}

void call_tree_release(struct call_tree *t)
{
    mem_free(t->node);
    *t = (struct call_tree){0};
}
