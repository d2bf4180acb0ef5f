/*
 * Steps and phases. Steps are the spans of kind STEP on the lane that has most of them (a
 * profiler may repeat its marks on other threads); phases are the spans of kind PHASE on
 * that lane.
 */
#include "base/mem.h"
#include "run/recording.h"

#include <string.h>

/* The lane with most marks, and the slice of its spans. -1 where no lane has any. */
static int32_t lane_of_steps(const struct recording *rec, size_t *from, size_t *to)
{
    int32_t best = -1;
    size_t best_marks = 0;
    for (size_t begin = 0, end; begin < rec->n; begin = end) {
        size_t marks = 0;
        end = recording_lane_end(rec, begin);
        for (size_t i = begin; i < end; i++)
            marks += rec->span[i].kind == SPAN_KIND_STEP;
        if (marks > best_marks) {
            best_marks = marks;
            best = rec->span[begin].lane;
            *from = begin;
            *to = end;
        }
    }
    return best;
}

static void add_steps(struct recording *rec, size_t from, size_t to)
{
    struct steps *steps = &rec->run->steps;
    for (size_t i = from; i < to; i++) {
        const struct span *s = &rec->span[i];
        if (s->kind == SPAN_KIND_STEP)
            steps_add(steps, (struct step){.rank = rec->rank,
                                           .number = s->seq,
                                           .begin_ns = s->begin_ns,
                                           .end_ns = span_end_ns(s)});
    }
}

/* The last step that begins at or before t and has not ended, or -1. Steps are sorted by
 * begin. */
static int32_t step_at(const struct recording *rec, int64_t t_ns)
{
    const struct steps *steps = &rec->run->steps;
    size_t low = rec->first_step, high = steps->table.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (steps->begin_ns[mid] <= t_ns)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == rec->first_step || t_ns >= steps->end_ns[low - 1])
        return -1;
    return (int32_t)(low - 1);
}

static int phase_of(const struct run *run, const struct span *s)
{
    const char *name = run_name(run, s->name);
    for (int p = 0; p < PHASE_COUNT; p++)
        if (!strcmp(name, phase_text[p]))
            return p;
    return PHASE_OTHER;
}

/* One row a phase of each step, and what no phase holds as unattributed. */
static void add_phases(struct recording *rec, size_t from, size_t to)
{
    size_t steps = rec->run->steps.table.n - rec->first_step;
    int64_t(*ns)[PHASE_COUNT] = mem_zalloc(steps, sizeof *ns);
    bool any = false;
    for (size_t i = from; i < to; i++) {
        const struct span *s = &rec->span[i];
        if (s->kind != SPAN_KIND_PHASE || s->step < 0)
            continue;
        int64_t *sum = &ns[(size_t)s->step - rec->first_step][phase_of(rec->run, s)];
        *sum = sum_saturated(*sum, s->dur_ns);
        any = true;
    }
    for (size_t i = 0; any && i < steps; i++) {
        size_t row = rec->first_step + i;
        int64_t rest = rec->run->steps.end_ns[row] - rec->run->steps.begin_ns[row];
        for (int p = 0; p < PHASE_UNATTRIBUTED; p++)
            rest -= ns[i][p] < RUN_TIME_MAX_NS / PHASE_COUNT ? ns[i][p] : 0;
        ns[i][PHASE_UNATTRIBUTED] = rest;
        for (int p = 0; p < PHASE_COUNT; p++)
            phases_add(&rec->run->phases, (struct phase_time){.rank = rec->rank,
                                                              .step = (int32_t)row,
                                                              .phase = p,
                                                              .ns = ns[i][p],
                                                              .origin = ORIGIN_MEASURED});
    }
    mem_free(ns);
}

void recording_find_steps(struct recording *rec)
{
    size_t from = 0, to = 0;
    rec->first_step = rec->run->steps.table.n;
    rec->main_lane = lane_of_steps(rec, &from, &to);
    if (rec->main_lane >= 0)
        add_steps(rec, from, to);
    for (size_t i = 0; i < rec->n; i++) {
        struct span *s = &rec->span[i];
        s->step = step_at(rec, s->begin_ns);
        bool on_device = rec->run->lanes.kind[s->lane] == LANE_KIND_DEVICE;
        if (s->step >= 0 && on_device && span_is_device_work(s))
            rec->run->steps.device_spans[s->step]++;
        if (s->step >= 0)
            rec->run->steps.flop[s->step] =
                sum_saturated(rec->run->steps.flop[s->step], s->flop);
    }
    if (rec->main_lane >= 0)
        add_phases(rec, from, to);
}
