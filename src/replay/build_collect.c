/* The calls, the marks and the device work of a rank. */
#include "replay/builder.h"

#include "base/keyed_times.h"
#include "base/mem.h"
#include "base/stats.h"
#include "run/name_sort.h"

#include <stdlib.h>
#include <string.h>

/* A call that ends so little after the one it stands in still stands in it: clocks of
 * begin and end are read at different moments. docs/whatif.md */
static const int64_t NESTED_SLACK_NS = 2000;

static enum span_kind kind_of(const struct builder *b, int64_t row)
{
    return b->run->spans.kind[row];
}

static bool is_call(enum span_kind kind)
{
    return kind == SPAN_KIND_RUNTIME || kind == SPAN_KIND_SYNC;
}

static int64_t run_begin_ns(const struct builder *b, int64_t row)
{
    return b->run->spans.begin_ns[row];
}

static int64_t run_end_ns(const struct builder *b, int64_t row)
{
    return b->run->spans.begin_ns[row] + b->run->spans.dur_ns[row];
}

/* --- which lane marks the steps --- */

/* Begins and ends of the rank's kept steps, each in order. */
struct step_bounds {
    int64_t *begin_ns, *end_ns; /* (n) */
    size_t n;
};

static struct step_bounds step_bounds(const struct builder *b)
{
    const struct steps *s = &b->run->steps;
    struct step_bounds x = {mem_alloc((s->table.n + 1) * sizeof *x.begin_ns),
                            mem_alloc((s->table.n + 1) * sizeof *x.end_ns), 0};
    for (size_t i = 0; i < s->table.n; i++)
        if (s->rank[i] == b->rank && s->kept[i]) {
            x.begin_ns[x.n] = s->begin_ns[i];
            x.end_ns[x.n++] = s->end_ns[i];
        }
    if (x.n) {
        qsort(x.begin_ns, x.n, sizeof *x.begin_ns, compare_int64);
        qsort(x.end_ns, x.n, sizeof *x.end_ns, compare_int64);
    }
    return x;
}

static bool is_bound(const int64_t *ns, size_t n, int64_t at_ns)
{
    return n && bsearch(&at_ns, ns, n, sizeof *ns, compare_int64);
}

/* Spans that may mark a step: those that the reader takes marks from. */
static bool may_mark(enum span_kind kind)
{
    return kind == SPAN_KIND_STEP || kind == SPAN_KIND_ANNOTATION ||
           kind == SPAN_KIND_OP || kind == SPAN_KIND_PYTHON || kind == SPAN_KIND_PHASE;
}

static size_t marks_on(const struct builder *b, const struct step_bounds *x, int32_t lane)
{
    const struct replay *r = b->r;
    const size_t SURE = (size_t)1 << 32; /* a span of kind step leaves no doubt */
    size_t n = 0;
    for (size_t k = r->first_row[lane]; k < r->first_row[lane + 1]; k++) {
        int64_t row = r->row[k];
        if (kind_of(b, row) == SPAN_KIND_STEP)
            n += SURE;
        else if (may_mark(kind_of(b, row)))
            n += is_bound(x->begin_ns, x->n, run_begin_ns(b, row)) ||
                 is_bound(x->end_ns, x->n, run_end_ns(b, row));
    }
    return n;
}

static void find_step_lane(struct builder *b)
{
    size_t most = 0;
    struct step_bounds x = step_bounds(b);
    b->step_lane = -1;
    for (size_t i = 0; i < b->run->lanes.table.n; i++) {
        if (b->run->lanes.rank[i] != b->rank || b->run->lanes.kind[i] != LANE_KIND_CPU)
            continue;
        size_t n = marks_on(b, &x, (int32_t)i);
        if (n > most) {
            most = n;
            b->step_lane = (int32_t)i;
        }
    }
    mem_free(x.begin_ns);
    mem_free(x.end_ns);
}

/* --- threads --- */

static struct replay_anchor *add_anchor(struct replay_thread *t, int64_t begin_ns,
                                        int64_t end_ns)
{
    vec_grow(t->anchor, t->cap, t->n + 1);
    struct replay_anchor *a = &t->anchor[t->n++];
    *a = (struct replay_anchor){.begin_ns = begin_ns,
                                .end_ns = end_ns,
                                .span = -1,
                                .begin_node = GRAPH_NONE,
                                .end_node = GRAPH_NONE,
                                .gap_edge = GRAPH_NONE};
    return a;
}

