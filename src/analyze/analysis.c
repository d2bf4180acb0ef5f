/*
 * Picks the figures of each rank out of a run's aggregates; spans are not needed for any
 * of them. Each table is passed over once, so that a thousand ranks cost a thousand times
 * one rank.
 */
#include "analyze/analysis.h"

#include "analyze/rank_rows.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- steps
 * ---------------------------------------------------------------------------------- */

/* Does the device still work on the first step when its mark has ended? Then it will have
 * done so on the step before, too, whose work is not recorded: the first step lacks it.
 */
static bool first_lacks_work(const struct steps *s, const uint32_t *row, size_t n)
{
    return n > 2 && s->device_end_ns[row[0]] > s->end_ns[row[0]];
}

/* A step that is far from the others, because it compiles, evaluates or saves, says
 * little of them. Of a mean all are typical that it is of. */
static bool is_typical(const struct analysis_rank *r, size_t i, double ns)
{
    return r->recorded.mark_mean ? i >= r->recorded.mark_left_out
                                 : step_time_is_typical(&r->recorded, ns);
}

/* all: also those that are not. */
static void mark_typical(struct analysis_rank *r, const struct steps *s,
                         const uint32_t *row, size_t n, bool *typical, bool all)
{
    for (size_t i = first_lacks_work(s, row, n); i < n; i++) {
        double ns = (double)(s->end_ns[row[i]] - s->begin_ns[row[i]]);
        if (!all && !is_typical(r, i, ns))
            continue;
        typical[row[i]] = true;
        r->steps.typical++;
        r->steps.typical_ns += ns;
        r->kernels_per_step += (double)s->device_spans[row[i]];
    }
}

static void fill_steps(struct analysis_rank *r, const struct run *run,
                       const uint32_t *row, size_t n, bool *typical)
{
    const struct steps *s = &run->steps;
    r->steps = (struct analysis_steps){.count = n,
                                       .method = run->ranks.step_method[r->row],
                                       .min_ms = NAN,
                                       .max_ms = NAN};
    for (size_t i = 0; i < n; i++) {
        double ns = (double)(s->end_ns[row[i]] - s->begin_ns[row[i]]);
        r->steps.total_ns += ns;
        r->steps.min_ms = fmin(r->steps.min_ms, ns / 1e6);
        r->steps.max_ms = fmax(r->steps.max_ms, ns / 1e6);
    }
    if (n)
        mark_typical(r, s, row, n, typical, false);
    if (n && !r->steps.typical) /* the median lies between two sorts of steps */
        mark_typical(r, s, row, n, typical, true);
    r->kernels_per_step = n ? r->kernels_per_step / (double)r->steps.typical : NAN;
}

/* Returns which rows of run->steps are typical. The caller frees it. */
static bool *gather_steps(struct analysis *a)
{
    size_t n = a->run->steps.table.n;
    bool *typical = mem_zalloc(n + 1, sizeof *typical);
    struct step_time *told = mem_zalloc(a->n_ranks + 1, sizeof *told);
    struct step_time *recorded = mem_zalloc(a->n_ranks + 1, sizeof *recorded);
    struct rank_rows *rows = &a->step_rows;
    rank_rows_init(rows, a->run->steps.rank, n, a->n_ranks);
    step_times(told, recorded, a->run);
    for (size_t k = 0; k < a->n_ranks; k++) {
        a->ranks[k].step = told[k];
        a->ranks[k].recorded = recorded[k];
        fill_steps(&a->ranks[k], a->run, rows->row + rows->at[k],
                   rows->at[k + 1] - rows->at[k], typical);
    }
    mem_free(told);
    mem_free(recorded);
    return typical;
}

double analysis_all_steps_ns(const struct analysis_rank *r)
{
    return (double)r->steps.count * r->recorded.ns;
}

