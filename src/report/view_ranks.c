/*
 * Ranks side by side, the accelerators of one rank, and its lanes.
 *
 * The worst come first: those that the others wait for where clocks are aligned, since
 * then all steps take equally long; else the slowest.
 *
 * All ranks of the table are shown over the same window: a step where every one has
 * steps, else the whole recording.
 */
#include "base/mem.h"
#include "report/view_parts.h"

#include <math.h>
#include <stdlib.h>

/* JSON has all of them. */
enum {
    RANKS_ON_SCREEN = 6,
    RANKS_IN_MARKDOWN = 64,
    RANKS_IN_HTML = 4096,
    RANKS_KEPT_WHEN_SHORT = 2,
    LANES_SHOWN = 40,
    DEVICES_SHOWN = 64,
};

static const enum time_class device_classes[] = {
    TIME_CLASS_COMPUTE, TIME_CLASS_COMMUNICATION, TIME_CLASS_COPIES, TIME_CLASS_IDLE};
static const enum time_class host_classes[] = {TIME_CLASS_BUSY, TIME_CLASS_WAITING,
                                               TIME_CLASS_UNATTRIBUTED};

/* The classes that a group of splits is told in. */
struct class_list {
    const enum time_class *what;
    size_t n;
};

static struct class_list classes_for(bool device)
{
    return device ? (struct class_list){device_classes, 4}
                  : (struct class_list){host_classes, 3};
}

static bool is_aligned(const struct analysis *a)
{
    return a->job.state == JOB_ALIGNED;
}

static int64_t lateness(const struct analysis *a, size_t i)
{
    return is_aligned(a) ? a->job.waits.rank[a->ranks[i].row].late_ns : 0;
}

static double step_length(const struct analysis *a, size_t i)
{
    double ns = a->ranks[i].step.ns;
    return isfinite(ns) ? ns : -1;
}

static int compare_worse(const void *a, const void *b, void *analysis)
{
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    double dx = step_length(analysis, i), dy = step_length(analysis, j);
    if (dx != dy)
        return dx > dy ? -1 : 1;
    int64_t x = lateness(analysis, i), y = lateness(analysis, j);
    if (x != y)
        return x > y ? -1 : 1;
    return i < j ? -1 : i > j;
}

static size_t *ranks_worst_first(const struct analysis *a)
{
    size_t *order = mem_zalloc(a->n_ranks, sizeof *order);
    for (size_t i = 0; i < a->n_ranks; i++)
        order[i] = i;
    qsort_r(order, a->n_ranks, sizeof *order, compare_worse, (void *)(uintptr_t)a);
    return order;
}

/* What the table of ranks is made of. */
struct rank_table {
    struct class_list classes;
    bool device;  /* some rank has one */
    bool by_step; /* else the whole recording */
    bool waits;   /* clocks are aligned */
    bool remarks; /* there is room for them */
};

static size_t rank_table_columns(const struct rank_table *t)
{
    return 2 + t->classes.n + (t->waits ? 2 : 0) + (t->remarks ? 1 : 0);
}

static void rank_columns(struct block *b, const struct rank_table *t)
{
    size_t at = 0;
    grid_column(b, at++, "rank", ALIGN_LEFT, false);
    grid_column(b, at++, "step", ALIGN_RIGHT, false);
    for (size_t i = 0; i < t->classes.n; i++)
        grid_column(b, at++, time_class_text[t->classes.what[i]], ALIGN_RIGHT, false);
    if (t->waits) {
        grid_column(b, at++, "waits", ALIGN_RIGHT, false);
        grid_column(b, at++, "last", ALIGN_RIGHT, false);
    }
    if (t->remarks)
        grid_column(b, at, "", ALIGN_LEFT, false);
}

static double split_ms(const struct time_split *s, enum time_class what)
{
    return s->known ? ns_to_ms(s->ns[what]) : NAN;
}

/* Of its waits in collectives, as the table counts. */
static double waits_ms(const struct view *v, size_t i, bool by_step)
{
    const struct analysis_rank *r = &v->a->ranks[i];
    const struct analysis_job *j = &v->a->job;
    if (j->clocks.rank[r->row].reference < 0)
        return NAN;
    const struct rank_waits *w = &j->waits.rank[r->row];
    return by_step ? analysis_of_step_ns(r, (double)w->steps_wait_ns) / 1e6
                   : ns_to_ms(w->wait_ns);
}

static const char *rank_remark(const struct view *v, size_t i)
{
    const struct analysis_rank *r = &v->a->ranks[i];
    if (v->a->job.straggler == r->row)
        return "straggler";
    return i == v->shown && analysis_has_steps(r) ? "slowest" : "";
}

static void rank_row(struct view *v, struct cell *c, size_t i, const struct rank_table *t)
{
    const struct analysis_rank *r = &v->a->ranks[i];
    const struct time_split *w = t->by_step ? &r->step_split : &r->whole;
    double step_ms = r->step.ns / 1e6;
    int decimals = decimals_for(split_ms(w, TIME_CLASS_SPAN));
    *c++ = cell_rank(v, rank_number(v->a, i));
    *c++ = cell_number(v, step_ms, decimals_for(step_ms));
    for (size_t k = 0; k < t->classes.n; k++)
        *c++ = cell_number(
            v, r->has_device == t->device ? split_ms(w, t->classes.what[k]) : NAN,
            decimals);
    if (t->waits) {
        double ms = waits_ms(v, i, t->by_step);
        size_t last = v->a->job.waits.rank[r->row].last;
        *c++ = cell_number(v, ms, decimals);
        *c++ = cell_number(v, isfinite(ms) ? (double)last : NAN, 0);
    }
    if (t->remarks)
        *c = cell_text(rank_remark(v, i));
}

