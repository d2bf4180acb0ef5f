/*
 * Ranks side by side, the accelerators of one rank, and its lanes.
 *
 * All ranks of the table are shown over the same window: a mean step where every one has
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

static double order_key(const struct analysis_rank *r)
{
    return isfinite(r->steps.median_ms) ? r->steps.median_ms : -1;
}

static int compare_slower(const void *a, const void *b, void *ranks)
{
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    double x = order_key((const struct analysis_rank *)ranks + i);
    double y = order_key((const struct analysis_rank *)ranks + j);
    if (x != y)
        return x > y ? -1 : 1;
    return i < j ? -1 : i > j;
}

static size_t *ranks_slowest_first(const struct analysis *a)
{
    size_t *order = mem_zalloc(a->n_ranks, sizeof *order);
    for (size_t i = 0; i < a->n_ranks; i++)
        order[i] = i;
    qsort_r(order, a->n_ranks, sizeof *order, compare_slower, a->ranks);
    return order;
}

static void rank_columns(struct block *b, struct class_list classes)
{
    grid_column(b, 0, "rank", ALIGN_LEFT, false);
    grid_column(b, 1, "median ms", ALIGN_RIGHT, false);
    for (size_t i = 0; i < classes.n; i++)
        grid_column(b, 2 + i, time_class_text[classes.what[i]], ALIGN_RIGHT, false);
    grid_column(b, 2 + classes.n, "", ALIGN_LEFT, false);
}

static double split_ms(const struct time_split *s, enum time_class what)
{
    return s->known ? ns_to_ms(s->ns[what]) : NAN;
}

static void rank_row(struct view *v, struct cell *c, size_t i, struct class_list classes,
                     bool device, bool by_step)
{
    const struct analysis_rank *r = &v->a->ranks[i];
    const struct time_split *w = by_step ? &r->mean_step : &r->whole;
    double step_ms = r->steps.count ? r->steps.median_ms : NAN;
    int decimals = decimals_for(split_ms(w, TIME_CLASS_SPAN));
    c[0] = cell_number(v, rank_number(v->a, i), 0);
    c[1] = cell_number(v, step_ms, decimals_for(step_ms));
    for (size_t k = 0; k < classes.n; k++)
        c[2 + k] = cell_number(
            v, r->has_device == device ? split_ms(w, classes.what[k]) : NAN, decimals);
    bool slowest = i == v->shown && r->steps.count;
    c[2 + classes.n] = cell_text(slowest ? "slowest" : "");
}

static bool all_ranks_have(const struct analysis *a,
                           bool (*has)(const struct analysis_rank *))
{
    for (size_t i = 0; i < a->n_ranks; i++)
        if (!has(&a->ranks[i]))
            return false;
    return true;
}

static bool has_mean_step(const struct analysis_rank *r)
{
    return r->mean_step.known;
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
    bool by_step = all_ranks_have(a, has_mean_step);
    bool device = !all_ranks_have(a, has_no_device);
    struct class_list classes = classes_for(device);
    const char *title =
        view_printf(v, "Ranks: %s%s", by_step ? "mean ms a step" : "ms in all",
                    view_is_screen(v) ? "" : ", slowest first");
    struct block *b = view_block(v, BLOCK_TABLE, title);
    grid_open(v, b, 3 + classes.n, shown);
    rank_columns(b, classes);
    size_t *order = ranks_slowest_first(a);
    for (size_t i = 0; i < shown; i++)
        rank_row(v, grid_row(b), order[i], classes, device, by_step);
    mem_free(order);
    b->grid.total_rows = a->n_ranks;
    b->grid.min_rows = RANKS_KEPT_WHEN_SHORT;
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
