#include "trace/trace_reader.h"

#include "base/cores.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text_fit.h"
#include "base/units.h"
#include "reduce/reduce.h"
#include "trace/block_reader.h"
#include "trace/event_sink.h"

#include <string.h>

/* A trace while it is being read. */
struct reading {
    const char *name;
    const struct trace_options *options;
    struct byte_source *source;
    struct reducer *reducer;
    struct trace_head head;
    struct trace_totals totals;
    struct trace_notes outside; /* of what stands around the events */
    struct container_reader container;
    int64_t barren_bytes;          /* of the last blocks, which hold no event */
    struct reading_thread *thread; /* (threads) */
    int threads;
};

struct reading_thread {
    struct reading *reading;
    struct event_sink sink;
    enum status status; /* of putting blocks away */
    struct err err;
};

static const struct trace_options default_options;

/* Blocks are put together in order, so beyond some threads nothing is gained. */
enum { THREADS_DEFAULT_MAX = 16 };

enum { BARREN_BYTES_DEFAULT = 64 << 20 };

static int64_t barren_bytes_max(const struct trace_options *o)
{
    return o->barren_bytes_max ? o->barren_bytes_max : BARREN_BYTES_DEFAULT;
}

static int threads_of(const struct trace_options *o)
{
    if (o->threads > 0)
        return o->threads;
    int n = cores_of_affinity();
    return n < 1 ? 1 : n < THREADS_DEFAULT_MAX ? n : THREADS_DEFAULT_MAX;
}

static void reading_init(struct reading *r, struct byte_source *source, const char *name,
                         const struct trace_options *options)
{
    *r = (struct reading){.name = name, .source = source};
    r->options = options ? options : &default_options;
    r->threads = threads_of(r->options);
    struct reduce_options reduce = {.keep_spans = r->options->keep_spans,
                                    .keep_steps = r->options->keep_steps,
                                    .n_keep_steps = r->options->n_keep_steps,
                                    .memory_bytes = r->options->memory_bytes,
                                    .only_steps = r->options->only_steps};
    r->reducer = reducer_new(&reduce, r->threads);
    trace_head_init(&r->head);
    trace_totals_init(&r->totals);
    container_reader_init(&r->container, &r->head, &r->outside);
    r->thread = mem_zalloc((size_t)r->threads, sizeof *r->thread);
    for (int i = 0; i < r->threads; i++) {
        r->thread[i] = (struct reading_thread){.reading = r, .err = ERR_INIT};
        event_sink_init(&r->thread[i].sink, reducer_shard(r->reducer, i),
                        r->options->skip_shapes);
    }
}

static void reading_release(struct reading *r)
{
    for (int i = 0; i < r->threads; i++)
        event_sink_release(&r->thread[i].sink);
    mem_free(r->thread);
    container_reader_release(&r->container);
    trace_totals_release(&r->totals);
    reducer_free(r->reducer);
}

static void reading_report(void *context)
{
    const struct reading *r = context;
    if (r->options->progress)
        r->options->progress(r->options->progress_context, byte_source_at(r->source),
                             byte_source_total(r->source));
}

static void reading_note_end(struct reading *r)
{
    static const int note_of[BYTE_END_COUNT] = {
        [BYTE_END_NOT_YET] = -1,
        [BYTE_END_GOOD] = -1,
        [BYTE_END_UNPACK_TRUNCATED] = TRACE_NOTE_UNPACK_TRUNCATED,
        [BYTE_END_UNPACK_CORRUPT] = TRACE_NOTE_UNPACK_CORRUPT,
        [BYTE_END_UNPACK_GROWS] = TRACE_NOTE_UNPACK_GROWS,
        [BYTE_END_READ_FAILED] = TRACE_NOTE_READ_FAILED,
        [BYTE_END_SHRANK] = TRACE_NOTE_SHRANK,
    };
    int note = note_of[byte_source_end(r->source)];
    if (note < 0)
        return;
    trace_note(&r->outside, (enum trace_note)note, r->container.text_bytes);
    r->container.complete = false;
}

/* --- a thread's part: see struct block_consumer --- */

