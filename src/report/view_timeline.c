/*
 * The spans that the timeline draws: those of the typical step of the shown rank, or
 * where there are no steps the first ones of the recording. The number is bounded, and
 * what is left out is counted.
 *
 * Depth is found before anything is dropped: on a lane sorted by begin, then longest
 * first, a span lies inside all those that have not ended when it begins.
 */
#include "base/mem.h"
#include "base/saturate.h"
#include "report/view_parts.h"

#include <stdlib.h>

enum {
    TIMELINE_SPANS = 20000,
    TIMELINE_DEPTH = 24,
    TIMELINE_LANES = 48,
};

/* One candidate; kept small since a step may hold hundreds of thousands. */
struct pick {
    int64_t begin_ns, end_ns;
    size_t row; /* of run->spans */
    int32_t lane;
    uint32_t depth;
};

struct picks {
    struct pick *pick; /* (n) */
    size_t n, cap;
};

static int compare_begin(const struct pick *a, const struct pick *b)
{
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static int by_begin(const void *a, const void *b)
{
    return compare_begin(a, b);
}

static int by_lane(const void *a, const void *b)
{
    const struct pick *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return compare_begin(x, y);
}

/* The step that is drawn, as long as the one that is told: where the host runs ahead it
 * is the device's, from the first kernel of the step on. */
struct frame {
    int32_t step; /* row; -1: there are none */
    int64_t begin_ns, end_ns;
    bool of_device;
};

static struct frame frame_of(const struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    const struct steps *s = &v->a->run->steps;
    struct frame f = {.step = view_timeline_step(v)};
    if (f.step < 0)
        return f;
    f.of_device = r->recorded.ahead && r->has_device &&
                  s->device_end_ns[f.step] > s->device_begin_ns[f.step];
    f.begin_ns = f.of_device ? s->device_begin_ns[f.step] : s->begin_ns[f.step];
    f.end_ns = f.of_device ? add_saturated(f.begin_ns, whole_saturated(r->recorded.ns))
                           : s->end_ns[f.step];
    return f;
}

/* What the step asked for, and of a device's step whatever lies in it. */
static bool is_drawn(const struct frame *f, int32_t step, int64_t begin_ns,
                     int64_t end_ns)
{
    return f->step < 0 || step == f->step ||
           (f->of_device && begin_ns < f->end_ns && end_ns > f->begin_ns);
}

static void picks_of_frame(struct picks *p, const struct run *run, int32_t rank_row,
                           const struct frame *f)
{
    const struct spans *s = &run->spans;
    for (size_t i = 0; i < s->table.n; i++) {
        int64_t dur_ns = s->dur_ns[i] > 0 ? s->dur_ns[i] : 0;
        if (s->lane[i] < 0 || run->lanes.rank[s->lane[i]] != rank_row ||
            !is_drawn(f, s->step[i], s->begin_ns[i],
                      add_saturated(s->begin_ns[i], dur_ns)))
            continue;
        vec_grow(p->pick, p->cap, p->n + 1);
        p->pick[p->n++] = (struct pick){.begin_ns = s->begin_ns[i],
                                        .end_ns = add_saturated(s->begin_ns[i], dur_ns),
                                        .row = i,
                                        .lane = s->lane[i]};
    }
}

/* Fills in depth; p is sorted by lane. */
static void picks_nest(struct picks *p)
{
    int64_t *open_end_ns = mem_zalloc(p->n + 1, sizeof *open_end_ns);
    uint32_t open = 0;
    for (size_t i = 0; i < p->n; i++) {
        struct pick *k = &p->pick[i];
        if (i && k->lane != k[-1].lane)
            open = 0;
        while (open && open_end_ns[open - 1] <= k->begin_ns)
            open--;
        k->depth = open;
        open_end_ns[open++] = k->end_ns;
    }
    mem_free(open_end_ns);
}

static int longest_first(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x > y ? -1 : x < y;
}

/* Drop the shortest until `max` are left; the order stays. */
static size_t picks_keep_longest(struct picks *p, size_t max)
{
    if (p->n <= max)
        return 0;
    int64_t *dur_ns = mem_zalloc(p->n, sizeof *dur_ns);
    for (size_t i = 0; i < p->n; i++)
        dur_ns[i] = subtract_saturated(p->pick[i].end_ns, p->pick[i].begin_ns);
    qsort(dur_ns, p->n, sizeof *dur_ns, longest_first);
    int64_t shortest = dur_ns[max - 1];
    size_t longer = 0, n = 0, dropped = p->n - max;
    while (longer < max && dur_ns[longer] > shortest)
        longer++;
    mem_free(dur_ns);
    size_t equal = max - longer;
    for (size_t i = 0; i < p->n; i++) {
        int64_t d = subtract_saturated(p->pick[i].end_ns, p->pick[i].begin_ns);
        if (d < shortest || (d == shortest && !equal))
            continue;
        equal -= d == shortest;
        p->pick[n++] = p->pick[i];
    }
    p->n = n;
    return dropped;
}

static size_t picks_drop_deep(struct picks *p)
{
    size_t n = 0, dropped;
    for (size_t i = 0; i < p->n; i++)
        if (p->pick[i].depth < TIMELINE_DEPTH)
            p->pick[n++] = p->pick[i];
    dropped = p->n - n;
    p->n = n;
    return dropped;
}

static const char *timeline_lane_name(struct view *v, int32_t row)
{
    const struct lanes *l = &v->a->run->lanes;
    const char *name = view_name(v, l->name[row]);
    bool device = l->kind[row] == LANE_KIND_DEVICE;
    if (!*name)
        name = view_printf(v, "%s %lld", device ? "stream" : "thread",
                           (long long)l->tid[row]);
    return device && l->device[row] >= 0
               ? view_printf(v, "GPU %d · %s", l->device[row], name)
               : name;
}

/* Lanes are drawn host first, then by row: picks are sorted by lane already, so two
 * passes give the order. */
static void add_lanes(struct view *v, struct timeline *t, const struct picks *p,
                      bool host, uint32_t *lane_index)
{
    const struct lanes *l = &v->a->run->lanes;
    for (size_t i = 0; i < p->n; i++) {
        int32_t row = p->pick[i].lane;
        bool is_host = l->kind[row] == LANE_KIND_CPU;
        if (is_host != host || (i && row == p->pick[i - 1].lane) ||
            t->n_lanes == TIMELINE_LANES)
            continue;
        lane_index[row] = (uint32_t)t->n_lanes + 1;
        t->lanes[t->n_lanes++] =
            (struct timeline_lane){timeline_lane_name(v, row), l->kind[row], 1, false};
    }
}

static void add_span(struct timeline *t, const struct pick *k, uint32_t lane,
                     int64_t origin_ns, const int64_t *slack_ns)
{
    const struct spans *s = &t->a->run->spans;
    t->spans[t->n_spans++] =
        (struct timeline_span){.lane = lane,
                               .depth = k->depth,
                               .kind = s->kind[k->row],
                               .name = s->name[k->row],
                               .shapes = s->shapes[k->row],
                               .line = s->line[k->row],
                               .slack_ns = slack_ns ? slack_ns[k->row] : -1,
                               .begin_ns = subtract_saturated(k->begin_ns, origin_ns),
                               .dur_ns = subtract_saturated(k->end_ns, k->begin_ns)};
    if (k->depth >= t->lanes[lane].rows)
        t->lanes[lane].rows = k->depth + 1;
}

/* What of the critical path lies on drawn lanes and in the window. */
static void add_path(struct view *v, struct timeline *t, const struct critical_path *p,
                     const uint32_t *lane_index, int64_t origin_ns)
{
    t->path = arena_alloc(&v->arena, (p->n + 1) * sizeof *t->path);
    for (size_t i = 0; i < p->n; i++) {
        const struct path_piece *x = &p->piece[i];
        int64_t begin_ns = subtract_saturated(x->begin_ns, origin_ns);
        int64_t end_ns = subtract_saturated(x->end_ns, origin_ns);
        if (!lane_index[x->lane] || end_ns <= 0 || begin_ns >= t->window_ns)
            continue;
        t->path[t->n_path++] =
            (struct timeline_piece){lane_index[x->lane] - 1, begin_ns > 0 ? begin_ns : 0,
                                    end_ns < t->window_ns ? end_ns : t->window_ns};
    }
}

static void timeline_fill(struct view *v, struct timeline *t, const struct picks *p,
                          int64_t origin_ns)
{
    uint32_t *lane_index = mem_zalloc(v->a->run->lanes.table.n + 1, sizeof *lane_index);
    const struct findings *f = v->options.findings;
    t->a = v->a;
    t->lanes = arena_alloc(&v->arena, TIMELINE_LANES * sizeof *t->lanes);
    t->spans = arena_alloc(&v->arena, (p->n + 1) * sizeof *t->spans);
    add_lanes(v, t, p, true, lane_index);
    add_lanes(v, t, p, false, lane_index);
    for (size_t i = 0; i < p->n; i++) {
        uint32_t lane = lane_index[p->pick[i].lane];
        if (lane)
            add_span(t, &p->pick[i], lane - 1, origin_ns, f ? f->path.slack_ns : NULL);
        else
            t->left_out_lanes++;
    }
    if (f) {
        add_path(v, t, &f->path, lane_index, origin_ns);
        timeline_add_marks(v, t, f, lane_index, origin_ns);
    }
    mem_free(lane_index);
}

static const char *add_left_out(struct view *v, const char *list, size_t n,
                                const char *which)
{
    return n ? view_printf(v, "%s%s%zu %s", list, *list ? ", " : "", n, which) : list;
}

static const char *timeline_note(struct view *v, const struct timeline *t)
{
    size_t left = t->left_out_short + t->left_out_deep + t->left_out_lanes;
    if (!left)
        return t->cut ? "No steps are marked: shown is all that is kept of the recording."
                      : "";
    const char *list = "";
    list = add_left_out(v, list, t->left_out_short,
                        t->cut ? "later ones" : "that are shorter");
    list = add_left_out(v, list, t->left_out_deep,
                        view_printf(v, "nested deeper than %d", TIMELINE_DEPTH));
    list = add_left_out(v, list, t->left_out_lanes,
                        view_printf(v, "on lanes beyond the first %d", TIMELINE_LANES));
    return view_printf(
        v, "%s%zu spans are drawn; left out: %s.",
        t->cut ? "No steps are marked: shown is the first part of the recording. " : "",
        t->n_spans, list);
}

static int64_t picks_first_ns(const struct picks *p)
{
    int64_t first_ns = p->pick[0].begin_ns;
    for (size_t i = 1; i < p->n; i++)
        first_ns = p->pick[i].begin_ns < first_ns ? p->pick[i].begin_ns : first_ns;
    return first_ns;
}

static int64_t picks_last_ns(const struct picks *p)
{
    int64_t last_ns = p->pick[0].end_ns;
    for (size_t i = 1; i < p->n; i++)
        last_ns = p->pick[i].end_ns > last_ns ? p->pick[i].end_ns : last_ns;
    return last_ns;
}

/* The first step that was asked for and is kept, or -1. */
static int32_t wanted_step(const struct view *v)
{
    int32_t step = -1;
    for (size_t i = 0; i < v->options.n_steps && step < 0; i++)
        step = analysis_kept_step(v->a, v->shown, v->options.steps[i]);
    return step;
}

int32_t view_timeline_step(const struct view *v)
{
    int32_t step = wanted_step(v);
    return step < 0 ? analysis_typical_step(v->a, v->shown) : step;
}

static void add_timeline_block(struct view *v, struct picks *p, const struct frame *f)
{
    int32_t step = f->step;
    const struct steps *steps = &v->a->run->steps;
    struct timeline t = {.cut = step < 0};
    if (t.cut && p->n > TIMELINE_SPANS) {
        qsort(p->pick, p->n, sizeof *p->pick, by_begin);
        t.left_out_short = p->n - TIMELINE_SPANS;
        p->n = TIMELINE_SPANS;
    }
    qsort(p->pick, p->n, sizeof *p->pick, by_lane);
    picks_nest(p);
    t.left_out_deep = picks_drop_deep(p);
    t.left_out_short += picks_keep_longest(p, TIMELINE_SPANS);
    int64_t origin_ns = t.cut ? picks_first_ns(p) : f->begin_ns;
    int64_t end_ns = t.cut ? picks_last_ns(p) : f->end_ns;
    t.window_ns = subtract_saturated(end_ns, origin_ns);
    timeline_fill(v, &t, p, origin_ns);
    const char *title = t.cut
                            ? view_printf(v, "Timeline%s", view_of_rank(v))
                            : view_printf(v, "Timeline of step %lld%s%s",
                                          (long long)steps->number[step], view_of_rank(v),
                                          f->of_device          ? " on the GPU"
                                          : wanted_step(v) >= 0 ? ""
                                          : view_rank(v)->recorded.mark_mean
                                              ? ", the nearest to the mean"
                                              : ", the nearest to the median");
    const char *note = timeline_note(v, &t);
    const char *ranks = timeline_add_ranks(v, &t, step, origin_ns);
    timeline_add_map(v, &t, origin_ns);
    struct block *b = view_block(v, BLOCK_TIMELINE, title);
    b->timeline = t;
    b->note = view_printf(v, "%s%s%s", note, *note && *ranks ? " " : "", ranks);
}

void view_add_timeline(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    struct picks p = {0};
    if (!r || v->format != REPORT_HTML)
        return;
    struct frame f = frame_of(v);
    picks_of_frame(&p, v->a->run, r->row, &f);
    if (p.n)
        add_timeline_block(v, &p, &f);
    mem_free(p.pick);
}
