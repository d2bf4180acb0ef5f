#include "analyze/compare.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const op_state_text[OP_STATES] = {
    [OP_SAME] = "same",         [OP_SLOWER] = "slower", [OP_FASTER] = "faster",
    [OP_APPEARED] = "appeared", [OP_WENT] = "went",
};

/* --- what a mean is of */

static bool all_have_steps(const struct analysis *a)
{
    for (size_t i = 0; i < a->n_ranks; i++)
        if (!analysis_has_steps(&a->ranks[i]))
            return false;
    return a->n_ranks > 0;
}

static const struct step_time *step_of(const struct analysis_rank *r, bool untraced)
{
    return untraced ? &r->step : &r->recorded;
}

static bool all_untraced(const struct analysis *a)
{
    for (size_t i = 0; i < a->n_ranks; i++)
        if (a->ranks[i].step.basis != STEP_BASIS_UNTRACED)
            return false;
    return a->n_ranks > 0;
}

bool steps_in_common(struct step_time step[SIDES], const struct analysis *before,
                     const struct analysis *after)
{
    const struct analysis *side[SIDES] = {before, after};
    bool untraced = all_untraced(before) && all_untraced(after);
    for (int s = 0; s < SIDES; s++)
        step[s] = side[s]->n_ranks ? *step_of(&side[s]->ranks[side[s]->shown], untraced)
                                   : step_time_none;
    return untraced;
}

/* What makes a rank's sums over its recording parts of a step. */
static double scale_of(const struct comparison *c, const struct analysis_rank *r)
{
    double all_ns = analysis_all_steps_ns(r);
    if (!c->by_step)
        return 1;
    return all_ns > 0 ? step_of(r, c->untraced)->ns / all_ns : 0;
}

/* --- time by class */

/* Parts of the step that is told become parts of the one that is compared. */
static double of_recorded(const struct comparison *c, const struct analysis_rank *r)
{
    return r->step.ns > 0 ? step_of(r, c->untraced)->ns / r->step.ns : 0;
}

/* Of a step of the rank that stands for the job, as its step time is; else the mean of
 * what the ranks recorded. */
static double class_ns(const struct comparison *c, int side, enum time_class what)
{
    const struct analysis *a = c->side[side];
    const struct analysis_rank *shown = &a->ranks[a->shown];
    double ns = 0;
    if (c->by_step)
        return (double)shown->step_split.ns[what] * of_recorded(c, shown);
    for (size_t i = 0; i < a->n_ranks; i++)
        ns += (double)a->ranks[i].whole.ns[what];
    return a->n_ranks ? ns / (double)a->n_ranks : 0;
}

static double mean_recording_ns(const struct analysis *a)
{
    const struct ranks *k = &a->run->ranks;
    double ns = 0;
    for (size_t i = 0; i < a->n_ranks; i++)
        ns += (double)(k->last_ns[a->ranks[i].row] - k->first_ns[a->ranks[i].row]);
    return a->n_ranks ? ns / (double)a->n_ranks : 0;
}

static bool times_known(const struct analysis *a, bool by_step, bool device)
{
    for (size_t i = 0; i < a->n_ranks; i++) {
        const struct analysis_rank *r = &a->ranks[i];
        if (r->has_device != device || !(by_step ? r->step_split : r->whole).known)
            return false;
    }
    return a->n_ranks > 0;
}

/* Reasons for idleness are told where both recorders knew them. */
static bool class_is_told(const struct comparison *c, enum time_class what)
{
    bool reason = what >= TIME_CLASS_IDLE_INPUT && what <= TIME_CLASS_IDLE_UNKNOWN;
    for (int s = 0; reason && s < SIDES; s++) {
        double split = 0;
        for (int k = TIME_CLASS_IDLE_INPUT; k <= TIME_CLASS_IDLE_UNKNOWN; k++)
            split += class_ns(c, s, k);
        if (split <= 0)
            return false;
    }
    return true;
}

