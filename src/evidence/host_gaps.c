#include "evidence/host_gaps.h"

#include "base/mem.h"

#include <stdlib.h>

static bool is_work(const struct host_op *op)
{
    return op->kind == SPAN_KIND_OP || op->kind == SPAN_KIND_RUNTIME ||
           op->kind == SPAN_KIND_SYNC || op->kind == SPAN_KIND_WAIT ||
           op->kind == SPAN_KIND_COLLECTIVE;
}

/* --- intervals that are asked for in order --- */

struct interval {
    int64_t begin_ns, end_ns;
};

struct intervals {
    struct interval *at; /* (n) in order, without overlaps */
    size_t n, cap;
    size_t next; /* those before it end before anything that will be asked for */
};

static int compare_interval(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static void intervals_add(struct intervals *v, const struct host_op *op)
{
    vec_grow(v->at, v->cap, v->n + 1);
    v->at[v->n++] = (struct interval){op->begin_ns, op->end_ns};
}

/* Sort, and make one of those that overlap. */
static void intervals_unite(struct intervals *v)
{
    size_t n = 0;
    if (v->n)
        qsort(v->at, v->n, sizeof *v->at, compare_interval);
    for (size_t i = 0; i < v->n; i++) {
        if (!n || v->at[i].begin_ns > v->at[n - 1].end_ns)
            v->at[n++] = v->at[i];
        else if (v->at[i].end_ns > v->at[n - 1].end_ns)
            v->at[n - 1].end_ns = v->at[i].end_ns;
    }
    v->n = n;
}

/* Do they cover more than half of it? Ask in the order of begins. */
static bool intervals_cover(struct intervals *v, int64_t begin_ns, int64_t end_ns)
{
    int64_t ns = 0;
    while (v->next < v->n && v->at[v->next].end_ns <= begin_ns)
        v->next++;
    for (size_t i = v->next; i < v->n && v->at[i].begin_ns < end_ns; i++) {
        int64_t from_ns = v->at[i].begin_ns > begin_ns ? v->at[i].begin_ns : begin_ns;
        int64_t to_ns = v->at[i].end_ns < end_ns ? v->at[i].end_ns : end_ns;
        ns += to_ns - from_ns;
    }
    return ns > (end_ns - begin_ns) / 2;
}

/* --- gaps --- */

struct finder {
    struct host_gaps *gaps;
    const struct evidence *e;
    const struct host_thread *t;
    int64_t least_ns;
    struct intervals others;  /* other threads of the rank do something */
    struct intervals fetches; /* the batch is fetched */
};

static void find_intervals(struct finder *f)
{
    for (size_t k = 0; k < f->e->n_threads; k++) {
        const struct host_thread *t = &f->e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            if (k != f->e->main_thread && is_work(op) && op->op_parent < 0)
                intervals_add(&f->others, op);
            if (k == f->e->main_thread && op->fetch)
                intervals_add(&f->fetches, op);
        }
    }
    intervals_unite(&f->others);
    intervals_unite(&f->fetches);
}

static void add_gap(struct finder *f, int32_t before, int32_t after, int64_t begin_ns,
                    int64_t end_ns)
{
    struct host_gaps *g = f->gaps;
    const struct host_op *op = f->t->op;
    const struct spans *s = &f->e->run->spans;
    if (end_ns - begin_ns < f->least_ns ||
        intervals_cover(&f->others, begin_ns, end_ns) ||
        intervals_cover(&f->fetches, begin_ns, end_ns))
        return;
    vec_grow(g->gap, g->cap, g->n + 1);
    g->gap[g->n++] = (struct host_gap){
        .begin_ns = begin_ns,
        .end_ns = end_ns,
        .before = before,
        .after = after,
        .name_before = before < 0 ? 0 : s->name[op[before].span],
        .name_after = after < 0 ? 0 : s->name[op[after].span],
        .step = after >= 0 ? s->step[op[after].span] : s->step[op[before].span],
    };
}

void host_gaps_init(struct host_gaps *g, const struct evidence *e, int64_t least_ns)
{
    *g = (struct host_gaps){0};
    if (e->main_thread == SIZE_MAX)
        return;
    struct finder f = {.gaps = g, .e = e, .least_ns = least_ns};
    f.t = &e->threads[e->main_thread];
    find_intervals(&f);
    int64_t until_ns = e->whatif.window.begin_ns;
    int32_t before = -1;
    for (size_t i = 0; i < f.t->n; i++) {
        const struct host_op *op = &f.t->op[i];
        if (!is_work(op))
            continue;
        if (op->begin_ns > until_ns)
            add_gap(&f, before, (int32_t)i, until_ns, op->begin_ns);
        if (op->end_ns > until_ns) {
            until_ns = op->end_ns;
            before = (int32_t)i;
        }
    }
    if (before >= 0)
        add_gap(&f, before, -1, until_ns, e->whatif.window.end_ns);
    mem_free(f.others.at);
    mem_free(f.fetches.at);
}

void host_gaps_release(struct host_gaps *g)
{
    mem_free(g->gap);
    *g = (struct host_gaps){0};
}
