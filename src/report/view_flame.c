/*
 * The step of the timeline as a tree of calls: what was called from where, all calls of
 * one name from one place together, with the device work that they launched below them.
 *
 * A call lies inside all calls of its thread that have not ended when it begins. What a
 * node holds is with all that lies below it; where spans overlap without lying inside
 * each other, a call ends with the one it lies in.
 */
#include "base/mem.h"
#include "base/saturate.h"
#include "report/view_parts.h"

#include <stdlib.h>

enum { FLAME_NODES = 4000, FLAME_DEPTH = 60, NO_NODE = -1 };

/* Below this part of the whole a node is left out; doubled until what is left fits. */
#define FLAME_LEAST_FRAC 0.0002

struct tree_node {
    int32_t parent, first_child, last_child, next;
    uint32_t depth;
    name_id name;
    enum span_kind kind;
    int64_t host_ns, device_ns, count;
};

/* Nodes are made after their parents. A node is found by its parent and its name: a hash
 * table of open addresses, a power of two large and at most half full. */
struct tree {
    const struct run *run;
    struct tree_node *node; /* (n) */
    size_t n, cap;
    int32_t *slot; /* (slots) */
    size_t slots;
    int32_t *of_span; /* (spans) the node that a span is counted in, or NO_NODE */
    int32_t last_root;
    size_t deep; /* calls that are nested too deep */
};

struct call {
    int64_t begin_ns, end_ns;
    size_t span;
    int32_t lane;
};

static int call_order(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return x->span < y->span ? -1 : x->span > y->span;
}

/* What the host did in the step; step -1: in all that is kept. The caller frees it. */
static struct call *collect_calls(const struct run *run, int32_t rank, int32_t step,
                                  size_t *n)
{
    const struct spans *s = &run->spans;
    struct call *call = mem_zalloc(s->table.n + 1, sizeof *call);
    *n = 0;
    for (size_t i = 0; i < s->table.n; i++) {
        int32_t lane = s->lane[i];
        if (lane < 0 || run->lanes.rank[lane] != rank ||
            run->lanes.kind[lane] != LANE_KIND_CPU || (step >= 0 && s->step[i] != step))
            continue;
        int64_t dur_ns = s->dur_ns[i] > 0 ? s->dur_ns[i] : 0;
        call[(*n)++] =
            (struct call){s->begin_ns[i], add_saturated(s->begin_ns[i], dur_ns), i, lane};
    }
    qsort(call, *n, sizeof *call, call_order);
    return call;
}

/* --- the tree --- */

static size_t slot_of(const struct tree *t, int32_t parent, name_id name,
                      enum span_kind kind)
{
    uint64_t key =
        (uint64_t)(uint32_t)parent << 32 ^ (uint64_t)name << 4 ^ (uint64_t)kind;
    key *= 0x9e3779b97f4a7c15u;
    return (size_t)(key >> 20) & (t->slots - 1);
}

/* nodes: no more than these will be made. */
static void tree_init(struct tree *t, const struct run *run, size_t nodes)
{
    *t = (struct tree){.run = run, .slots = 64, .last_root = NO_NODE};
    while (t->slots < 2 * nodes)
        t->slots *= 2;
    t->slot = mem_alloc(t->slots * sizeof *t->slot);
    for (size_t i = 0; i < t->slots; i++)
        t->slot[i] = NO_NODE;
    t->of_span = mem_alloc((run->spans.table.n + 1) * sizeof *t->of_span);
    for (size_t i = 0; i < run->spans.table.n; i++)
        t->of_span[i] = NO_NODE;
}

static void tree_release(struct tree *t)
{
    mem_free(t->node);
    mem_free(t->slot);
    mem_free(t->of_span);
}

/* Behind its brothers and sisters: they stay in the order of their first call. */
static void tree_link(struct tree *t, int32_t parent, int32_t child)
{
    int32_t *last = parent < 0 ? &t->last_root : &t->node[parent].last_child;
    if (*last >= 0)
        t->node[*last].next = child;
    else if (parent >= 0)
        t->node[parent].first_child = child;
    *last = child;
}