static void compare_classes(struct comparison *c)
{
    static const enum time_class of_device[] = {
        TIME_CLASS_SPAN,         TIME_CLASS_COMPUTE,      TIME_CLASS_COMMUNICATION,
        TIME_CLASS_COPIES,       TIME_CLASS_IDLE,         TIME_CLASS_IDLE_INPUT,
        TIME_CLASS_IDLE_SYNC,    TIME_CLASS_IDLE_HOST,    TIME_CLASS_IDLE_COMMUNICATION,
        TIME_CLASS_IDLE_BETWEEN, TIME_CLASS_IDLE_UNKNOWN,
    };
    static const enum time_class of_host[] = {
        TIME_CLASS_SPAN, TIME_CLASS_BUSY, TIME_CLASS_WAITING, TIME_CLASS_UNATTRIBUTED};
    bool device = c->has_device[BEFORE];
    const enum time_class *list = device ? of_device : of_host;
    size_t n =
        device ? sizeof of_device / sizeof *of_device : sizeof of_host / sizeof *of_host;
    if (!times_known(c->side[BEFORE], c->by_step, device) ||
        !times_known(c->side[AFTER], c->by_step, device))
        return;
    for (size_t i = 0; i < n; i++) {
        if (!class_is_told(c, list[i]))
            continue;
        struct class_change *change = &c->classes[c->n_classes++];
        change->what = list[i];
        for (int s = 0; s < SIDES; s++)
            change->ns[s] = class_ns(c, s, list[i]);
    }
}

static bool all_have_phases(const struct analysis *a)
{
    for (size_t i = 0; i < a->n_ranks; i++)
        if (!a->ranks[i].phases.known)
            return false;
    return a->n_ranks > 0;
}

static void compare_phases(struct comparison *c)
{
    if (!c->by_step || !all_have_phases(c->side[BEFORE]) ||
        !all_have_phases(c->side[AFTER]))
        return;
    for (int p = 0; p < PHASE_COUNT; p++) {
        struct phase_change *change = &c->phases[c->n_phases++];
        *change = (struct phase_change){.phase = p};
        for (int s = 0; s < SIDES; s++) {
            const struct analysis_rank *r = &c->side[s]->ranks[c->side[s]->shown];
            change->ns[s] = r->phases.ns[p] * of_recorded(c, r);
        }
    }
}

/* --- operators */

/* One row of a run's operators, by its key. */
struct op_row {
    const char *name;
    enum span_kind kind;
    enum lane_kind place;
    int side;
    size_t row;
};

