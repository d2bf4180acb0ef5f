#include "evidence/evidence.h"

#include "base/keyed_times.h"
#include "base/mem.h"
#include "base/stats.h"
#include "evidence/evidence_work.h"
#include "evidence/outer_ops.h"
#include "evidence/sequences.h"
#include "evidence/watched.h"
#include "run/name_sort.h"
#include "run/record_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- trees of calls --- */

static bool is_told(enum span_kind kind)
{
    return kind == SPAN_KIND_OP || kind == SPAN_KIND_RUNTIME || kind == SPAN_KIND_SYNC ||
           kind == SPAN_KIND_ANNOTATION || kind == SPAN_KIND_PYTHON ||
           kind == SPAN_KIND_PHASE || kind == SPAN_KIND_WAIT ||
           kind == SPAN_KIND_COLLECTIVE;
}

static void collect_ops(const struct evidence *e, struct host_thread *t)
{
    const struct spans *s = &e->run->spans;
    const struct replay *r = e->replay;
    for (size_t k = r->first_row[t->lane]; k < r->first_row[t->lane + 1]; k++) {
        int64_t row = r->row[k];
        if (!is_told(s->kind[row]) || s->begin_ns[row] < e->whatif.window.begin_ns ||
            s->begin_ns[row] >= e->whatif.window.end_ns)
            continue;
        /* what is open when the tracer stops would last until then */
        int64_t end_ns = s->begin_ns[row] + s->dur_ns[row];
        if (end_ns > e->whatif.window.end_ns)
            end_ns = e->whatif.window.end_ns;
        vec_grow(t->op, t->cap, t->n + 1);
        t->op[t->n++] = (struct host_op){.span = row,
                                         .begin_ns = s->begin_ns[row],
                                         .end_ns = end_ns,
                                         .parent = -1,
                                         .next = -1,
                                         .op_parent = -1,
                                         .frame = -1,
                                         .kind = s->kind[row]};
    }
}

static bool is_user_frame(const struct evidence *e, const struct host_op *op)
{
    const char *name = evidence_name(e, op);
    return op->kind == SPAN_KIND_PYTHON &&
           name_sort(name, strlen(name)) == NAME_SORT_LINE;
}

bool evidence_is_fetch(const struct evidence *e, const struct host_op *op)
{
    const char *name = evidence_name(e, op);
    return name_sort(name, strlen(name)) == NAME_SORT_INPUT;
}

/* Callers stand before those they call, so the open ones are a stack. */
static void link_ops(const struct evidence *e, struct host_thread *t)
{
    int32_t *open = mem_alloc((t->n + 1) * sizeof *open);
    int32_t *last = mem_alloc((t->n + 1) * sizeof *last); /* child of each; of none */
    size_t depth = 0;
    int32_t last_root = -1;
    for (size_t i = 0; i < t->n; i++) {
        struct host_op *op = &t->op[i];
        while (depth && t->op[open[depth - 1]].end_ns <= op->begin_ns)
            depth--;
        last[i] = -1;
        op->fetch = evidence_is_fetch(e, op);
        op->backward = sequences_is_backward(evidence_name(e, op));
        int32_t *before = depth ? &last[open[depth - 1]] : &last_root;
        if (*before >= 0)
            t->op[*before].next = (int32_t)i;
        *before = (int32_t)i;
        if (depth) {
            const struct host_op *parent = &t->op[open[depth - 1]];
            op->parent = open[depth - 1];
            op->op_parent = parent->kind == SPAN_KIND_OP ? op->parent : parent->op_parent;
            op->frame = is_user_frame(e, parent) ? op->parent : parent->frame;
            op->fetch = op->fetch || parent->fetch;
            op->backward = op->backward || parent->backward;
        }
        open[depth++] = (int32_t)i;
    }
    mem_free(open);
    mem_free(last);
}

static void find_threads(struct evidence *e)
{
    const struct lanes *lanes = &e->run->lanes;
    e->main_thread = SIZE_MAX;
    e->threads = mem_zalloc(lanes->table.n + 1, sizeof *e->threads);
    for (size_t i = 0; i < lanes->table.n; i++) {
        struct host_thread *t = &e->threads[e->n_threads];
        if (lanes->rank[i] != e->rank_row || lanes->kind[i] == LANE_KIND_DEVICE)
            continue;
        t->lane = (int32_t)i;
        collect_ops(e, t);
        if (!t->n)
            continue;
        link_ops(e, t);
        for (size_t k = 0; k < t->n; k++) {
            e->events += 1;
            e->has_frames = e->has_frames || t->op[k].kind == SPAN_KIND_PYTHON;
            e->has_shapes = e->has_shapes || e->run->spans.shapes[t->op[k].span];
        }
        if (t->lane == e->replay->ranks[e->rank_row].main_lane)
            e->main_thread = e->n_threads;
        e->n_threads++;
    }
    e->events /= (double)e->steps;
}

/* --- from one call to the next --- */

static double median_gap_ns(const struct keyed_time *gap, size_t n)
{
    double *ns = mem_alloc((n + 1) * sizeof *ns);
    for (size_t i = 0; i < n; i++)
        ns[i] = (double)gap[i].ns;
    double median = n ? stats_median(ns, n) : 0;
    mem_free(ns);
    return median;
}

/* How long the host usually takes from an operator of each name to the next call: the
 * median. */