static int32_t tree_child(struct tree *t, int32_t parent, name_id name,
                          enum span_kind kind)
{
    size_t i = slot_of(t, parent, name, kind);
    for (; t->slot[i] >= 0; i = (i + 1) & (t->slots - 1)) {
        const struct tree_node *x = &t->node[t->slot[i]];
        if (x->parent == parent && x->name == name && x->kind == kind)
            return t->slot[i];
    }
    if (2 * t->n >= t->slots)
        BUG("%zu nodes in a table of %zu", t->n, t->slots);
    vec_grow(t->node, t->cap, t->n + 1);
    t->node[t->n] =
        (struct tree_node){.parent = parent,
                           .first_child = NO_NODE,
                           .last_child = NO_NODE,
                           .next = NO_NODE,
                           .depth = parent < 0 ? 0 : t->node[parent].depth + 1,
                           .name = name,
                           .kind = kind};
    tree_link(t, parent, (int32_t)t->n);
    t->slot[i] = (int32_t)t->n;
    return (int32_t)t->n++;
}

/* The calls that have not ended, the outermost first. */
struct open_call {
    int64_t end_ns;
    int32_t node;
};

static void tree_add_calls(struct tree *t, const struct call *call, size_t n)
{
    const struct spans *s = &t->run->spans;
    struct open_call open[FLAME_DEPTH];
    size_t depth = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && call[i].lane != call[i - 1].lane)
            depth = 0;
        while (depth && open[depth - 1].end_ns <= call[i].begin_ns)
            depth--;
        if (depth == FLAME_DEPTH) {
            t->of_span[call[i].span] = open[depth - 1].node;
            t->deep++;
            continue;
        }
        int64_t end_ns = call[i].end_ns;
        if (depth && open[depth - 1].end_ns < end_ns)
            end_ns = open[depth - 1].end_ns;
        size_t span = call[i].span;
        int32_t node = tree_child(t, depth ? open[depth - 1].node : NO_NODE,
                                  s->name[span], s->kind[span]);
        t->node[node].host_ns = add_saturated(
            t->node[node].host_ns, subtract_saturated(end_ns, call[i].begin_ns));
        t->node[node].count++;
        t->of_span[span] = node;
        open[depth++] = (struct open_call){end_ns, node};
    }
}

/* Device work hangs below the call that launched it; then sums go up. */
static void tree_add_device(struct tree *t)
{
    const struct edges *e = &t->run->edges;
    const struct spans *s = &t->run->spans;
    for (size_t i = 0; i < e->table.n; i++) {
        if (e->kind[i] != EDGE_KIND_LAUNCH || e->src[i] < 0 || e->dst[i] < 0 ||
            t->of_span[e->src[i]] < 0)
            continue;
        size_t work = (size_t)e->dst[i];
        int32_t node = tree_child(t, t->of_span[e->src[i]], s->name[work], s->kind[work]);
        t->node[node].device_ns = add_saturated(
            t->node[node].device_ns, s->dur_ns[work] > 0 ? s->dur_ns[work] : 0);
        t->node[node].count++;
    }
    for (size_t i = t->n; i-- > 0;)
        if (t->node[i].parent >= 0) {
            struct tree_node *up = &t->node[t->node[i].parent];
            up->device_ns = add_saturated(up->device_ns, t->node[i].device_ns);
        }
}

/* --- what is drawn --- */

static bool is_drawn(const struct tree_node *x, double host_ns, double device_ns)
{
    return (x->host_ns > 0 && (double)x->host_ns >= host_ns) ||
           (x->device_ns > 0 && (double)x->device_ns >= device_ns);
}

static size_t count_drawn(const struct tree *t, const struct flame *f, double frac)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        n +=
            is_drawn(&t->node[i], frac * (double)f->host_ns, frac * (double)f->device_ns);
    return n;
}

