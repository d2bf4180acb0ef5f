/*
 * Picks the figures of each rank out of a run's aggregates; spans are not needed for any
 * of them. Each table is passed over once, so that a thousand ranks cost a thousand times
 * one rank.
 */
#include "analyze/analysis.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- steps
 * ---------------------------------------------------------------------------------- */

static void fill_steps(struct analysis_rank *r, const struct run *run, const double *ms,
                       size_t n)
{
    r->steps = (struct analysis_steps){.count = n,
                                       .method = run->ranks.step_method[r->row],
                                       .median_ms = NAN,
                                       .spread_frac = NAN,
                                       .min_ms = NAN,
                                       .max_ms = NAN};
    r->kernels_per_step = n ? r->kernels_per_step / (double)n : NAN;
    if (!n)
        return;
    r->steps.median_ms = stats_median(ms, n);
    r->steps.spread_frac = stats_spread_frac(ms, n);
    r->steps.min_ms = stats_quantile(ms, n, 0);
    r->steps.max_ms = stats_quantile(ms, n, 1);
}

/* Lengths of all steps, those of a rank together: a counting sort by rank. */
static void gather_steps(struct analysis *a)
{
    const struct steps *s = &a->run->steps;
    size_t *at = mem_zalloc(a->n_ranks + 1, sizeof *at);
    double *ms = mem_alloc((s->table.n + 1) * sizeof *ms);
    for (size_t i = 0; i < s->table.n; i++)
        at[s->rank[i] + 1]++;
    for (size_t k = 0; k < a->n_ranks; k++)
        at[k + 1] += at[k];
    for (size_t i = 0; i < s->table.n; i++)
        ms[at[s->rank[i]]++] = (double)(s->end_ns[i] - s->begin_ns[i]) / 1e6;
    for (size_t i = 0; i < s->table.n; i++)
        a->ranks[s->rank[i]].kernels_per_step += (double)s->device_spans[i];
    for (size_t k = 0, from = 0; k < a->n_ranks; from = at[k++])
        fill_steps(&a->ranks[k], a->run, ms + from, at[k] - from);
    mem_free(at);
    mem_free(ms);
}

/* --- where time goes
 * ------------------------------------------------------------------------ */

static void split_add(struct time_split *s, enum time_class what, int64_t ns)
{
    s->known = true;
    s->ns[what] = add_saturated(s->ns[what], ns);
}

static struct time_split *device_split(struct analysis_rank *r, int32_t device)
{
    if (!r->n_devices || r->devices[r->n_devices - 1].device != device) {
        r->devices = mem_resize(r->devices, r->n_devices + 1, sizeof *r->devices);
        r->devices[r->n_devices++] = (struct analysis_device){.device = device};
    }
    return &r->devices[r->n_devices - 1].whole;
}

/* Rows of the devices: as a whole, one by one, by step. */
static void gather_device_times(struct analysis *a)
{
    const struct times *t = &a->run->times;
    for (size_t i = 0; i < t->table.n; i++) {
        if (t->rank[i] < 0 || t->lane[i] >= 0)
            continue;
        struct analysis_rank *r = &a->ranks[t->rank[i]];
        struct time_split *to = t->device[i] >= 0 ? device_split(r, t->device[i])
                                : t->step[i] < 0  ? &r->whole
                                                  : &r->mean_step;
        split_add(to, t->what[i], t->ns[i]);
        r->has_device = true;
    }
}

/* Rows of host lanes; where there is no device, a step is seen through the lane that
 * marks it: rows of a step and a lane are of no other. Leaves the row of that lane in
 * main_lane. */
static void gather_host_times(struct analysis *a, const size_t *slot)
{
    const struct times *t = &a->run->times;
    for (size_t i = 0; i < t->table.n; i++) {
        if (t->lane[i] < 0)
            continue;
        struct analysis_rank *r = &a->ranks[a->run->lanes.rank[t->lane[i]]];
        if (t->step[i] < 0)
            split_add(&r->lanes[slot[t->lane[i]]].split, t->what[i], t->ns[i]);
        else if (!r->has_device) {
            r->main_lane = t->lane[i];
            split_add(&r->mean_step, t->what[i], t->ns[i]);
        }
    }
}

/* Lanes of each rank; returns each lane's place in its rank's list. The caller frees it.
 */
static size_t *gather_lanes(struct analysis *a)
{
    const struct lanes *l = &a->run->lanes;
    size_t *slot = mem_alloc((l->table.n + 1) * sizeof *slot);
    for (size_t i = 0; i < l->table.n; i++)
        a->ranks[l->rank[i]].n_lanes++;
    for (size_t k = 0; k < a->n_ranks; k++) {
        a->ranks[k].lanes = mem_zalloc(a->ranks[k].n_lanes, sizeof *a->ranks[k].lanes);
        a->ranks[k].n_lanes = 0;
    }
    for (size_t i = 0; i < l->table.n; i++) {
        struct analysis_rank *r = &a->ranks[l->rank[i]];
        slot[i] = r->n_lanes;
        r->lanes[r->n_lanes++].lane = (int32_t)i;
    }
    return slot;
}

