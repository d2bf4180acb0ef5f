/*
 * One thread goes on for another: what a second thread does while the main one is silent
 * was asked for by the main one, which then waits for it. So autograd's thread runs the
 * backward pass.
 *
 * A burst of a thread is what it does between two moments of the main thread. Where it
 * lies wholly in a gap of the main thread, the gap is not work of the main thread, and
 * what the other thread did before the burst is idleness.
 */
#include "replay/builder.h"

#include "base/mem.h"
#include "base/stats.h"

#include <stdlib.h>

struct points {
    int64_t *ns; /* (n) in order */
    size_t n;
};

/* Begins and ends of a thread's calls, operators and steps. */
static struct points points_of(const struct builder *b, const struct replay_thread *t)
{
    const struct replay *r = b->r;
    const struct spans *s = &b->run->spans;
    size_t rows = r->first_row[t->lane + 1] - r->first_row[t->lane];
    struct points p = {mem_alloc((2 * rows + t->n + 1) * sizeof *p.ns), 0};
    for (size_t i = 0; i < t->n; i++)
        if (t->anchor[i].mark == REPLAY_MARK_STEP_BEGIN ||
            t->anchor[i].mark == REPLAY_MARK_STEP_END)
            p.ns[p.n++] = t->anchor[i].begin_ns;
    for (size_t k = r->first_row[t->lane]; k < r->first_row[t->lane + 1]; k++) {
        int64_t row = r->row[k];
        if (s->kind[row] != SPAN_KIND_OP && s->kind[row] != SPAN_KIND_RUNTIME &&
            s->kind[row] != SPAN_KIND_SYNC)
            continue;
        p.ns[p.n++] = s->begin_ns[row];
        p.ns[p.n++] = s->begin_ns[row] + s->dur_ns[row];
    }
    qsort(p.ns, p.n, sizeof *p.ns, compare_int64);
    return p;
}

/* How many points are at or before t. */
static size_t points_until(const struct points *p, int64_t t)
{
    size_t low = 0, high = p->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->ns[mid] <= t)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The burst [first, last] was done for the main thread, if it lies in one of its gaps;
 * one of no length was nothing. */
static void maybe_handoff(struct builder *b, const struct points *main_points,
                          size_t thread, int64_t first_ns, int64_t last_ns,
                          uint32_t *number)
{
    size_t before = points_until(main_points, first_ns);
    if (first_ns == last_ns || !before || before >= main_points->n ||
        main_points->ns[before] < last_ns)
        return;
    struct replay_thread *main_thread = &b->r->threads[b->main_thread];
    struct replay_thread *other = &b->r->threads[thread];
    uint32_t n = (*number)++;
    builder_mark(main_thread, main_points->ns[before - 1], REPLAY_MARK_HANDOFF_GIVE, n);
    builder_mark(main_thread, main_points->ns[before], REPLAY_MARK_HANDOFF_RESUME, n);
    builder_mark(other, first_ns, REPLAY_MARK_HANDOFF_TAKE, n);
    builder_mark(other, last_ns, REPLAY_MARK_HANDOFF_DONE, n);
}

static void handoffs_of(struct builder *b, const struct points *main_points,
                        size_t thread, uint32_t *number)
{
    struct points p = points_of(b, &b->r->threads[thread]);
    for (size_t i = 0, first = 0; i < p.n; i++) {
        bool last = i + 1 == p.n;
        /* does the main thread have a moment strictly between this and the next? */
        size_t until = points_until(main_points, p.ns[i]);
        if (!last && !(until < main_points->n && main_points->ns[until] < p.ns[i + 1]))
            continue;
        maybe_handoff(b, main_points, thread, p.ns[first], p.ns[i], number);
        first = i + 1;
    }
    mem_free(p.ns);
}

void build_handoffs(struct builder *b)
{
    if (!builder_models(b, REPLAY_RULE_HANDOFF) || b->main_thread == SIZE_MAX ||
        b->r->n_threads - b->first_thread < 2)
        return;
    struct points main_points = points_of(b, &b->r->threads[b->main_thread]);
    for (size_t t = b->first_thread; main_points.n && t < b->r->n_threads; t++)
        if (t != b->main_thread)
            handoffs_of(b, &main_points, t, &b->handoffs);
    mem_free(main_points.ns);
}
