/*
 * An event that was recorded on a stream is done when all work is that was launched there
 * before the recording call. A stream that waits for it holds back what is launched there
 * behind the waiting call; a host call that waits for it, or for a stream, blocks.
 */
#include "reduce/sync_edges.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct launched {
    int32_t lane;
    int64_t at_ns; /* begin of the launching call */
    int64_t work;  /* row */
};

struct call_key {
    int64_t correlation, row;
};

struct stream_key {
    int64_t pid, tid;
    int32_t lane;
};

struct sync_finder {
    struct run *run;
    struct launched *work; /* (n_work) by lane and launch */
    size_t n_work;
    struct call_key *call; /* (n_calls) by correlation */
    size_t n_calls;
    struct stream_key *stream; /* (n_streams) of the rank, by pid and tid */
    size_t n_streams;
};

static int compare_launched(const void *a, const void *b)
{
    const struct launched *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (x->work > y->work) - (x->work < y->work);
}

static int compare_call(const void *a, const void *b)
{
    const struct call_key *x = a, *y = b;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int compare_stream(const void *a, const void *b)
{
    const struct stream_key *x = a, *y = b;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Work on lanes up to this one that was launched before t: how many. */
static size_t launched_before(const struct sync_finder *f, int32_t lane, int64_t t)
{
    size_t low = 0, high = f->n_work;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct launched *x = &f->work[mid];
        if (x->lane < lane || (x->lane == lane && x->at_ns < t))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static int64_t last_before(const struct sync_finder *f, int32_t lane, int64_t t)
{
    size_t n = launched_before(f, lane, t);
    return n && f->work[n - 1].lane == lane ? f->work[n - 1].work : -1;
}

static int64_t first_from(const struct sync_finder *f, int32_t lane, int64_t t)
{
    size_t n = launched_before(f, lane, t);
    return n < f->n_work && f->work[n].lane == lane ? f->work[n].work : -1;
}

/* The call with this correlation; -1: none is kept. */
static int64_t call_of(const struct sync_finder *f, int64_t correlation)
{
    size_t low = 0, high = f->n_calls;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (f->call[mid].correlation < correlation)
            low = mid + 1;
        else
            high = mid;
    }
    return correlation > 0 && low < f->n_calls && f->call[low].correlation == correlation
               ? f->call[low].row
               : -1;
}

/* The lane of the stream that a synchronisation names; -1: none. */
static int32_t waited_lane(const struct sync_finder *f, size_t sync)
{
    const char *text = run_name(f->run, f->run->spans.shapes[sync]);
    size_t word = strlen(SYNC_STREAM_TEXT);
    if (strncmp(text, SYNC_STREAM_TEXT, word) || !f->n_streams)
        return -1;
    struct stream_key key = {.pid = f->run->lanes.pid[f->run->spans.lane[sync]],
                             .tid = strtoll(text + word, NULL, 10)};
    const struct stream_key *x =
        bsearch(&key, f->stream, f->n_streams, sizeof key, compare_stream);
    return x ? x->lane : -1;
}

static void add_edge(const struct sync_finder *f, size_t sync)
{
    const struct spans *s = &f->run->spans;
    const char *what = run_name(f->run, s->name[sync]);
    int64_t call = call_of(f, s->correlation[sync]), src = -1, dst = call;
    if (call < 0)
        return;
    if (!strcmp(what, "Stream Sync")) {
        src = last_before(f, s->lane[sync], s->begin_ns[call]);
    } else {
        int64_t record = call_of(f, s->seq[sync]);
        int32_t lane = waited_lane(f, sync);
        if (record >= 0 && lane >= 0)
            src = last_before(f, lane, s->begin_ns[record]);
    }
    if (!strcmp(what, "Stream Wait Event"))
        dst = first_from(f, s->lane[sync], s->begin_ns[call]);
    if (src >= 0 && dst >= 0 && src != dst)
        edges_add(&f->run->edges,
                  (struct edge){.kind = EDGE_KIND_SYNC, .src = src, .dst = dst});
}

static bool is_sync(const struct run *run, size_t span)
{
    return run->spans.kind[span] == SPAN_KIND_SYNC && run->spans.correlation[span] > 0 &&
           run->lanes.kind[run->spans.lane[span]] == LANE_KIND_DEVICE;
}

static void find_streams(struct sync_finder *f, int32_t rank)
{
    const struct lanes *l = &f->run->lanes;
    f->stream = mem_alloc((l->table.n + 1) * sizeof *f->stream);
    for (size_t i = 0; i < l->table.n; i++)
        if (l->rank[i] == rank && l->kind[i] == LANE_KIND_DEVICE)
            f->stream[f->n_streams++] =
                (struct stream_key){l->pid[i], l->tid[i], (int32_t)i};
    if (f->n_streams)
        qsort(f->stream, f->n_streams, sizeof *f->stream, compare_stream);
}

static void find_calls(struct sync_finder *f, size_t first_span)
{
    const struct spans *s = &f->run->spans;
    f->call = mem_alloc((s->table.n - first_span + 1) * sizeof *f->call);
    for (size_t i = first_span; i < s->table.n; i++)
        if (s->correlation[i] > 0 && f->run->lanes.kind[s->lane[i]] != LANE_KIND_DEVICE &&
            (s->kind[i] == SPAN_KIND_RUNTIME || s->kind[i] == SPAN_KIND_SYNC))
            f->call[f->n_calls++] = (struct call_key){s->correlation[i], (int64_t)i};
    if (f->n_calls)
        qsort(f->call, f->n_calls, sizeof *f->call, compare_call);
}

static void find_work(struct sync_finder *f, size_t first_edge)
{
    const struct edges *e = &f->run->edges;
    const struct spans *s = &f->run->spans;
    f->work = mem_alloc((e->table.n - first_edge + 1) * sizeof *f->work);
    for (size_t i = first_edge; i < e->table.n; i++)
        f->work[f->n_work++] =
            (struct launched){s->lane[e->dst[i]], s->begin_ns[e->src[i]], e->dst[i]};
    if (f->n_work)
        qsort(f->work, f->n_work, sizeof *f->work, compare_launched);
}

void sync_edges_add(struct run *run, size_t first_span, size_t first_edge)
{
    struct sync_finder f = {.run = run};
    size_t i = first_span, n = run->spans.table.n;
    while (i < n && !is_sync(run, i))
        i++;
    if (i == n)
        return; /* most recordings have none */
    find_streams(&f, run->lanes.rank[run->spans.lane[i]]);
    find_calls(&f, first_span);
    find_work(&f, first_edge);
    for (; i < n; i++)
        if (is_sync(run, i))
            add_edge(&f, i);
    mem_free(f.stream);
    mem_free(f.call);
    mem_free(f.work);
}