static bool all_ranks_have(const struct analysis *a,
                           bool (*has)(const struct analysis_rank *))
{
    for (size_t i = 0; i < a->n_ranks; i++)
        if (!has(&a->ranks[i]))
            return false;
    return true;
}

static bool has_step_split(const struct analysis_rank *r)
{
    return r->step_split.known;
}

static bool has_no_device(const struct analysis_rank *r)
{
    return !r->has_device;
}

void view_add_ranks(struct view *v)
{
    const struct analysis *a = v->a;
    if (a->n_ranks < 2)
        return;
    size_t max = view_is_screen(v)              ? RANKS_ON_SCREEN
                 : v->format == REPORT_MARKDOWN ? RANKS_IN_MARKDOWN
                                                : RANKS_IN_HTML;
    size_t shown = a->n_ranks < max ? a->n_ranks : max;
    struct rank_table t = {.device = !all_ranks_have(a, has_no_device),
                           .by_step = all_ranks_have(a, has_step_split),
                           .waits = is_aligned(a)};
    t.classes = classes_for(t.device);
    t.remarks = !t.waits || !view_is_screen(v);
    const char *title =
        view_printf(v, "Ranks: %s%s", t.by_step ? "ms per step" : "ms in all",
                    view_is_screen(v) ? "" : ", slowest first");
    struct block *b = view_block(v, BLOCK_TABLE, title);
    grid_open(v, b, rank_table_columns(&t), shown);
    rank_columns(b, &t);
    size_t *order = ranks_worst_first(a);
    for (size_t i = 0; i + 1 < shown; i++)
        rank_row(v, grid_row(b), order[i], &t);
    rank_row(v, grid_row(b), order[a->n_ranks - 1], &t); /* the other extreme */
    mem_free(order);
    b->grid.keep_last = true;
    b->grid.total_rows = a->n_ranks;
    b->grid.min_rows = RANKS_KEPT_WHEN_SHORT;
    if (t.waits && !view_is_screen(v))
        b->note = "Waits are in collectives, for the rank that came last; last is how "
                  "often that was this one.";
}

void view_add_devices(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    if (!r || r->n_devices < 2 || view_is_screen(v))
        return;
    struct class_list classes = classes_for(true);
    struct block *b = view_block(
        v, BLOCK_TABLE,
        view_printf(v, "Accelerators%s: ms of the whole recording", view_of_rank(v)));
    b->detail = true;
    grid_open(v, b, 1 + classes.n, DEVICES_SHOWN);
    grid_column(b, 0, "device", ALIGN_LEFT, false);
    for (size_t k = 0; k < classes.n; k++)
        grid_column(b, 1 + k, time_class_text[classes.what[k]], ALIGN_RIGHT, false);
    for (size_t i = 0; i < r->n_devices; i++) {
        const struct time_split *w = &r->devices[i].whole;
        int decimals = decimals_for(split_ms(w, TIME_CLASS_SPAN));
        struct cell *c = grid_row(b);
        if (!c)
            continue;
        c[0] = cell_number(v, r->devices[i].device, 0);
        for (size_t k = 0; k < classes.n; k++)
            c[1 + k] = cell_number(v, split_ms(w, classes.what[k]), decimals);
    }
}

static const char *lane_label(struct view *v, const struct lanes *lanes, int32_t row)
{
    const char *name = view_name(v, lanes->name[row]);
    if (*name)
        return name;
    return view_printf(v, "%s %lld",
                       lanes->kind[row] == LANE_KIND_DEVICE ? "stream" : "thread",
                       (long long)lanes->tid[row]);
}

static const struct {
    enum time_class what;
    bool of_thread, of_stream;
} lane_class[] = {
    {TIME_CLASS_BUSY, true, true},
    {TIME_CLASS_WAITING, true, false},
    {TIME_CLASS_UNATTRIBUTED, true, false},
    {TIME_CLASS_IDLE, false, true},
};
enum { LANE_CLASSES = sizeof lane_class / sizeof *lane_class };

static void lane_row(struct view *v, struct cell *c, const struct analysis_lane *l)
{
    const struct lanes *lanes = &v->a->run->lanes;
    bool stream = lanes->kind[l->lane] == LANE_KIND_DEVICE;
    int decimals = decimals_for(split_ms(&l->split, TIME_CLASS_SPAN));
    c[0] = cell_text(lane_label(v, lanes, l->lane));
    c[1] = cell_text(lane_kind_text[lanes->kind[l->lane]]);
    for (size_t k = 0; k < LANE_CLASSES; k++) {
        bool told = stream ? lane_class[k].of_stream : lane_class[k].of_thread;
        c[2 + k] = cell_number(v, told ? split_ms(&l->split, lane_class[k].what) : NAN,
                               decimals);
    }
}

void view_add_lanes(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    if (!r || !r->n_lanes || view_is_screen(v))
        return;
    struct block *b =
        view_block(v, BLOCK_TABLE,
                   view_printf(v, "Lanes%s: ms of the whole recording", view_of_rank(v)));
    size_t shown = r->n_lanes < LANES_SHOWN ? r->n_lanes : LANES_SHOWN;
    grid_open(v, b, 2 + LANE_CLASSES, shown);
    grid_column(b, 0, "lane", ALIGN_LEFT, true);
    grid_column(b, 1, "kind", ALIGN_LEFT, false);
    for (size_t k = 0; k < LANE_CLASSES; k++)
        grid_column(b, 2 + k, time_class_text[lane_class[k].what], ALIGN_RIGHT, false);
    for (size_t i = 0; i < shown; i++)
        lane_row(v, grid_row(b), &r->lanes[i]);
    b->grid.total_rows = r->n_lanes;
    b->note =
        "A thread is busy, waiting, or doing what no span tells; a stream is busy or "
        "idle.";
}
