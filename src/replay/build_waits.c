/*
 * How calls end: most take their own time; some wait for device work. What such a call
 * waits for is inferred from its name and from the work that ended while it ran.
 */
#include "replay/builder.h"

#include "base/keyed_times.h"
#include "base/mem.h"
#include "base/stats.h"

#include <stdlib.h>
#include <string.h>

/* Thresholds: docs/whatif.md, each with its reason. */
static const int64_t CLOCK_SLACK_NS = 3000; /* device clocks against the host's */
static const int64_t RETURN_SLACK_NS = 5000;
static const int64_t EVENT_WAIT_NS = 20000; /* shorter ones did not wait */
static const int64_t COPY_WAIT_NS = 20000;
static const int64_t COPY_LONG_NS = 50000;
static const int64_t FREE_WAIT_NS = 30000;
static const int64_t WAIT_LOWS = 3; /* nor those that took less than so many usual ones */
static const int64_t COPY_LONG_LOWS = 5;
static const int64_t OWN_SLACK_NS = 2000;

enum wait_kind {
    WAIT_NONE,
    WAIT_DEVICE,
    WAIT_STREAM,
    WAIT_EVENT,
    WAIT_COPY,
    WAIT_COPY_BEGIN, /* until the copy begins */
    WAIT_FREE,
    WAIT_KINDS
};

struct wait {
    int64_t call;
    enum wait_kind kind;
    size_t first, n;    /* of waits.target */
    int64_t return_ns;  /* from the end of the wait to that of the call */
    int64_t blocked_ns; /* from the call's begin to the end of the wait */
};

struct waits {
    struct wait *wait; /* (n) */
    size_t n, cap;
    int64_t *target; /* (n_targets) rows of device work */
    size_t n_targets, cap_targets;
    int64_t *own_work; /* (spans) last work that a call launched, by end; -1 */
};

static void add_target(struct waits *w, int64_t work)
{
    vec_grow(w->target, w->cap_targets, w->n_targets + 1);
    w->target[w->n_targets++] = work;
}

/* The later end of the two; -1 is none. */
static int64_t later(const struct builder *b, int64_t x, int64_t y)
{
    if (x < 0 || y < 0)
        return x < 0 ? y : x;
    return builder_end_ns(b, y) > builder_end_ns(b, x) ? y : x;
}

/* --- what each sort of call waits for --- */

