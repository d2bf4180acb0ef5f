#include "findings/host_gaps.h"

#include "base/mem.h"
#include "findings/fetches.h"

static bool is_work(const struct host_op *op)
{
    return op->kind == SPAN_KIND_OP || op->kind == SPAN_KIND_RUNTIME ||
           op->kind == SPAN_KIND_SYNC || op->kind == SPAN_KIND_WAIT ||
           op->kind == SPAN_KIND_COLLECTIVE;
}

/* Does another thread of the rank do something in there? */
static bool others_work(const struct evidence *e, int64_t begin_ns, int64_t end_ns)
{
    int64_t ns = 0, until_ns = begin_ns;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        until_ns = begin_ns;
        for (size_t i = 0; i < t->n && k != e->main_thread; i++) {
            const struct host_op *op = &t->op[i];
            if (op->begin_ns >= end_ns)
                break;
            if (!is_work(op) || op->end_ns <= until_ns)
                continue;
            int64_t from_ns = op->begin_ns > until_ns ? op->begin_ns : until_ns;
            until_ns = op->end_ns < end_ns ? op->end_ns : end_ns;
            ns += until_ns - from_ns;
        }
    }
    return ns > (end_ns - begin_ns) / 2;
}

/* The innermost mark around the moment between two ops decides whether it is a fetch. */
static bool in_fetch(const struct evidence *e, const struct host_thread *t, size_t upto,
                     int64_t begin_ns, int64_t end_ns)
{
    for (size_t i = upto; i-- > 0;) {
        const struct host_op *op = &t->op[i];
        if (op->kind == SPAN_KIND_OP)
            continue;
        if (op->begin_ns < end_ns && op->end_ns > begin_ns)
            return fetches_is_inside(e, t, op);
        if (op->parent < 0 && op->end_ns <= begin_ns)
            return false;
    }
    return false;
}

static void add_gap(struct host_gaps *g, const struct evidence *e, int32_t before,
                    int32_t after, size_t upto, int64_t begin_ns, int64_t end_ns,
                    int64_t least_ns)
{
    const struct host_thread *t = &e->threads[e->main_thread];
    const struct spans *s = &e->run->spans;
    if (end_ns - begin_ns < least_ns || others_work(e, begin_ns, end_ns) ||
        in_fetch(e, t, upto, begin_ns, end_ns))
        return;
    vec_grow(g->gap, g->cap, g->n + 1);
    g->gap[g->n++] = (struct host_gap){
        .begin_ns = begin_ns,
        .end_ns = end_ns,
        .before = before,
        .after = after,
        .name_before = before < 0 ? 0 : s->name[t->op[before].span],
        .name_after = after < 0 ? 0 : s->name[t->op[after].span],
        .step = after >= 0 ? s->step[t->op[after].span] : s->step[t->op[before].span],
    };
}

void host_gaps_init(struct host_gaps *g, const struct evidence *e, int64_t least_ns)
{
    *g = (struct host_gaps){0};
    if (e->main_thread == SIZE_MAX)
        return;
    const struct host_thread *t = &e->threads[e->main_thread];
    int64_t until_ns = e->whatif.window.begin_ns;
    int32_t before = -1;
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if (!is_work(op))
            continue;
        if (op->begin_ns > until_ns)
            add_gap(g, e, before, (int32_t)i, i, until_ns, op->begin_ns, least_ns);
        if (op->end_ns > until_ns) {
            until_ns = op->end_ns;
            before = (int32_t)i;
        }
    }
    if (before >= 0)
        add_gap(g, e, before, -1, t->n, until_ns, e->whatif.window.end_ns, least_ns);
}

void host_gaps_release(struct host_gaps *g)
{
    mem_free(g->gap);
    *g = (struct host_gaps){0};
}