void builder_mark(struct replay_thread *t, int64_t at_ns, enum replay_mark mark,
                  uint32_t of)
{
    struct replay_anchor *a = add_anchor(t, at_ns, at_ns);
    a->mark = mark;
    a->of = of;
}

static void add_nested(struct builder *b, int64_t row, int64_t outer)
{
    vec_grow(b->nested, b->cap_nested, b->n_nested + 1);
    vec_grow(b->nested_in, b->cap_nested_in, b->n_nested + 1);
    b->nested[b->n_nested] = row;
    b->nested_in[b->n_nested++] = outer;
}

static void add_call(struct builder *b, struct replay_thread *t, int64_t row)
{
    add_anchor(t, run_begin_ns(b, row), run_end_ns(b, row))->span = row;
    vec_grow(b->call, b->cap_calls, b->n_calls + 1);
    b->call[b->n_calls++] = row;
}

static void add_step_marks(struct builder *b, struct replay_thread *t)
{
    const struct steps *s = &b->run->steps;
    for (size_t i = 0; i < s->table.n; i++) {
        if (s->rank[i] != b->rank || s->kept[i] != 1)
            continue;
        builder_mark(t, s->begin_ns[i], REPLAY_MARK_STEP_BEGIN, (uint32_t)i);
        builder_mark(t, s->end_ns[i], REPLAY_MARK_STEP_END, (uint32_t)i);
    }
}

/* Per row of a lane, when the next operator behind it begins. The caller frees it. */
static int64_t *next_op_begins(const struct builder *b, int32_t lane)
{
    const struct replay *r = b->r;
    size_t first = r->first_row[lane], n = r->first_row[lane + 1] - first;
    int64_t *next_ns = mem_alloc((n + 1) * sizeof *next_ns), begin_ns = INT64_MAX;
    for (size_t k = n; k-- > 0;) {
        next_ns[k] = begin_ns;
        if (kind_of(b, r->row[first + k]) == SPAN_KIND_OP)
            begin_ns = run_begin_ns(b, r->row[first + k]);
    }
    return next_ns;
}

static void collect_thread(struct builder *b, int32_t lane)
{
    struct replay *r = b->r;
    struct replay_thread t = {.lane = lane};
    int64_t outer = -1, first_ns = INT64_MAX, last_ns = INT64_MIN;
    int64_t *next_op_ns = next_op_begins(b, lane);
    for (size_t k = r->first_row[lane]; k < r->first_row[lane + 1]; k++) {
        int64_t row = r->row[k], end_ns = run_end_ns(b, row);
        enum span_kind kind = kind_of(b, row);
        if (!is_call(kind) && kind != SPAN_KIND_OP)
            continue;
        first_ns = run_begin_ns(b, row) < first_ns ? run_begin_ns(b, row) : first_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
        /* calls that operators stand in, such as an executor's, only hold what is done */
        if (!is_call(kind) || next_op_ns[k - r->first_row[lane]] < end_ns)
            continue;
        bool inside = outer >= 0 && run_begin_ns(b, row) < run_end_ns(b, outer) &&
                      end_ns <= run_end_ns(b, outer) + NESTED_SLACK_NS;
        if (inside) {
            add_nested(b, row, outer);
            continue;
        }
        add_call(b, &t, row);
        outer = row;
    }
    mem_free(next_op_ns);
    if (lane == b->step_lane)
        add_step_marks(b, &t);
    if (first_ns <= last_ns) {
        builder_mark(&t, first_ns, REPLAY_MARK_THREAD, 0);
        builder_mark(&t, last_ns, REPLAY_MARK_THREAD, 0);
    }
    if (!t.n)
        return;
    if (lane == b->step_lane)
        b->main_thread = r->n_threads;
    vec_grow(r->threads, r->cap_threads, r->n_threads + 1);
    r->threads[r->n_threads++] = t;
}

/* Does the thread step an optimizer or fetch batches? Autograd's threads may have more
 * operators, and do neither. */
static bool drives(const struct builder *b, int32_t lane)
{
    static const char step[] = "Optimizer.step#";
    const struct replay *r = b->r;
    for (size_t k = r->first_row[lane]; k < r->first_row[lane + 1]; k++) {
        const char *name = builder_name(b, r->row[k]);
        if (!strncmp(name, step, sizeof step - 1) ||
            name_sort(name, strlen(name)) == NAME_SORT_INPUT)
            return true;
    }
    return false;
}