/* How much a node must hold to be drawn, as a part of the whole. */
static double least_frac(const struct tree *t, const struct flame *f)
{
    double frac = FLAME_LEAST_FRAC;
    while (count_drawn(t, f, frac) > FLAME_NODES)
        frac *= 2;
    return frac;
}

/* Names are numbered as they come. */
struct flame_names {
    uint32_t *number; /* (run's names) plus 1; 0: not met */
};

static uint32_t name_number(struct view *v, struct flame *f, struct flame_names *x,
                            name_id id)
{
    if (!x->number[id]) {
        f->names[f->n_names++] = view_name(v, id);
        x->number[id] = (uint32_t)f->n_names;
    }
    return x->number[id] - 1;
}

/* The node after this one, parents first. */
static int32_t next_node(const struct tree *t, int32_t at, bool into)
{
    if (into && t->node[at].first_child >= 0)
        return t->node[at].first_child;
    while (at >= 0 && t->node[at].next < 0)
        at = t->node[at].parent;
    return at < 0 ? NO_NODE : t->node[at].next;
}

static void fill_nodes(struct view *v, struct flame *f, const struct tree *t)
{
    double frac = least_frac(t, f);
    double host_ns = frac * (double)f->host_ns, device_ns = frac * (double)f->device_ns;
    struct flame_names names = {mem_zalloc(t->run->names.n + 1, sizeof *names.number)};
    f->node = arena_alloc(&v->arena, (FLAME_NODES + 1) * sizeof *f->node);
    f->names = arena_alloc(&v->arena, (FLAME_NODES + 1) * sizeof *f->names);
    bool drawn;
    for (int32_t i = t->n ? 0 : NO_NODE; i >= 0; i = next_node(t, i, drawn)) {
        const struct tree_node *x = &t->node[i];
        drawn = is_drawn(x, host_ns, device_ns);
        if (drawn)
            f->node[f->n++] =
                (struct flame_node){.depth = x->depth,
                                    .name = name_number(v, f, &names, x->name),
                                    .kind = x->kind,
                                    .host_ns = x->host_ns,
                                    .device_ns = x->device_ns,
                                    .count = x->count};
    }
    f->left_out = t->n - f->n;
    mem_free(names.number);
}

static void sum_roots(struct flame *f, const struct tree *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->node[i].parent < 0) {
            f->host_ns = add_saturated(f->host_ns, t->node[i].host_ns);
            f->device_ns = add_saturated(f->device_ns, t->node[i].device_ns);
        }
}

static const char *flame_note(struct view *v, const struct flame *f, size_t deep)
{
    const char *left = "";
    if (f->left_out)
        left = view_printf(v, " %zu of %zu places are too small to draw.", f->left_out,
                           f->n + f->left_out);
    if (deep)
        left = view_printf(v, "%s %zu calls are nested deeper than %d.", left, deep,
                           FLAME_DEPTH);
    return view_printf(v,
                       "Calls of one name from one place are one bar, as wide as they "
                       "took together with all that they called.%s",
                       left);
}

void view_add_flame(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    if (!r || v->format != REPORT_HTML)
        return;
    int32_t step = view_timeline_step(v);
    struct tree t;
    struct flame f = {0};
    size_t n;
    struct call *call = collect_calls(v->a->run, r->row, step, &n);
    tree_init(&t, v->a->run, n + v->a->run->edges.table.n);
    tree_add_calls(&t, call, n);
    tree_add_device(&t);
    sum_roots(&f, &t);
    if (f.host_ns > 0) {
        fill_nodes(v, &f, &t);
        const char *of = step < 0 ? ""
                                  : view_printf(v, " of step %lld",
                                                (long long)v->a->run->steps.number[step]);
        struct block *b = view_block(
            v, BLOCK_FLAME, view_printf(v, "Flame graph%s%s", of, view_of_rank(v)));
        b->flame = f;
        b->note = flame_note(v, &f, t.deep);
    }
    tree_release(&t);
    mem_free(call);
}