static int compare_rows(const void *a_, const void *b_)
{
    const struct op_row *a = a_, *b = b_;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int by_name = strcmp(a->name, b->name);
    if (by_name)
        return by_name;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static bool same_op(const struct op_row *a, const struct op_row *b)
{
    return a->place == b->place && a->kind == b->kind && !strcmp(a->name, b->name);
}

/* The operators of all ranks of both runs, those of one name together. */
static struct op_row *sorted_rows(const struct comparison *c, size_t *n_out)
{
    size_t n = 0, at = 0;
    for (int s = 0; s < SIDES; s++)
        for (size_t i = 0; i < c->side[s]->n_ranks; i++)
            n += c->side[s]->ranks[i].n_ops;
    struct op_row *rows = mem_zalloc(n, sizeof *rows);
    for (int s = 0; s < SIDES; s++) {
        const struct analysis *a = c->side[s];
        for (size_t i = 0; i < a->n_ranks; i++)
            for (size_t k = 0; k < a->ranks[i].n_ops; k++) {
                size_t row = a->ranks[i].ops[k].row;
                rows[at++] =
                    (struct op_row){.name = run_name(a->run, a->run->ops.name[row]),
                                    .kind = a->run->ops.kind[row],
                                    .place = a->run->ops.place[row],
                                    .side = s,
                                    .row = row};
            }
    }
    if (n)
        qsort(rows, n, sizeof *rows, compare_rows);
    *n_out = n;
    return rows;
}

double op_change_ns(const struct op_change *c)
{
    return c->side[AFTER].self_ns - c->side[BEFORE].self_ns;
}

static enum op_state state_of(const struct op_change *c)
{
    if (!c->side[BEFORE].there)
        return OP_APPEARED;
    if (!c->side[AFTER].there)
        return OP_WENT;
    double ns = op_change_ns(c);
    return ns > 0 ? OP_SLOWER : ns < 0 ? OP_FASTER : OP_SAME;
}

static struct op_change sum_op(const struct comparison *c, const struct op_row *rows,
                               size_t n)
{
    struct op_change change = {
        .name = rows->name, .kind = rows->kind, .place = rows->place};
    for (size_t i = 0; i < n; i++) {
        const struct analysis *a = c->side[rows[i].side];
        const struct ops *o = &a->run->ops;
        struct op_mean *m = &change.side[rows[i].side];
        size_t row = rows[i].row;
        const struct analysis_rank *r = &a->ranks[a->index_of_row[o->rank[row]]];
        double ranks = (double)a->n_ranks, scale = scale_of(c, r) / ranks;
        m->there = true;
        m->count +=
            (double)o->count[row] / ranks / (c->by_step ? (double)r->steps.count : 1);
        m->self_ns += (double)o->self_ns[row] * scale;
        m->total_ns += (double)o->total_ns[row] * scale;
        m->device_ns += (double)o->device_ns[row] * scale;
    }
    change.state = state_of(&change);
    return change;
}

static int compare_changes(const void *a_, const void *b_)
{
    const struct op_change *a = a_, *b = b_;
    double x = fabs(op_change_ns(a)), y = fabs(op_change_ns(b));
    if (x != y)
        return x > y ? -1 : 1;
    int by_name = strcmp(a->name, b->name);
    if (by_name)
        return by_name;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* Labels of both runs together: what one of them has alone must not look like another's
 * kernel. */
static void label_ops(struct comparison *c)
{
    const char **raw = mem_zalloc(c->n_ops + 1, sizeof *raw);
    size_t n = 0, at = 0;
    for (size_t i = 0; i < c->n_ops; i++)
        if (c->ops[i].place == LANE_KIND_DEVICE)
            raw[n++] = c->ops[i].name;
    kernel_labels_init(&c->labels, raw, n);
    for (size_t i = 0; i < c->n_ops; i++)
        c->ops[i].label =
            c->ops[i].place == LANE_KIND_DEVICE ? c->labels.label[at++] : c->ops[i].name;
    mem_free(raw);
}

static void compare_ops(struct comparison *c)
{
    size_t n, cap = 0;
    struct op_row *rows = sorted_rows(c, &n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && same_op(&rows[i], &rows[end]);)
            end++;
        vec_grow(c->ops, cap, c->n_ops + 1);
        c->ops[c->n_ops++] = sum_op(c, rows + i, end - i);
    }
    mem_free(rows);
    if (c->n_ops)
        qsort(c->ops, c->n_ops, sizeof *c->ops, compare_changes);
    label_ops(c);
}

/* Before the first step and behind the last, of all that a rank's recording lasts. */
#define BEYOND_STEPS_MIN_FRAC 0.02

static bool reaches_beyond_steps(const struct analysis *a)
{
    const struct steps *s = &a->run->steps;
    const struct ranks *k = &a->run->ranks;
    for (size_t i = 0; i < a->n_ranks; i++) {
        int32_t row = a->ranks[i].row;
        int64_t from_ns = INT64_MAX, until_ns = INT64_MIN;
        for (size_t j = 0; j < s->table.n; j++) {
            if (s->rank[j] != row)
                continue;
            from_ns = s->begin_ns[j] < from_ns ? s->begin_ns[j] : from_ns;
            until_ns = s->end_ns[j] > until_ns ? s->end_ns[j] : until_ns;
        }
        double all_ns = (double)k->last_ns[row] - (double)k->first_ns[row];
        double steps_ns = (double)until_ns - (double)from_ns;
        if (all_ns - steps_ns > BEYOND_STEPS_MIN_FRAC * all_ns)
            return true;
    }
    return false;
}

static bool any_device(const struct analysis *a)
{
    for (size_t i = 0; i < a->n_ranks; i++)
        if (a->ranks[i].has_device)
            return true;
    return false;
}

struct comparison *comparison_new(const struct analysis *before,
                                  const struct analysis *after)
{
    struct comparison *c = mem_zalloc(1, sizeof *c);
    c->side[BEFORE] = before;
    c->side[AFTER] = after;
    c->by_step = all_have_steps(before) && all_have_steps(after);
    c->untraced = steps_in_common(c->step, before, after);
    for (int s = 0; s < SIDES; s++) {
        if (!c->by_step)
            c->step[s] = step_time_none;
        c->recording_ns[s] = mean_recording_ns(c->side[s]);
        c->has_device[s] = any_device(c->side[s]);
    }
    c->beyond_steps =
        c->by_step && (reaches_beyond_steps(before) || reaches_beyond_steps(after));
    compare_classes(c);
    compare_phases(c);
    compare_ops(c);
    return c;
}

void comparison_free(struct comparison *c)
{
    if (!c)
        return;
    kernel_labels_release(&c->labels);
    mem_free(c->ops);
    mem_free(c);
}