static void thread_event(void *context, const struct trace_event *e)
{
    struct reading_thread *t = context;
    event_sink_add(&t->sink, e);
}

static void thread_drop(void *context)
{
    struct reading_thread *t = context;
    event_sink_drop(&t->sink);
}

/* Does a block hold something that its writer meant to be an event? */
static bool holds_events(const struct trace_tally *block)
{
    const struct trace_notes *n = &block->notes;
    return block->counts.events > block->counts.empty + trace_notes_lost(n) ||
           n->count[TRACE_NOTE_UNKNOWN_CATEGORY] || n->count[TRACE_NOTE_NO_CATEGORY];
}

/* Text without events costs more than events do, as each bracket of it may be the next
 * one: what would take minutes is not searched to its end. */
static bool thread_accept(void *context, const struct block *block)
{
    struct reading_thread *t = context;
    struct reading *r = t->reading;
    r->barren_bytes =
        holds_events(&t->sink.block) ? 0 : r->barren_bytes + (int64_t)block->len;
    event_sink_accept(&t->sink, &r->totals);
    if (r->barren_bytes <= barren_bytes_max(r->options))
        return true;
    trace_note(&r->outside, TRACE_NOTE_BARREN, block->offset + (int64_t)block->len);
    r->container.complete = false;
    return false;
}

static bool thread_put_away(void *context, int64_t order)
{
    struct reading_thread *t = context;
    t->status = event_sink_put_away(&t->sink, order, &t->err);
    return t->status == STATUS_OK;
}

/* A file that was cut short is answered as far as it goes; one that the disk does not
 * give is all there, and half an answer in place of a whole one would be a loss. */
static enum status reading_check_disk(const struct reading *r, struct err *err)
{
    if (byte_source_end(r->source) != BYTE_END_READ_FAILED)
        return STATUS_OK;
    return err_set(err, STATUS_ENVIRONMENT,
                   "cannot read %s: %s; try again, or copy it from where it came",
                   r->name, strerror(byte_source_errno(r->source)));
}

static enum status reading_run(struct reading *r, struct err *err)
{
    struct block_source blocks;
    block_source_init(&blocks, r->source, r->options->block_bytes);
    struct block_consumer *consumer = mem_alloc((size_t)r->threads * sizeof *consumer);
    for (int i = 0; i < r->threads; i++)
        consumer[i] = (struct block_consumer){.context = &r->thread[i],
                                              .event = thread_event,
                                              .drop = thread_drop,
                                              .accept = thread_accept,
                                              .put_away = thread_put_away};
    struct block_reader reader = {.blocks = &blocks,
                                  .container = &r->container,
                                  .consumer = consumer,
                                  .threads = r->threads,
                                  .in_turn = r->options->in_turn,
                                  .progress = reading_report,
                                  .progress_context = r};
    block_reader_run(&reader);
    mem_free(consumer);
    block_source_release(&blocks);
    for (int i = 0; i < r->threads; i++)
        event_sink_finish(&r->thread[i].sink, &r->totals);
    reading_note_end(r);
    trace_notes_merge(&r->totals.tally.notes, &r->outside);
    reading_report(r);
    for (int i = 0; i < r->threads; i++)
        if (r->thread[i].status) {
            *err = r->thread[i].err;
            return r->thread[i].status;
        }
    return reading_check_disk(r, err);
}

/* --- what a file without Kineto events is --- */

static const char TRACE_ADVICE[] =
    "give a trace that torch.profiler wrote (export_chrome_trace or "
    "tensorboard_trace_handler)";

static bool head_has_key(const struct trace_head *h, const char *key)
{
    for (int i = 0; i < h->other_keys; i++)
        if (!strcmp(h->other_key[i], key))
            return true;
    return false;
}