static void measure_gaps(struct evidence *e)
{
    struct keyed_time *gap = NULL;
    size_t n = 0, cap = 0;
    e->usual_gap_ns = mem_zalloc(e->run->names.n + 1, sizeof *e->usual_gap_ns);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            if (t->op[i].next < 0)
                continue;
            vec_grow(gap, cap, n + 1);
            gap[n++] =
                (struct keyed_time){e->run->spans.name[t->op[i].span],
                                    t->op[t->op[i].next].begin_ns - t->op[i].end_ns};
        }
    }
    e->median_gap_ns = median_gap_ns(gap, n);
    keyed_sort(gap, n);
    struct keyed_group group;
    for (size_t at = 0; keyed_next(&group, gap, n, &at);)
        e->usual_gap_ns[group.key] = keyed_median_ns(&group);
    mem_free(gap);
}

/* --- what a step takes --- */

static double timing(const struct evidence *e, enum timing_kind what, bool mean)
{
    const struct timings *t = &e->run->timings;
    double *ns = mem_alloc((t->table.n + 1) * sizeof *ns), result = NAN;
    size_t n = 0;
    for (size_t i = 0; i < t->table.n; i++)
        if (t->rank[i] == e->rank_row && t->what[i] == what)
            ns[n++] = (double)t->dur_ns[i];
    if (n)
        result = mean ? stats_mean(ns, n) : stats_median(ns, n);
    mem_free(ns);
    return result;
}

double evidence_timing_median(const struct evidence *e, enum timing_kind what)
{
    return timing(e, what, false);
}

double evidence_timing_mean(const struct evidence *e, enum timing_kind what)
{
    return timing(e, what, true);
}

static void measure_step(struct evidence *e)
{
    double cost_ns = record_fact(e->run, e->rank_row, RECORD_FACT_EVENT_COST_NS);
    e->traced_step_ns = (double)e->whatif.measured_ns / (double)e->steps;
    e->untraced = e->rank->step.basis == STEP_BASIS_UNTRACED;
    e->step_ns = e->rank->step.basis ? e->rank->step.ns : e->traced_step_ns;
    /* Beside a device the tracer's cost on the host is mostly hidden: it is left in. So
     * it is where it would be most of the step: the calibration was of something else. */
    bool known = e->untraced && !e->has_device && cost_ns > 0 &&
                 cost_ns * e->events < e->traced_step_ns / 2;
    e->event_cost_ns = known ? cost_ns : 0;
}

static struct evidence *new_on(struct replay *replay, const struct analysis *analysis,
                               size_t rank_index)
{
    const struct analysis_rank *rank = &analysis->ranks[rank_index];
    struct evidence *e = mem_zalloc(1, sizeof *e);
    e->run = replay->run;
    e->analysis = analysis;
    e->rank = rank;
    e->rank_row = rank->row;
    e->has_device = rank->has_device;
    e->replay = replay;
    whatif_init(&e->whatif, e->replay, rank);
    e->steps = e->whatif.window.steps ? e->whatif.window.steps : 1;
    find_threads(e);
    outer_ops_find(e);
    evidence_find_work(e);
    measure_gaps(e);
    measure_step(e);
    sequences_find(e);
    e->watched = watched_new(e);
    return e;
}

struct evidence *evidence_new(const struct run *run, const struct analysis *analysis,
                              size_t rank_index)
{
    struct evidence *e = new_on(replay_new(run, NULL), analysis, rank_index);
    e->owns_replay = true;
    return e;
}

bool evidence_has_spans(const struct run *run, int32_t rank)
{
    for (size_t i = 0; i < run->spans.table.n; i++) {
        int32_t lane = run->spans.lane[i];
        if (lane >= 0 && run->lanes.rank[lane] == rank)
            return true;
    }
    return false;
}

void evidence_elsewhere(const struct evidence *e,
                        void (*ask)(void *to, const struct evidence *there), void *to)
{
    const struct analysis *a = e->analysis;
    const struct spans *s = &e->run->spans;
    uint8_t *has_spans = mem_zalloc(e->run->ranks.table.n + 1, 1);
    for (size_t i = 0; i < s->table.n; i++)
        if (s->lane[i] >= 0)
            has_spans[e->run->lanes.rank[s->lane[i]]] = 1;
    for (size_t k = 0; k < a->n_ranks; k++) {
        if (a->ranks[k].row == e->rank_row || !has_spans[a->ranks[k].row])
            continue;
        struct evidence *there = new_on(e->replay, a, k);
        there->edits_only = true;
        ask(to, there);
        evidence_free(there);
    }
    mem_free(has_spans);
}

void evidence_free(struct evidence *e)
{
    if (!e)
        return;
    watched_free(e->watched, e);
    for (size_t i = 0; i < e->n_threads; i++) {
        mem_free(e->threads[i].op);
        mem_free(e->threads[i].outer);
    }
    mem_free(e->threads);
    mem_free(e->work);
    mem_free(e->sort);
    mem_free(e->usual_gap_ns);
    mem_free(e->owner);
    mem_free(e->backward);
    whatif_release(&e->whatif);
    if (e->owns_replay)
        replay_free(e->replay);
    mem_free(e);
}

size_t host_ops_before(const struct host_thread *t, int64_t at_ns)
{
    size_t low = 0, high = t->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (t->op[mid].begin_ns < at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* --- places --- */

const char *evidence_line(const struct evidence *e, const struct host_thread *t,
                          const struct host_op *op)
{
    return op->frame < 0 ? "" : evidence_name(e, &t->op[op->frame]);
}
