/*
 * One buffer a thread, found through a thread-local number, so that recording takes no
 * lock and allocates nothing. The number carries the recording it belongs to: a thread
 * that registered in an earlier recording has no lane in this one until it registers
 * again.
 *
 * Invariant: a buffer is written by its own thread alone; probe_finish() reads them after
 * probe_stop(), when no other thread is between probe_begin() and probe_end().
 */
#include "probe/probe.h"

#include "base/mem.h"
#include "reduce/reduce.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

bool probe_enabled;

struct probe_span {
    const char *name; /* a literal */
    int64_t begin_ns, end_ns, flop, bytes, number;
    enum span_kind kind;
};

struct probe_buffer {
    const char *name; /* of the thread */
    int64_t tid;
    struct probe_span *span; /* (cap) */
    size_t n, dropped;
};

static struct {
    struct probe_buffer *buffer; /* (threads) */
    int threads;
    size_t cap;             /* spans of each */
    atomic_int used;        /* buffers given to threads */
    atomic_size_t homeless; /* spans of threads that have none */
    int64_t base_ns;        /* calendar time of monotonic 0 */
} probe;

static unsigned recording; /* counts probe_start() */
static _Thread_local unsigned my_recording;
static _Thread_local int my_buffer = -1;

static void probe_discard(void)
{
    for (int i = 0; i < probe.threads; i++)
        mem_free(probe.buffer[i].span);
    mem_free(probe.buffer);
    probe.buffer = NULL;
    probe.threads = 0;
}

void probe_start(int threads, size_t spans)
{
    if (probe_enabled)
        BUG("probe_start() while recording");
    if (threads < 1)
        BUG("a probe for %d threads", threads);
    probe_discard();
    probe.buffer = mem_zalloc((size_t)threads, sizeof *probe.buffer);
    for (int i = 0; i < threads; i++)
        probe.buffer[i].span = mem_zalloc(spans, sizeof *probe.buffer[i].span);
    probe.threads = threads;
    probe.cap = spans;
    atomic_store(&probe.used, 0);
    atomic_store(&probe.homeless, 0);
    probe.base_ns = clock_calendar_ns() - clock_now_ns();
    recording++;
    probe_enabled = true;
    probe_thread("main");
}

void probe_thread(const char *name)
{
    if (!probe_enabled)
        return;
    if (my_recording != recording || my_buffer < 0) {
        my_recording = recording;
        my_buffer = atomic_fetch_add(&probe.used, 1);
    }
    if (my_buffer >= probe.threads) {
        my_buffer = -1;
        return;
    }
    probe.buffer[my_buffer].name = name;
    probe.buffer[my_buffer].tid = gettid();
}

void probe_stop(void)
{
    probe_enabled = false;
}

static void add_span(const struct probe_span *span)
{
    if (!probe_enabled) /* it began before probe_stop() */
        return;
    if (my_recording != recording || my_buffer < 0) {
        atomic_fetch_add(&probe.homeless, 1);
        return;
    }
    struct probe_buffer *b = &probe.buffer[my_buffer];
    if (b->n == probe.cap) {
        b->dropped++;
        return;
    }
    b->span[b->n++] = *span;
}

void probe_record(int64_t begin_ns, enum span_kind kind, const char *name, int64_t flop,
                  int64_t bytes)
{
    int64_t end_ns = clock_now_ns();
    add_span(&(struct probe_span){name, begin_ns, end_ns, flop, bytes, 0, kind});
}

void probe_record_until(int64_t begin_ns, int64_t end_ns, enum span_kind kind,
                        const char *name, int64_t number)
{
    add_span(&(struct probe_span){name, begin_ns, end_ns, 0, 0, number, kind});
}

/* A span is recorded when it ends, so a caller comes after what it called; seq counts
 * down, so that of two spans with equal times the caller comes first. */
static void buffer_reduce(struct reduce_shard *shard, const struct probe_buffer *b)
{
    int32_t lane = shard_lane(
        shard, (struct lane){.kind = LANE_KIND_CPU,
                             .device = -1,
                             .pid = getpid(),
                             .tid = b->tid,
                             .name = shard_name(shard, b->name, strlen(b->name))});
    for (size_t i = 0; i < b->n; i++) {
        const struct probe_span *s = &b->span[i];
        struct span span = {.lane = lane,
                            .kind = s->kind,
                            .name = shard_name(shard, s->name, strlen(s->name)),
                            .begin_ns = s->begin_ns,
                            .dur_ns = s->end_ns - s->begin_ns,
                            .step = -1,
                            .seq = s->kind == SPAN_KIND_STEP ? s->number
                                                             : (int64_t)(b->n - i),
                            .flop = s->flop,
                            .bytes = s->bytes};
        shard_add(shard, &span);
    }
}

static void note_lost(struct run *run, int32_t rank, size_t dropped, size_t homeless)
{
    if (dropped)
        run_add_note(run, rank, -1,
                     "%zu spans were dropped: the probe's buffer was full; record fewer "
                     "steps",
                     dropped);
    if (homeless)
        run_add_note(run, rank, -1,
                     "%zu spans were dropped: they came from more threads than the probe "
                     "has lanes for",
                     homeless);
}

enum status probe_finish(struct run *run, struct rank rank, size_t keep_spans,
                         int32_t *row, struct err *err)
{
    if (probe_enabled)
        BUG("probe_finish() while recording");
    struct reducer *r =
        reducer_new(&(struct reduce_options){.keep_spans = keep_spans}, 1);
    int used = atomic_load(&probe.used);
    size_t dropped = 0, homeless = atomic_load(&probe.homeless);
    for (int i = 0; i < used && i < probe.threads; i++) {
        buffer_reduce(reducer_shard(r, 0), &probe.buffer[i]);
        rank.events += (int64_t)probe.buffer[i].n;
        dropped += probe.buffer[i].dropped;
    }
    rank.source = RUN_SOURCE_TRAINER;
    rank.step_method = STEP_METHOD_TRAINER;
    rank.base_ns = probe.base_ns;
    rank.events += (int64_t)(dropped + homeless);
    rank.events_skipped = (int64_t)(dropped + homeless);
    rank.complete = rank.events_skipped == 0;
    enum status st = reducer_finish(r, run, rank, row, err);
    if (st == STATUS_OK)
        note_lost(run, *row, dropped, homeless);
    reducer_free(r);
    probe_discard();
    return st;
}