static int64_t lane_weight(const struct analysis_lane *l)
{
    return add_saturated(l->split.ns[TIME_CLASS_BUSY], l->split.ns[TIME_CLASS_WAITING]);
}

static int compare_lane(const void *a, const void *b)
{
    const struct analysis_lane *x = a, *y = b;
    int64_t wx = lane_weight(x), wy = lane_weight(y);
    if (wx != wy)
        return wx > wy ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

/* From the row of the lane that marks the steps, -1 where none does, to its place among
 * the sorted lanes. */
static void choose_main_lane(struct analysis_rank *r)
{
    int32_t marks = r->main_lane;
    r->main_lane = -1;
    if (r->has_device || !r->n_lanes)
        return;
    r->main_lane = 0; /* the busiest */
    for (size_t i = 0; i < r->n_lanes; i++)
        if (r->lanes[i].lane == marks)
            r->main_lane = (int32_t)i;
    r->whole = r->lanes[r->main_lane].split;
}

static void gather_times(struct analysis *a)
{
    size_t *slot = gather_lanes(a);
    for (size_t k = 0; k < a->n_ranks; k++)
        a->ranks[k].main_lane = -1;
    gather_device_times(a);
    gather_host_times(a, slot);
    mem_free(slot);
    for (size_t k = 0; k < a->n_ranks; k++) {
        struct analysis_rank *r = &a->ranks[k];
        if (r->n_lanes)
            qsort(r->lanes, r->n_lanes, sizeof *r->lanes, compare_lane);
        choose_main_lane(r);
        for (int c = 0; c < TIME_CLASS_COUNT && r->steps.count; c++)
            r->mean_step.ns[c] /= (int64_t)r->steps.count;
    }
}

static void gather_phases(struct analysis *a)
{
    const struct phases *p = &a->run->phases;
    for (size_t i = 0; i < p->table.n; i++) {
        if (p->rank[i] < 0)
            continue;
        struct analysis_rank *r = &a->ranks[p->rank[i]];
        r->has_phases = true;
        if (r->steps.count)
            r->phase_ms[p->phase[i]] += (double)p->ns[i] / 1e6 / (double)r->steps.count;
    }
}

/* --- operators
 * ------------------------------------------------------------------------------ */

/* What is an operator to a reader: work and calls, not the containers around them. */
static bool is_operator(const struct ops *o, size_t i)
{
    bool on_device = o->place[i] == LANE_KIND_DEVICE;
    switch (o->kind[i]) {
    case SPAN_KIND_STEP:
    case SPAN_KIND_PHASE:
    case SPAN_KIND_ANNOTATION:
    case SPAN_KIND_PYTHON:
        return false;
    case SPAN_KIND_SYNC:
        return !on_device; /* a stream's wait is no work */
    default:
        return true;
    }
}

static void fill_op_shares(struct analysis_rank *r, const struct ops *o)
{
    int64_t self_ns[LANE_KIND_COUNT] = {0};
    for (size_t i = 0; i < r->n_ops; i++) {
        size_t row = r->ops[i].row;
        self_ns[o->place[row]] = add_saturated(self_ns[o->place[row]], o->self_ns[row]);
    }
    for (size_t i = 0; i < r->n_ops; i++) {
        size_t row = r->ops[i].row;
        int64_t all = self_ns[o->place[row]];
        r->ops[i].self_frac = all > 0 ? (double)o->self_ns[row] / (double)all : 0;
    }
}

/* Ties are broken by name, so that equal runs read equally. */
static int compare_op(const void *a, const void *b, void *run_)
{
    const struct run *run = run_;
    size_t x = ((const struct analysis_op *)a)->row,
           y = ((const struct analysis_op *)b)->row;
    if (run->ops.self_ns[x] != run->ops.self_ns[y])
        return run->ops.self_ns[x] > run->ops.self_ns[y] ? -1 : 1;
    int by_name =
        strcmp(run_name(run, run->ops.name[x]), run_name(run, run->ops.name[y]));
    return by_name ? by_name : (x > y) - (x < y);
}

static void gather_ops(struct analysis *a)
{
    const struct ops *o = &a->run->ops;
    for (size_t i = 0; i < o->table.n; i++)
        if (o->rank[i] >= 0 && is_operator(o, i))
            a->ranks[o->rank[i]].n_ops++;
    for (size_t k = 0; k < a->n_ranks; k++) {
        a->ranks[k].ops = mem_zalloc(a->ranks[k].n_ops, sizeof *a->ranks[k].ops);
        a->ranks[k].n_ops = 0;
    }
    for (size_t i = 0; i < o->table.n; i++) {
        if (o->rank[i] < 0 || !is_operator(o, i))
            continue;
        struct analysis_rank *r = &a->ranks[o->rank[i]];
        r->ops[r->n_ops++].row = i;
        if (o->place[i] == LANE_KIND_DEVICE)
            r->kernels += (size_t)o->count[i];
    }
    for (size_t k = 0; k < a->n_ranks; k++) {
        struct analysis_rank *r = &a->ranks[k];
        fill_op_shares(r, o);
        if (r->n_ops)
            qsort_r(r->ops, r->n_ops, sizeof *r->ops, compare_op,
                    (void *)(uintptr_t)a->run);
    }
}

/* A launch that nothing answered is still one. */
static bool names_a_device(const struct run *run, const struct analysis_rank *r)
{
    const struct ops *o = &run->ops;
    bool named = *run_name(run, run->ranks.device[r->row]);
    for (size_t i = 0; i < r->n_ops && !named; i++) {
        enum span_kind kind = o->kind[r->ops[i].row];
        named = kind == SPAN_KIND_RUNTIME || kind == SPAN_KIND_SYNC;
    }
    return named;
}

/* --- the whole
 * ------------------------------------------------------------------------------ */

static int compare_rank(const void *a, const void *b, void *run_)
{
    const struct run *run = run_;
    int32_t x = ((const struct analysis_rank *)a)->row;
    int32_t y = ((const struct analysis_rank *)b)->row;
    if (run->ranks.rank[x] != run->ranks.rank[y])
        return run->ranks.rank[x] < run->ranks.rank[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static void compare_steps_of_ranks(struct analysis *a)
{
    double *ms = mem_alloc((a->n_ranks + 1) * sizeof *ms);
    size_t n = 0;
    a->median_step_ms = NAN;
    for (size_t i = 0; i < a->n_ranks; i++) {
        if (!a->ranks[i].steps.count)
            continue;
        ms[n++] = a->ranks[i].steps.median_ms;
        const struct analysis_steps *slowest = &a->ranks[a->slowest].steps;
        if (!slowest->count || a->ranks[i].steps.median_ms > slowest->median_ms)
            a->slowest = i;
    }
    if (n)
        a->median_step_ms = stats_median(ms, n);
    mem_free(ms);
}

struct analysis *analysis_new(const struct run *run)
{
    struct analysis *a = mem_zalloc(1, sizeof *a);
    a->run = run;
    a->n_ranks = run->ranks.table.n;
    a->ranks = mem_zalloc(a->n_ranks, sizeof *a->ranks);
    for (size_t i = 0; i < a->n_ranks; i++)
        a->ranks[i].row = (int32_t)i;
    /* Until they are sorted, a->ranks[row] is the rank of that row. */
    gather_steps(a);
    gather_times(a);
    gather_phases(a);
    gather_ops(a);
    for (size_t i = 0; i < a->n_ranks; i++)
        a->ranks[i].used_device =
            a->ranks[i].has_device || names_a_device(run, &a->ranks[i]);
    job_init(&a->job, a);
    if (a->n_ranks)
        qsort_r(a->ranks, a->n_ranks, sizeof *a->ranks, compare_rank,
                (void *)(uintptr_t)run);
    a->index_of_row = mem_zalloc(a->n_ranks, sizeof *a->index_of_row);
    for (size_t i = 0; i < a->n_ranks; i++)
        a->index_of_row[a->ranks[i].row] = i;
    compare_steps_of_ranks(a);
    return a;
}

void analysis_free(struct analysis *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->n_ranks; i++) {
        mem_free(a->ranks[i].devices);
        mem_free(a->ranks[i].lanes);
        mem_free(a->ranks[i].ops);
    }
    job_release(&a->job);
    mem_free(a->index_of_row);
    mem_free(a->ranks);
    mem_free(a);
}

int32_t analysis_typical_step(const struct analysis *a, size_t rank_index)
{
    const struct analysis_rank *r = &a->ranks[rank_index];
    const struct steps *s = &a->run->steps;
    int32_t best = -1;
    double best_distance = INFINITY;
    for (size_t i = 0; i < s->table.n; i++) {
        if (s->rank[i] != r->row || !s->kept[i])
            continue;
        double ms = (double)(s->end_ns[i] - s->begin_ns[i]) / 1e6;
        double distance = fabs(ms - r->steps.median_ms);
        if (distance < best_distance) {
            best_distance = distance;
            best = (int32_t)i;
        }
    }
    return best;
}

int32_t analysis_kept_step(const struct analysis *a, size_t rank_index, int64_t number)
{
    const struct steps *s = &a->run->steps;
    for (size_t i = 0; i < s->table.n; i++)
        if (s->rank[i] == a->ranks[rank_index].row && s->kept[i] &&
            s->number[i] == number)
            return (int32_t)i;
    return -1;
}

double analysis_explained_frac(const struct analysis_rank *r)
{
    if (!r->has_device && r->has_phases) {
        double all_ms = 0;
        for (int p = 0; p < PHASE_COUNT; p++)
            all_ms += r->phase_ms[p];
        return all_ms > 0 ? 1 - r->phase_ms[PHASE_UNATTRIBUTED] / all_ms : NAN;
    }
    const struct time_split *w = r->mean_step.known ? &r->mean_step : &r->whole;
    enum time_class unknown =
        r->has_device ? TIME_CLASS_IDLE_UNKNOWN : TIME_CLASS_UNATTRIBUTED;
    if (!w->known || w->ns[TIME_CLASS_SPAN] <= 0)
        return NAN;
    return 1 - (double)w->ns[unknown] / (double)w->ns[TIME_CLASS_SPAN];
}
