/*
 * The other ranks of a job in the timeline, each as one lane: its device work in the step
 * of the same number above, its collectives below. What no screen could hold apart is
 * drawn as one stretch without a name, so that a rank costs the same however much it did.
 *
 * Ranks whose clocks are aligned with the shown one's lie where they were; of others only
 * the step is the same, and theirs begins where the shown one begins.
 */
#include "base/mem.h"
#include "base/saturate.h"
#include "report/view_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    RANKS_DRAWN = 64,
    RANK_ROWS = 2, /* work, collectives */
    STRETCHES_OF_WINDOW =
        400, /* so many of a rank's row at most, and about as many gaps */
    RANK_SPANS = RANK_ROWS * (STRETCHES_OF_WINDOW + 1),
};

struct rank_spans {
    struct timeline_span *span; /* (n) */
    size_t n, cap;
};

static int by_row_and_begin(const void *a, const void *b)
{
    const struct timeline_span *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->dur_ns > y->dur_ns ? -1 : x->dur_ns < y->dur_ns;
}

/* Of a rank without a device: its phases. */
static bool is_drawn(enum span_kind kind, bool has_device)
{
    return has_device ? span_kind_is_device_work(kind)
                      : kind == SPAN_KIND_PHASE || kind == SPAN_KIND_COLLECTIVE;
}

static void collect(struct rank_spans *x, const struct run *run,
                    const struct analysis_rank *r, int32_t step, int64_t origin_ns)
{
    const struct spans *s = &run->spans;
    for (size_t i = 0; i < s->table.n; i++) {
        if (s->lane[i] < 0 || run->lanes.rank[s->lane[i]] != r->row ||
            s->step[i] != step || !is_drawn(s->kind[i], r->has_device))
            continue;
        vec_grow(x->span, x->cap, x->n + 1);
        x->span[x->n++] = (struct timeline_span){
            .depth = s->kind[i] == SPAN_KIND_COLLECTIVE,
            .kind = s->kind[i],
            .name = s->name[i],
            .begin_ns = subtract_saturated(s->begin_ns[i], origin_ns),
            .dur_ns = s->dur_ns[i] > 0 ? s->dur_ns[i] : 0,
            .slack_ns = -1};
    }
    if (x->n)
        qsort(x->span, x->n, sizeof *x->span, by_row_and_begin);
}

static int64_t end_of(const struct timeline_span *s)
{
    return add_saturated(s->begin_ns, s->dur_ns);
}

/* Sorted spans that lie nearer than gap_ns become one, of the kind of the first. */
static void join(struct rank_spans *x, int64_t gap_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < x->n; i++) {
        struct timeline_span *last = kept ? &x->span[kept - 1] : NULL, *s = &x->span[i];
        if (last && last->depth == s->depth &&
            s->begin_ns <= add_saturated(end_of(last), gap_ns)) {
            int64_t end_ns = end_of(s) > end_of(last) ? end_of(s) : end_of(last);
            last->dur_ns = subtract_saturated(end_ns, last->begin_ns);
            last->name = last->name == s->name ? s->name : 0;
            continue;
        }
        x->span[kept++] = *s;
    }
    x->n = kept;
}

/* The rank's step of the same number, where it is kept; else -1. */
static int32_t step_of(const struct view *v, size_t rank_index, int32_t step)
{
    /* of a thousand ranks few keep spans: the others' steps need no search */
    if (v->a->run->ranks.spans_kept[v->a->ranks[rank_index].row] <= 0)
        return -1;
    return analysis_kept_step(v->a, rank_index, v->a->run->steps.number[step]);
}

/* Where the shown rank's origin lies on another rank's clock; false: not known. */
static bool aligned_origin(const struct view *v, int32_t other, int64_t *origin_ns)
{
    const struct analysis_job *j = &v->a->job;
    int32_t own = view_rank(v)->row;
    const struct ranks *ranks = &v->a->run->ranks;
    if (j->state != JOB_ALIGNED || j->clocks.rank[own].reference < 0 ||
        j->clocks.rank[own].reference != j->clocks.rank[other].reference)
        return false;
    int64_t own_ns = add_saturated(ranks->base_ns[own], j->clocks.rank[own].shift_ns);
    int64_t other_ns =
        add_saturated(ranks->base_ns[other], j->clocks.rank[other].shift_ns);
    *origin_ns = add_saturated(*origin_ns, subtract_saturated(own_ns, other_ns));
    return true;
}

static void add_rank(struct view *v, struct timeline *t, size_t rank_index, int32_t step,
                     int64_t origin_ns)
{
    struct rank_spans x = {0};
    collect(&x, t->a->run, &v->a->ranks[rank_index], step, origin_ns);
    int64_t gap_ns = t->window_ns / STRETCHES_OF_WINDOW + 1;
    while (x.n > RANK_SPANS) {
        join(&x, gap_ns);
        gap_ns = add_saturated(gap_ns, gap_ns);
    }
    t->lanes[t->n_lanes] =
        (struct timeline_lane){view_printf(v, "rank %d", rank_number(v->a, rank_index)),
                               LANE_KIND_DEVICE, RANK_ROWS, true};
    for (size_t i = 0; i < x.n; i++) {
        x.span[i].lane = (uint32_t)t->n_lanes;
        t->spans[t->n_spans++] = x.span[i];
    }
    t->n_lanes++;
    mem_free(x.span);
}

/* Room for them behind what is there. */
static void make_room(struct view *v, struct timeline *t, size_t ranks)
{
    struct timeline_lane *lanes =
        arena_alloc(&v->arena, (t->n_lanes + ranks) * sizeof *lanes);
    struct timeline_span *spans =
        arena_alloc(&v->arena, (t->n_spans + ranks * RANK_SPANS + 1) * sizeof *spans);
    memcpy(lanes, t->lanes, t->n_lanes * sizeof *lanes);
    memcpy(spans, t->spans, t->n_spans * sizeof *spans);
    t->lanes = lanes;
    t->spans = spans;
}

const char *timeline_add_ranks(struct view *v, struct timeline *t, int32_t step,
                               int64_t origin_ns)
{
    size_t drawn = 0, kept = 0, unaligned = 0;
    if (step < 0 || v->a->n_ranks < 2)
        return "";
    make_room(v, t, RANKS_DRAWN);
    for (size_t i = 0; i < v->a->n_ranks; i++) {
        int32_t theirs = i == v->shown ? -1 : step_of(v, i, step);
        if (theirs < 0)
            continue;
        if (kept++ >= RANKS_DRAWN)
            continue;
        int64_t theirs_ns = origin_ns;
        if (!aligned_origin(v, v->a->ranks[i].row, &theirs_ns)) {
            theirs_ns = v->a->run->steps.begin_ns[theirs];
            unaligned++;
        }
        add_rank(v, t, i, theirs, theirs_ns);
        drawn++;
    }
    const char *note = "";
    if (drawn + 1 < v->a->n_ranks)
        note = view_printf(v, "%zu of the %zu other ranks are drawn: %s.", drawn,
                           v->a->n_ranks - 1,
                           kept > drawn ? "the first ones"
                                        : "of the others this step's spans are not kept");
    if (unaligned)
        note = view_printf(v,
                           "%s%sClocks of %zu ranks are not aligned: their step begins "
                           "where this one begins.",
                           note, *note ? " " : "", unaligned);
    return note;
}
