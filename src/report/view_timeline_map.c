/*
 * The whole recording above the timeline: each step with the shares of its time that the
 * run's table of times gives it, between its own marks. Where no steps are marked, the
 * part of each stretch in which a device, or the host, did anything that is kept.
 */
#include "base/mem.h"
#include "base/saturate.h"
#include "report/view_parts.h"

#include <stdlib.h>

enum { MAP_BARS = 600, MAP_STRETCHES = 300 };

/* Times of the steps of one rank. */
struct step_times {
    int32_t *row;                    /* (n) of run->steps, by begin */
    int64_t (*ns)[TIME_CLASS_COUNT]; /* (n) */
    size_t n;
};

static int by_begin(const void *a, const void *b, void *steps)
{
    const struct steps *s = steps;
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    if (s->begin_ns[x] != s->begin_ns[y])
        return s->begin_ns[x] < s->begin_ns[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* As the analysis reads them: of all devices together, of a host lane where there is no
 * device. */
static void fill_times(struct step_times *x, const struct run *run, bool has_device)
{
    const struct times *t = &run->times;
    size_t *place = mem_zalloc(run->steps.table.n + 1, sizeof *place);
    for (size_t i = 0; i < x->n; i++)
        place[x->row[i]] = i + 1;
    for (size_t i = 0; i < t->table.n; i++)
        if (t->step[i] >= 0 && place[t->step[i]] && t->device[i] < 0 &&
            (t->lane[i] < 0) == has_device)
            x->ns[place[t->step[i]] - 1][t->what[i]] += t->ns[i];
    mem_free(place);
}

static void step_times_init(struct step_times *x, const struct run *run,
                            const struct analysis_rank *r)
{
    const struct steps *s = &run->steps;
    *x = (struct step_times){.row = mem_zalloc(s->table.n + 1, sizeof *x->row)};
    for (size_t i = 0; i < s->table.n; i++)
        if (s->rank[i] == r->row)
            x->row[x->n++] = (int32_t)i;
    qsort_r(x->row, x->n, sizeof *x->row, by_begin, (void *)(uintptr_t)s);
    x->ns = mem_zalloc(x->n + 1, sizeof *x->ns);
    fill_times(x, run, r->has_device);
}

static void step_times_release(struct step_times *x)
{
    mem_free(x->row);
    mem_free(x->ns);
}

static double frac_of(double part_ns, double all_ns)
{
    double frac = all_ns > 0 ? part_ns / all_ns : 0;
    return frac < 0 ? 0 : frac > 1 ? 1 : frac;
}

/* The steps from first up to end as one bar. */
static struct timeline_map_bar bar_of(const struct step_times *x, const struct steps *s,
                                      size_t first, size_t end, bool has_device)
{
    double ns[TIME_CLASS_COUNT] = {0};
    for (size_t i = first; i < end; i++)
        for (int c = 0; c < TIME_CLASS_COUNT; c++)
            ns[c] += (double)x->ns[i][c];
    double all_ns = ns[TIME_CLASS_SPAN];
    enum time_class work = has_device ? TIME_CLASS_COMPUTE : TIME_CLASS_BUSY;
    return (struct timeline_map_bar){
        .begin_ns = s->begin_ns[x->row[first]],
        .end_ns = s->end_ns[x->row[end - 1]],
        .step = s->number[x->row[first]],
        .compute_frac = frac_of(ns[work], all_ns),
        .communication_frac = frac_of(ns[TIME_CLASS_COMMUNICATION], all_ns),
        .copies_frac = frac_of(ns[TIME_CLASS_COPIES], all_ns)};
}

static void map_steps(struct view *v, struct timeline *t)
{
    const struct analysis_rank *r = view_rank(v);
    const struct steps *s = &t->a->run->steps;
    struct step_times x;
    step_times_init(&x, t->a->run, r);
    t->steps_per_bar = (x.n + MAP_BARS - 1) / MAP_BARS;
    t->map = arena_alloc(&v->arena, (MAP_BARS + 1) * sizeof *t->map);
    for (size_t i = 0; i < x.n; i += t->steps_per_bar) {
        size_t end = i + t->steps_per_bar < x.n ? i + t->steps_per_bar : x.n;
        t->map[t->n_map++] = bar_of(&x, s, i, end, r->has_device);
    }
    step_times_release(&x);
}

/* --- without steps --- */

struct stretch {
    int64_t begin_ns, end_ns;
};

static int stretch_order(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Waiting is no work, and marks are no work. */
static bool is_work(enum span_kind kind, bool on_device)
{
    if (on_device)
        return span_kind_is_device_work(kind);
    return kind != SPAN_KIND_ANNOTATION && kind != SPAN_KIND_SYNC &&
           kind != SPAN_KIND_WAIT;
}

/* What is kept of the rank's devices, or host threads; the caller frees it. */
static struct stretch *kept_work(const struct run *run, const struct analysis_rank *r,
                                 size_t *n)
{
    const struct spans *s = &run->spans;
    struct stretch *work = mem_zalloc(s->table.n + 1, sizeof *work);
    *n = 0;
    for (size_t i = 0; i < s->table.n; i++) {
        int32_t lane = s->lane[i];
        if (lane < 0 || run->lanes.rank[lane] != r->row || s->dur_ns[i] <= 0 ||
            (run->lanes.kind[lane] == LANE_KIND_DEVICE) != r->has_device ||
            !is_work(s->kind[i], r->has_device))
            continue;
        work[(*n)++] =
            (struct stretch){s->begin_ns[i], add_saturated(s->begin_ns[i], s->dur_ns[i])};
    }
    qsort(work, *n, sizeof *work, stretch_order);
    return work;
}

/* Add a stretch to the bars that it lies in. */
static void map_cover(struct timeline *t, int64_t first_ns, double bar_ns,
                      struct stretch w)
{
    double from = (double)subtract_saturated(w.begin_ns, first_ns) / bar_ns;
    double to = (double)subtract_saturated(w.end_ns, first_ns) / bar_ns;
    from = from < 0 ? 0 : from;
    to = to > (double)t->n_map ? (double)t->n_map : to;
    for (size_t i = (size_t)from; i < t->n_map && (double)i < to; i++) {
        double low = from > (double)i ? from : (double)i;
        double high = to < (double)(i + 1) ? to : (double)(i + 1);
        double more = t->map[i].compute_frac + (high > low ? high - low : 0);
        t->map[i].compute_frac = more > 1 ? 1 : more;
    }
}

static void map_stretches(struct view *v, struct timeline *t)
{
    const struct analysis_rank *r = view_rank(v);
    int64_t first_ns = t->a->run->ranks.first_ns[r->row];
    int64_t all_ns = subtract_saturated(t->a->run->ranks.last_ns[r->row], first_ns);
    size_t n;
    if (all_ns < MAP_STRETCHES)
        return;
    struct stretch *work = kept_work(t->a->run, r, &n);
    double bar_ns = (double)all_ns / MAP_STRETCHES;
    t->n_map = MAP_STRETCHES;
    t->map = arena_alloc(&v->arena, t->n_map * sizeof *t->map);
    for (size_t i = 0; i < t->n_map; i++)
        t->map[i] = (struct timeline_map_bar){
            .begin_ns = add_saturated(first_ns, whole_saturated(bar_ns * (double)i)),
            .end_ns = add_saturated(first_ns, whole_saturated(bar_ns * (double)(i + 1))),
            .step = -1};
    int64_t done_ns = first_ns;
    for (size_t i = 0; i < n; i++) {
        if (work[i].begin_ns < done_ns)
            work[i].begin_ns = done_ns;
        if (work[i].end_ns <= work[i].begin_ns)
            continue;
        map_cover(t, first_ns, bar_ns, work[i]);
        done_ns = work[i].end_ns;
    }
    mem_free(work);
}

void timeline_add_map(struct view *v, struct timeline *t, int64_t origin_ns)
{
    t->on_host = !view_rank(v)->has_device;
    if (analysis_has_steps(view_rank(v)))
        map_steps(v, t);
    else
        map_stretches(v, t);
    for (size_t i = 0; i < t->n_map; i++) {
        t->map[i].begin_ns = subtract_saturated(t->map[i].begin_ns, origin_ns);
        t->map[i].end_ns = subtract_saturated(t->map[i].end_ns, origin_ns);
    }
}