static enum status refuse_unread(const struct reading *r, struct err *err)
{
    switch (byte_source_end(r->source)) {
    case BYTE_END_UNPACK_TRUNCATED:
        return err_set(err, STATUS_INPUT,
                       "%s: the compressed data stops before the first event; copy the "
                       "file again",
                       r->name);
    case BYTE_END_UNPACK_CORRUPT:
        return err_set(err, STATUS_INPUT,
                       "%s: the compressed data is damaged before the first event; copy "
                       "the file again",
                       r->name);
    case BYTE_END_UNPACK_GROWS:
        return err_set(err, STATUS_INPUT,
                       "%s: unpacks to over 200 times its size without an event, so it "
                       "is not a trace; %s",
                       r->name, TRACE_ADVICE);
    default:
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot read %s: %s before the first event; try again", r->name,
                       byte_source_errno(r->source)
                           ? strerror(byte_source_errno(r->source))
                           : "the file became shorter");
    }
}

static enum status refuse_json(const struct reading *r, struct err *err)
{
    const struct container_reader *c = &r->container;
    long long events = r->totals.tally.counts.events + c->lost_events;
    if (events && r->totals.tally.notes.categories)
        return err_set(err, STATUS_INPUT,
                       "%s is a timeline of %lld events, but not of PyTorch's profiler "
                       "(one category is \"%s\"); %s",
                       r->name, events, r->totals.tally.notes.category[0].name,
                       TRACE_ADVICE);
    if (c->bare_array && !r->totals.tally.counts.events && c->lost_events)
        return err_set(err, STATUS_INPUT,
                       "%s is a JSON array of other things than events; %s", r->name,
                       TRACE_ADVICE);
    if (r->barren_bytes > barren_bytes_max(r->options))
        return err_set(err, STATUS_INPUT, "%s has no event in its first %s; %s", r->name,
                       unit_mib((double)r->barren_bytes).s, TRACE_ADVICE);
    if (!c->complete)
        return err_set(err, STATUS_INPUT,
                       "%s ends after %lld bytes, before its first usable event; was its "
                       "writer killed? Record it again",
                       r->name, (long long)c->text_bytes);
    if (c->seen_events)
        return err_set(err, STATUS_INPUT,
                       "%s has no event of an operator, kernel or annotation (%lld "
                       "events in all); was the profiler's schedule still waiting? "
                       "Record more steps",
                       r->name, events);
    if (head_has_key(&r->head, "nodes"))
        return err_set(err, STATUS_INPUT,
                       "%s is an execution trace (a graph of operators without times), "
                       "not a profiler trace; %s",
                       r->name, TRACE_ADVICE);
    return err_set(err, STATUS_INPUT, "%s is JSON without \"traceEvents\"%s%s%s; %s",
                   r->name, r->head.other_keys ? " (it has \"" : "",
                   r->head.other_keys ? r->head.other_key[0] : "",
                   r->head.other_keys ? "\")" : "", TRACE_ADVICE);
}

static bool is_config(const char *name)
{
    return text_ends_with(name, ".yaml") || text_ends_with(name, ".yml");
}

static enum status reading_refuse(const struct reading *r, struct err *err)
{
    const struct container_reader *c = &r->container;
    if (byte_source_end(r->source) != BYTE_END_GOOD)
        return refuse_unread(r, err);
    if (!c->text_bytes)
        return err_set(err, STATUS_INPUT, "%s is empty; %s", r->name, TRACE_ADVICE);
    if (!c->is_json && is_config(r->name))
        return err_set(err, STATUS_INPUT,
                       "%s is a config, not a trace; to record a run of it: gait profile "
                       "%s -o run.gait",
                       r->name, r->name);
    if (!c->is_json && text_ends_with(r->name, ".py"))
        return err_set(err, STATUS_INPUT,
                       "%s is a program, not a trace; to record a run of it: gait record "
                       "-- python %s; to read its source: gait lint %s",
                       r->name, r->name, r->name);
    if (!c->is_json)
        return err_set(err, STATUS_INPUT, "%s is not JSON (it begins with \"%s\"); %s",
                       r->name, c->begin, TRACE_ADVICE);
    return refuse_json(r, err);
}

/* --- the rank --- */