double analysis_of_step_ns(const struct analysis_rank *r, double all_steps_ns)
{
    double all_ns = analysis_all_steps_ns(r);
    return all_ns > 0 ? all_steps_ns / all_ns * r->step.ns : NAN;
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
static void gather_device_times(struct analysis *a, const bool *typical)
{
    const struct times *t = &a->run->times;
    for (size_t i = 0; i < t->table.n; i++) {
        if (t->rank[i] < 0 || t->lane[i] >= 0)
            continue;
        struct analysis_rank *r = &a->ranks[t->rank[i]];
        r->has_device = true;
        if (t->step[i] >= 0 && !typical[t->step[i]])
            continue;
        struct time_split *to = t->device[i] >= 0 ? device_split(r, t->device[i])
                                : t->step[i] < 0  ? &r->whole
                                                  : &r->step_split;
        split_add(to, t->what[i], t->ns[i]);
    }
}

/* Rows of host lanes; where there is no device, a step is seen through the lane that
 * marks it: rows of a step and a lane are of no other. Leaves the row of that lane in
 * main_lane. */
static void gather_host_times(struct analysis *a, const size_t *slot, const bool *typical)
{
    const struct times *t = &a->run->times;
    for (size_t i = 0; i < t->table.n; i++) {
        if (t->lane[i] < 0)
            continue;
        struct analysis_rank *r = &a->ranks[a->run->lanes.rank[t->lane[i]]];
        if (t->step[i] < 0)
            split_add(&r->lanes[slot[t->lane[i]]].split, t->what[i], t->ns[i]);
        else if (!r->has_device && typical[t->step[i]]) {
            r->main_lane = t->lane[i];
            split_add(&r->step_split, t->what[i], t->ns[i]);
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

/* From sums over the typical steps to parts of the one step. Marks of a host that runs
 * ahead do not cut the device's work into its steps: all of it stands for them. */
static void fill_step_split(struct analysis_rank *r)
{
    struct time_split *s = &r->step_split;
    if (r->recorded.ahead && r->has_device)
        *s = r->whole;
    double all_ns = (double)s->ns[TIME_CLASS_SPAN];
    double by = all_ns > 0 && isfinite(r->step.ns) ? r->step.ns / all_ns : 0;
    for (int c = 0; c < TIME_CLASS_COUNT; c++)
        s->ns[c] = whole_saturated(round((double)s->ns[c] * by));
}

static void gather_times(struct analysis *a, const bool *typical)
{
    size_t *slot = gather_lanes(a);
    for (size_t k = 0; k < a->n_ranks; k++)
        a->ranks[k].main_lane = -1;
    gather_device_times(a, typical);
    gather_host_times(a, slot, typical);
    mem_free(slot);
    for (size_t k = 0; k < a->n_ranks; k++) {
        struct analysis_rank *r = &a->ranks[k];
        if (r->n_lanes)
            qsort(r->lanes, r->n_lanes, sizeof *r->lanes, compare_lane);
        choose_main_lane(r);
        if (r->step_split.known)
            fill_step_split(r);
    }
}

static void gather_phases(struct analysis *a, const bool *typical)
{
    struct step_phases *phases = mem_zalloc(a->n_ranks + 1, sizeof *phases);
    struct step_time *told = mem_zalloc(a->n_ranks + 1, sizeof *told);
    for (size_t k = 0; k < a->n_ranks; k++)
        told[k] = a->ranks[k].step;
    step_phases(phases, a->run, told, typical);
    for (size_t k = 0; k < a->n_ranks; k++)
        a->ranks[k].phases = phases[k];
    mem_free(told);
    mem_free(phases);
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

/* NCCL knows devices only; its calls are annotations of the host. While a->ranks[row] is
 * the rank of that row. */
static void note_nccl(struct analysis *a)
{
    const struct spans *s = &a->run->spans;
    for (size_t i = 0; i < s->table.n; i++)
        if (s->lane[i] >= 0 && !strncmp(run_name(a->run, s->name[i]), "nccl:", 5))
            a->ranks[a->run->lanes.rank[s->lane[i]]].used_device = true;
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

/* Is most of the lateness the straggler's? Ranks that are late by turns are waited for by
 * turns. */
static bool one_is_waited_for(const struct analysis_job *j)
{
    int64_t all_ns = 0;
    for (size_t i = 0; j->straggler >= 0 && i < j->n; i++)
        all_ns = add_saturated(all_ns, j->waits.rank[i].late_ns);
    return j->straggler >= 0 && j->waits.rank[j->straggler].late_ns > all_ns / 2;
}

static size_t choose_shown(const struct analysis *a)
{
    size_t longest = 0;
    if (a->shown_is_straggler)
        return a->index_of_row[a->job.straggler];
    for (size_t i = 0; i < a->n_ranks; i++)
        if (a->ranks[i].step.basis && (!a->ranks[longest].step.basis ||
                                       a->ranks[i].step.ns > a->ranks[longest].step.ns))
            longest = i;
    return longest;
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
    bool *typical = gather_steps(a);
    gather_times(a, typical);
    gather_phases(a, typical);
    mem_free(typical);
    gather_ops(a);
    note_nccl(a);
    for (size_t i = 0; i < a->n_ranks; i++) {
        struct analysis_rank *r = &a->ranks[i];
        r->used_device |= r->has_device || names_a_device(run, r);
        if (r->used_device)
            r->phases.known = false;
    }
    job_init(&a->job, a);
    if (a->n_ranks)
        qsort_r(a->ranks, a->n_ranks, sizeof *a->ranks, compare_rank,
                (void *)(uintptr_t)run);
    a->index_of_row = mem_zalloc(a->n_ranks, sizeof *a->index_of_row);
    for (size_t i = 0; i < a->n_ranks; i++)
        a->index_of_row[a->ranks[i].row] = i;
    a->shown_is_straggler = one_is_waited_for(&a->job) &&
                            a->ranks[a->index_of_row[a->job.straggler]].step.basis;
    a->shown = choose_shown(a);
    kernel_labels_of_run(&a->labels, run);
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
    kernel_labels_release(&a->labels);
    rank_rows_release(&a->step_rows);
    mem_free(a->index_of_row);
    mem_free(a->ranks);
    mem_free(a);
}

const char *analysis_label(const struct analysis *a, enum lane_kind place, name_id name)
{
    const char *label = place == LANE_KIND_DEVICE ? a->labels.of_name[name] : NULL;
    return label ? label : run_name(a->run, name);
}

int32_t analysis_typical_step(const struct analysis *a, size_t rank_index)
{
    const struct analysis_rank *r = &a->ranks[rank_index];
    const struct steps *s = &a->run->steps;
    int32_t best = -1;
    double best_distance = INFINITY;
    bool mean = r->recorded.mark_mean && !r->recorded.ahead;
    double told_ns = mean ? r->recorded.ns : r->recorded.mark_ns;
    for (size_t i = 0; i < s->table.n; i++) {
        if (s->rank[i] != r->row || !s->kept[i])
            continue;
        double ns = (double)(s->end_ns[i] - s->begin_ns[i]);
        double distance = fabs(ns - told_ns);
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
    /* the trainer marks all that it does; between a job's phases it may do anything */
    if (r->phases.known && r->step.basis == STEP_BASIS_TRAINER)
        return r->step.ns > 0 ? 1 - r->phases.ns[PHASE_UNATTRIBUTED] / r->step.ns : NAN;
    const struct time_split *w = r->step_split.known ? &r->step_split : &r->whole;
    enum time_class unknown =
        r->has_device ? TIME_CLASS_IDLE_UNKNOWN : TIME_CLASS_UNATTRIBUTED;
    if (!w->known || w->ns[TIME_CLASS_SPAN] <= 0)
        return NAN;
    return 1 - (double)w->ns[unknown] / (double)w->ns[TIME_CLASS_SPAN];
}