/* Work without a launch record that ended by then: what else could it have been? */
static int64_t last_unlaunched(const struct builder *b, const struct stream *s,
                               int64_t until_ns)
{
    size_t low = 0, high = s->n; /* only a stream without any launch gets here */
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (builder_end_ns(b, s->work[mid]) <= until_ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low && b->r->launch[s->work[low - 1]] < 0 ? s->work[low - 1] : -1;
}

static enum wait_kind wait_device(const struct builder *b, struct waits *w, int64_t call)
{
    size_t first = w->n_targets;
    for (size_t i = 0; i < b->n_streams; i++) {
        const struct stream *s = &b->streams[i];
        int64_t work = stream_last_launched(b, s, builder_begin_ns(b, call));
        if (work < 0)
            work = last_unlaunched(b, s, builder_end_ns(b, call));
        /* work of another device may go on */
        if (work >= 0 &&
            builder_end_ns(b, work) <= builder_end_ns(b, call) + RETURN_SLACK_NS)
            add_target(w, work);
    }
    return w->n_targets > first ? WAIT_DEVICE : WAIT_NONE;
}

/* What the recording says that the call waits for, if times do not contradict it. */
static int64_t recorded_target(const struct builder *b, int64_t call)
{
    int64_t work = b->waits_for[call];
    return work >= 0 && b->r->end_node[work] != GRAPH_NONE &&
                   builder_end_ns(b, work) <= builder_end_ns(b, call) + RETURN_SLACK_NS
               ? work
               : -1;
}

static enum wait_kind wait_stream(const struct builder *b, struct waits *w, int64_t call)
{
    int64_t found = -1;
    for (size_t i = 0; i < b->n_streams; i++) {
        int64_t work = stream_last_launched(b, &b->streams[i], builder_begin_ns(b, call));
        if (work >= 0 &&
            builder_end_ns(b, work) <= builder_end_ns(b, call) + RETURN_SLACK_NS)
            found = later(b, found, work);
    }
    if (found < 0)
        return WAIT_NONE;
    add_target(w, found);
    return WAIT_STREAM;
}

static bool longer_than_usual(const struct builder *b, int64_t call, int64_t least_ns,
                              int64_t lows)
{
    int64_t usual_ns = lows * b->times[b->run->spans.name[call]].low_ns;
    return builder_dur_ns(b, call) > (usual_ns > least_ns ? usual_ns : least_ns);
}

static enum wait_kind wait_event(const struct builder *b, struct waits *w, int64_t call)
{
    int64_t begin_ns = builder_begin_ns(b, call);
    if (!longer_than_usual(b, call, EVENT_WAIT_NS, WAIT_LOWS))
        return WAIT_NONE;
    for (size_t i = builder_ended_until(b, b->work, b->n_work, builder_end_ns(b, call));
         i-- > 0;) {
        int64_t work = b->work[i], launch = b->r->launch[work];
        if (builder_end_ns(b, work) <= begin_ns)
            break;
        if (launch < 0 || builder_begin_ns(b, launch) < begin_ns) {
            add_target(w, work);
            return WAIT_EVENT;
        }
    }
    return WAIT_NONE;
}

/* A call that copies blocks where it ends about when its copy does, or where its name or
 * the memory's kind says so. */
static enum wait_kind wait_copy(const struct builder *b, struct waits *w, int64_t call,
                                bool always)
{
    int64_t work = w->own_work[call];
    if (work < 0)
        return WAIT_NONE;
    int64_t tail_ns = builder_end_ns(b, call) - builder_end_ns(b, work);
    bool near_end = tail_ns >= -CLOCK_SLACK_NS ||
                    -tail_ns < builder_dur_ns(b, work) / 4 + RETURN_SLACK_NS;
    bool pageable = strstr(builder_name(b, work), "Pageable") != NULL;
    add_target(w, work);
    if (builder_dur_ns(b, call) > COPY_WAIT_NS &&
        builder_end_ns(b, work) > builder_begin_ns(b, call) && near_end)
        return WAIT_COPY;
    if ((pageable || always) && tail_ns >= -CLOCK_SLACK_NS)
        return WAIT_COPY;
    if (longer_than_usual(b, call, COPY_LONG_NS, COPY_LONG_LOWS) &&
        builder_begin_ns(b, work) <= builder_end_ns(b, call) + CLOCK_SLACK_NS &&
        builder_begin_ns(b, work) > builder_begin_ns(b, call) + COPY_WAIT_NS)
        return WAIT_COPY_BEGIN;
    w->n_targets--;
    return WAIT_NONE;
}

static enum wait_kind wait_free(const struct builder *b, struct waits *w, int64_t call)
{
    int64_t found = -1;
    if (!longer_than_usual(b, call, FREE_WAIT_NS, WAIT_LOWS))
        return WAIT_NONE;
    for (size_t i = 0; i < b->n_streams; i++) {
        int64_t work = stream_last_launched(b, &b->streams[i], builder_begin_ns(b, call));
        if (work >= 0 &&
            builder_end_ns(b, work) > builder_begin_ns(b, call) + RETURN_SLACK_NS &&
            builder_end_ns(b, work) <= builder_end_ns(b, call) + RETURN_SLACK_NS)
            found = later(b, found, work);
    }
    if (found < 0)
        return WAIT_NONE;
    add_target(w, found);
    return WAIT_FREE;
}

static enum wait_kind find_wait(const struct builder *b, struct waits *w, int64_t call)
{
    enum call_kind kind = b->call_kind[b->run->spans.name[call]];
    int64_t recorded = recorded_target(b, call);
    if (recorded >= 0 &&
        (kind == CALL_KIND_STREAM_SYNC || kind == CALL_KIND_EVENT_SYNC)) {
        add_target(w, recorded);
        b->r->tally.recorded++;
        return kind == CALL_KIND_STREAM_SYNC ? WAIT_STREAM : WAIT_EVENT;
    }
    switch (kind) {
    case CALL_KIND_DEVICE_SYNC:
        return builder_models(b, REPLAY_RULE_SYNC) ? wait_device(b, w, call) : WAIT_NONE;
    case CALL_KIND_STREAM_SYNC:
        return builder_models(b, REPLAY_RULE_SYNC) ? wait_stream(b, w, call) : WAIT_NONE;
    case CALL_KIND_EVENT_SYNC:
        return builder_models(b, REPLAY_RULE_EVENT_SYNC) ? wait_event(b, w, call)
                                                         : WAIT_NONE;
    case CALL_KIND_COPY:
    case CALL_KIND_COPY_SYNC:
        return builder_models(b, REPLAY_RULE_BLOCKING_COPY)
                   ? wait_copy(b, w, call, kind == CALL_KIND_COPY_SYNC)
                   : WAIT_NONE;
    case CALL_KIND_FREE:
        return builder_models(b, REPLAY_RULE_FREE) ? wait_free(b, w, call) : WAIT_NONE;
    default:
        return WAIT_NONE;
    }
}

static void find_own_work(const struct builder *b, struct waits *w)
{
    size_t n = b->run->spans.table.n;
    w->own_work = mem_alloc((n + 1) * sizeof *w->own_work);
    for (size_t i = 0; i < n; i++)
        w->own_work[i] = -1;
    for (size_t i = 0; i < b->n_work; i++) {
        int64_t call = b->r->launch[b->work[i]];
        if (call >= 0)
            w->own_work[call] = later(b, w->own_work[call], b->work[i]);
    }
}

static void add_wait(struct builder *b, struct waits *w, int64_t call,
                     enum wait_kind kind, size_t first)
{
    int64_t last = -1;
    for (size_t i = first; i < w->n_targets; i++)
        last = later(b, last, w->target[i]);
    int64_t until_ns =
        kind == WAIT_COPY_BEGIN ? builder_begin_ns(b, last) : builder_end_ns(b, last);
    vec_grow(w->wait, w->cap, w->n + 1);
    w->wait[w->n++] = (struct wait){.call = call,
                                    .kind = kind,
                                    .first = first,
                                    .n = w->n_targets - first,
                                    .return_ns = builder_end_ns(b, call) - until_ns,
                                    .blocked_ns = until_ns - builder_begin_ns(b, call)};
    b->blocked[call] = 1;
}

/* --- how long calls take beside the waiting --- */

/* Of waits of one kind by calls of one name. */
struct wait_times {
    int64_t return_ns; /* median over those that blocked */
    int64_t own_ns;    /* median length of those that did not; -1: all did */
};

static uint64_t wait_key(enum wait_kind kind, name_id name)
{
    return (uint64_t)kind << 32 | name;
}

/* The median of each kind and name, into times[kind][name]. */
static void medians_by_key(struct keyed_time *time, size_t n, struct wait_times **times,
                           bool own)
{
    struct keyed_group group;
    keyed_sort(time, n);
    for (size_t at = 0; keyed_next(&group, time, n, &at);) {
        struct wait_times *of = &times[group.key >> 32][group.key & UINT32_MAX];
        *(own ? &of->own_ns : &of->return_ns) = keyed_median_ns(&group);
    }
}

static void measure_waits(const struct builder *b, const struct waits *w,
                          struct wait_times **times)
{
    struct keyed_time *time = mem_alloc((w->n + 1) * sizeof *time);
    for (int own = 0; own < 2; own++) {
        size_t n = 0;
        for (size_t i = 0; i < w->n; i++) {
            const struct wait *x = &w->wait[i];
            if ((x->blocked_ns <= 0) != own)
                continue;
            int64_t back_ns =
                x->return_ns > -CLOCK_SLACK_NS ? x->return_ns : -CLOCK_SLACK_NS;
            time[n++] =
                (struct keyed_time){wait_key(x->kind, b->run->spans.name[x->call]),
                                    own ? builder_dur_ns(b, x->call) : back_ns};
        }
        medians_by_key(time, n, times, own);
    }
    mem_free(time);
}

static int64_t own_time_ns(const struct builder *b, const struct wait *x,
                           const struct wait_times *t)
{
    int64_t low_ns = b->times[b->run->spans.name[x->call]].low_ns;
    int64_t own_ns = t->own_ns;
    if (own_ns < 0 && x->kind == WAIT_FREE)
        own_ns = low_ns;
    else if (own_ns < 0)
        own_ns =
            t->return_ns + OWN_SLACK_NS < low_ns ? t->return_ns + OWN_SLACK_NS : low_ns;
    own_ns = own_ns > 0 ? own_ns : 0;
    int64_t dur_ns = builder_dur_ns(b, x->call);
    return own_ns < dur_ns ? own_ns : dur_ns;
}

static void wait_edges(struct builder *b, const struct waits *w, const struct wait *x,
                       const struct wait_times *t)
{
    struct replay *r = b->r;
    uint32_t end = r->end_node[x->call];
    r->own_edge[x->call] = builder_edge(b, GRAPH_EDGE_CALL, r->begin_node[x->call], end,
                                        own_time_ns(b, x, t));
    bool each_its_own =
        x->kind == WAIT_COPY || x->kind == WAIT_COPY_BEGIN || x->kind == WAIT_FREE;
    int64_t back_ns = each_its_own && builder_models(b, REPLAY_RULE_COPY_TAIL)
                          ? x->return_ns
                          : t->return_ns;
    for (size_t i = 0; i < x->n; i++) {
        int64_t work = w->target[x->first + i];
        uint32_t from =
            x->kind == WAIT_COPY_BEGIN ? r->begin_node[work] : r->end_node[work];
        builder_edge(b, GRAPH_EDGE_WAIT, from, end, back_ns);
    }
}

static void all_wait_edges(struct builder *b, const struct waits *w)
{
    struct wait_times *times[WAIT_KINDS];
    for (int k = 0; k < WAIT_KINDS; k++) {
        times[k] = mem_zalloc(b->run->names.n + 1, sizeof *times[k]);
        for (size_t i = 0; i < b->run->names.n; i++)
            times[k][i].own_ns = -1;
    }
    measure_waits(b, w, times);
    for (size_t i = 0; i < w->n; i++) {
        const struct wait *x = &w->wait[i];
        wait_edges(b, w, x, &times[x->kind][b->run->spans.name[x->call]]);
    }
    for (int k = 0; k < WAIT_KINDS; k++)
        mem_free(times[k]);
}

void build_waits(struct builder *b)
{
    struct waits w = {0};
    struct replay *r = b->r;
    find_own_work(b, &w);
    for (size_t i = 0; i < b->n_calls; i++) {
        int64_t call = b->call[i];
        size_t first = w.n_targets;
        enum wait_kind kind = find_wait(b, &w, call);
        if (kind != WAIT_NONE)
            add_wait(b, &w, call, kind, first);
        else
            r->own_edge[call] = builder_edge(b, GRAPH_EDGE_CALL, r->begin_node[call],
                                             r->end_node[call], builder_dur_ns(b, call));
    }
    all_wait_edges(b, &w);
    build_queue(b);
    mem_free(w.wait);
    mem_free(w.target);
    mem_free(w.own_work);
}