static struct rank reading_rank(struct reading *r, struct run *out, const char **from)
{
    int64_t base_ns = r->head.base_ns;
    /* Since 1970 already (a time after 2001)? Then the base must not be added again. */
    const int64_t epoch_ns = INT64_C(1000000000000000000);
    if (base_ns && r->totals.tally.has_first_ts &&
        r->totals.tally.first_ts_ns >= epoch_ns) {
        trace_note(&r->totals.tally.notes, TRACE_NOTE_SECOND_BASE, -1);
        base_ns = 0;
    }
    int64_t number = r->head.rank;
    *from = "distributedInfo";
    if (number < 0) {
        number = r->totals.tally.rank;
        *from = "an event's arguments";
    }
    if (number < 0) {
        number = rank_from_path(r->name);
        *from = "the file's name";
    }
    bool known = number >= 0 && number <= INT32_MAX;
    return (struct rank){
        .rank = known ? (int32_t)number : -1,
        .world = (int32_t)r->head.world,
        .source = RUN_SOURCE_KINETO,
        .path = names_add_z(&out->names, r->name),
        .host = names_add_z(&out->names, r->head.host),
        .device = names_add_z(&out->names, r->head.device),
        .base_ns = base_ns,
        .text_bytes = r->container.text_bytes,
        .events = r->totals.tally.counts.events + r->container.lost_events,
        .events_skipped = trace_notes_lost(&r->totals.tally.notes),
        .complete = r->container.complete,
        .step_method = STEP_METHOD_PROFILER_STEP,
    };
}

static void add_count(struct run *out, int32_t rank, const char *key, int64_t n)
{
    if (n)
        run_add_fact(out, rank, key, (double)n, "events", ORIGIN_MEASURED,
                     "counted, not kept");
}

static enum status reading_to_run(struct reading *r, struct run *out, struct err *err)
{
    const char *from;
    int32_t row;
    struct rank rank = reading_rank(r, out, &from);
    int64_t spilled_bytes = reducer_spilled_bytes(r->reducer);
    enum status st = reducer_finish(r->reducer, out, rank, &row, err);
    if (st != STATUS_OK)
        return st;
    const struct event_counts *c = &r->totals.tally.counts;
    if (rank.rank >= 0)
        run_add_fact_text(out, row, "trace.rank_from", from, ORIGIN_GIVEN);
    trace_head_to_run(&r->head, out, row);
    add_count(out, row, "trace.flow_events", c->flows);
    add_count(out, row, "trace.metadata_events", c->metadata);
    add_count(out, row, "trace.instant_events", c->instants);
    add_count(out, row, "trace.counter_events", c->counters);
    add_count(out, row, "trace.container_events", c->containers);
    add_count(out, row, "trace.mark_events", c->marks);
    if (r->container.lost_bytes)
        run_add_fact(out, row, "trace.lost_bytes", (double)r->container.lost_bytes,
                     "bytes", ORIGIN_MEASURED, "skipped after malformed JSON");
    if (spilled_bytes)
        run_add_fact(out, row, "trace.spilled_bytes", (double)spilled_bytes, "bytes",
                     ORIGIN_MEASURED, "written to a temporary file while reading");
    work_tally_to_run(&r->totals.tally.work, out, row);
    trace_notes_to_run(&r->totals.tally.notes, out, row);
    return STATUS_OK;
}

static enum status read_source(struct run *out, struct byte_source *source,
                               const char *name, const struct trace_options *options,
                               struct err *err)
{
    struct reading r;
    reading_init(&r, source, name, options);
    enum status st = reading_run(&r, err);
    if (!st && r.totals.tally.counts.used)
        st = reading_to_run(&r, out, err);
    else if (!st)
        st = reading_refuse(&r, err);
    reading_release(&r);
    byte_source_close(source);
    return st;
}

enum status trace_read(struct run *out, const char *path,
                       const struct trace_options *options, struct err *err)
{
    struct byte_source *source;
    enum status st = byte_source_open(&source, path, err);
    return st ? st : read_source(out, source, path, options, err);
}

enum status trace_read_memory(struct run *out, const void *data, size_t len,
                              const char *name, const struct trace_options *options,
                              struct err *err)
{
    struct byte_source *source;
    enum status st = byte_source_from_memory(&source, data, len, name, err);
    return st ? st : read_source(out, source, name, options, err);
}
