#include "reduce/step_marks.h"

#include "base/mem.h"

#include <stdlib.h>

static int compare_mark(const void *a, const void *b)
{
    const struct step_mark *x = a, *y = b;
    if (x->method != y->method)
        return x->method < y->method ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Marks of one method: the slice of the lane that has most of them. */
static const struct step_mark *busiest_lane(const struct step_mark *mark, size_t n,
                                            size_t *count)
{
    const struct step_mark *best = mark;
    *count = 0;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && mark[to].lane == mark[from].lane;)
            to++;
        if (to - from > *count) {
            *count = to - from;
            best = mark + from;
        }
    }
    return best;
}

static int64_t mark_end_ns(const struct step_mark *m)
{
    return m->begin_ns + m->dur_ns;
}

/* Marks inside an earlier one are another level's: dropped. Returns how many stay. */
static size_t drop_nested(struct step_mark *to, const struct step_mark *mark, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!kept || mark[i].begin_ns >= mark_end_ns(&to[kept - 1]))
            to[kept++] = mark[i];
    return kept;
}

/* An optimizer's step ends a step of the training; other marks begin one, so that loading
 * between two of them belongs to a step. */
static void steps_between(struct found_steps *out, const struct step_mark *mark, size_t n)
{
    bool at_end = mark->method == STEP_METHOD_OPTIMIZER;
    for (size_t i = 0; i + at_end < n; i++) {
        const struct step_mark *next = i + 1 < n ? &mark[i + 1] : NULL;
        struct found_step s = {
            .begin_ns = at_end ? mark_end_ns(&mark[i]) : mark[i].begin_ns,
            .end_ns = at_end ? mark_end_ns(next)
                      : next ? next->begin_ns
                             : mark_end_ns(&mark[i]),
            .number = mark[i].number >= 0 ? mark[i].number : (int64_t)i};
        out->step[out->n++] = s;
    }
}

/* Marks that say themselves from when to when a step lasted. */
static void steps_as_marked(struct found_steps *out, const struct step_mark *mark,
                            size_t n)
{
    for (size_t i = 0; i < n; i++)
        out->step[out->n++] =
            (struct found_step){mark[i].begin_ns, mark_end_ns(&mark[i]),
                                mark[i].number >= 0 ? mark[i].number : (int64_t)i};
}

static void steps_from(struct found_steps *out, const struct step_mark *mark, size_t n)
{
    out->step = mem_alloc((n + 1) * sizeof *out->step);
    struct step_mark *outer = mem_alloc(n * sizeof *outer);
    size_t count = drop_nested(outer, mark, n);
    if (mark->method == STEP_METHOD_PROFILER_STEP || mark->method == STEP_METHOD_TRAINER)
        steps_as_marked(out, mark, n);
    else if (mark->method == STEP_METHOD_ENGINE)
        steps_as_marked(out, outer, count);
    else if (count >= 2)
        steps_between(out, outer, count);
    mem_free(outer);
    if (!out->n) {
        found_steps_release(out);
        return;
    }
    out->method = mark->method;
    out->lane = mark->lane;
}

void step_marks_find(struct found_steps *out, struct step_mark *mark, size_t n)
{
    *out = (struct found_steps){.lane = -1};
    if (n)
        qsort(mark, n, sizeof *mark, compare_mark);
    for (size_t from = 0, to; from < n && !out->n; from = to) {
        for (to = from; to < n && mark[to].method == mark[from].method;)
            to++;
        size_t count;
        const struct step_mark *best = busiest_lane(mark + from, to - from, &count);
        steps_from(out, best, count);
    }
}

void found_steps_release(struct found_steps *f)
{
    mem_free(f->step);
    *f = (struct found_steps){.lane = -1};
}