/* Without marks, the thread that drives the steps, else the one with most to say. */
static void choose_main_thread(struct builder *b)
{
    struct replay *r = b->r;
    size_t most = 0;
    bool driven = false;
    for (size_t t = b->first_thread; t < r->n_threads; t++) {
        int32_t lane = r->threads[t].lane;
        size_t n = r->threads[t].n;
        for (size_t k = r->first_row[lane]; k < r->first_row[lane + 1]; k++)
            n += kind_of(b, r->row[k]) == SPAN_KIND_OP;
        bool this_drives = drives(b, lane);
        if ((this_drives && !driven) || (this_drives == driven && n > most)) {
            most = n;
            driven = this_drives;
            b->main_thread = t;
        }
    }
}

/* --- device work --- */

static void collect_stream(struct builder *b, int32_t lane)
{
    const struct replay *r = b->r;
    struct stream s = {.lane = lane, .device = b->run->lanes.device[lane]};
    size_t all = r->first_row[lane + 1] - r->first_row[lane];
    s.work = mem_alloc((all + 1) * sizeof *s.work);
    for (size_t k = r->first_row[lane]; k < r->first_row[lane + 1]; k++)
        if (span_kind_is_device_work(kind_of(b, r->row[k])))
            s.work[s.n++] = r->row[k];
    if (!s.n) {
        mem_free(s.work);
        return;
    }
    vec_grow(b->streams, b->cap_streams, b->n_streams + 1);
    b->streams[b->n_streams++] = s;
}

struct timed_row {
    int64_t at_ns, row;
};

static int compare_timed(const void *a, const void *b)
{
    const struct timed_row *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* rows[0..n) by a moment of each. */
static void sort_rows(const struct builder *b, int64_t *rows, size_t n, bool by_end)
{
    struct timed_row *t = mem_alloc((n + 1) * sizeof *t);
    for (size_t i = 0; i < n; i++)
        t[i] = (struct timed_row){
            by_end ? run_end_ns(b, rows[i]) : run_begin_ns(b, rows[i]), rows[i]};
    qsort(t, n, sizeof *t, compare_timed);
    for (size_t i = 0; i < n; i++)
        rows[i] = t[i].row;
    mem_free(t);
}

static void collect_all_work(struct builder *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n_streams; i++)
        n += b->streams[i].n;
    b->work = mem_alloc((n + 1) * sizeof *b->work);
    for (size_t i = 0; i < b->n_streams; i++)
        for (size_t k = 0; k < b->streams[i].n; k++)
            b->work[b->n_work++] = b->streams[i].work[k];
    sort_rows(b, b->work, b->n_work, true);
}

/* --- what calls of a name usually take --- */

static void measure_calls(struct builder *b)
{
    struct keyed_time *t = mem_alloc((b->n_calls + b->n_nested + 1) * sizeof *t);
    size_t n = 0;
    for (size_t i = 0; i < b->n_calls + b->n_nested; i++) {
        int64_t row = i < b->n_calls ? b->call[i] : b->nested[i - b->n_calls];
        t[n++] = (struct keyed_time){b->run->spans.name[row], b->run->spans.dur_ns[row]};
    }
    keyed_sort(t, n);
    struct keyed_group group;
    for (size_t at = 0; keyed_next(&group, t, n, &at);) {
        name_id name = (name_id)group.key;
        b->times[name].low_ns = group.time[group.n / 10].ns;
        b->times[name].median_ns = keyed_median_ns(&group);
        b->call_kind[name] = call_kind_of(run_name(b->run, name));
    }
    mem_free(t);
}

void build_collect(struct builder *b)
{
    const struct lanes *lanes = &b->run->lanes;
    find_step_lane(b);
    b->main_thread = SIZE_MAX;
    for (size_t i = 0; i < lanes->table.n; i++) {
        if (lanes->rank[i] != b->rank)
            continue;
        if (lanes->kind[i] == LANE_KIND_DEVICE)
            collect_stream(b, (int32_t)i);
        else
            collect_thread(b, (int32_t)i);
    }
    if (b->main_thread == SIZE_MAX)
        choose_main_thread(b);
    sort_rows(b, b->call, b->n_calls, false);
    collect_all_work(b);
    measure_calls(b);
}
