/*
 * Events to spans: checks times, classifies, finds lanes and names, and hands rows to the
 * reducer's shard. One sink a reading thread. What it counts and notes is collected a
 * block of text at a time: event_sink_accept() adds it to the whole, in the order of
 * blocks; event_sink_drop() forgets it.
 *
 * Invariant: what reaches the shard has a lane, a known kind, 0 <= dur_ns <= 7 days and
 * |begin_ns| <= RUN_TIME_MAX_NS; begin_ns is the trace's own ts, unshifted.
 */
#ifndef GAIT_TRACE_EVENT_SINK_H
#define GAIT_TRACE_EVENT_SINK_H

#include "trace/event_reader.h"
#include "trace/name_table.h"
#include "trace/row_table.h"
#include "trace/trace_notes.h"
#include "trace/work_cache.h"

enum {
    SHAPES_BYTES_MAX = 256, /* of one event's input shapes; longer ones are left out */
    RAW_SHAPES_MAX = 65536,
    RAW_SHAPES_NONE = RAW_SHAPES_MAX + 1, /* no number of any */
    CATEGORIES_KNOWN = 64,                /* a power of two */
    CATEGORY_BYTES_MAX = 32,
};

struct known_category {
    char text[CATEGORY_BYTES_MAX];
    uint8_t len;
    enum category category;
};

/* What was seen and is not a span. */
struct event_counts {
    int64_t events;     /* all */
    int64_t used;       /* complete and memory events of known categories, lost or not */
    int64_t flows;      /* arrows: launches are paired by correlation instead */
    int64_t metadata;   /* names of rows */
    int64_t instants;   /* other than [memory] */
    int64_t counters;   /* ph C */
    int64_t containers; /* rows of the profiler itself */
    int64_t marks;      /* known and of no use */
    int64_t empty;      /* {} */
};

/* What is known of a block, or of all blocks up to one. */
struct trace_tally {
    struct event_counts counts;
    struct trace_notes notes;
    struct work_tally work;
    int64_t rank;        /* from an event's args; -1: none seen */
    int64_t first_ts_ns; /* of the first span */
    bool has_first_ts;
};

/* The whole of a trace beside its spans. */
struct trace_totals {
    struct trace_tally tally;
    struct row_table row_names; /* value: of names, from metadata events */
    struct row_table lanes;     /* and the row of the first event on each */
    struct names names;
};

void trace_totals_init(struct trace_totals *t);
void trace_totals_release(struct trace_totals *t);

/* A name that metadata gives to a row. */
struct row_naming {
    struct row_key row;
    uint32_t name; /* local */
};

struct event_sink {
    struct reduce_shard *shard; /* not owned */
    bool skip_shapes;
    struct name_table names;
    struct row_table lanes; /* value: the shard's lane */
    struct known_category category[CATEGORIES_KNOWN];
    struct names raw_shapes; /* as they stand in the text */
    name_id *shapes;         /* (raw_shapes.n) the shard's */
    size_t cap_shapes;
    struct work_cache work;
    size_t lanes_before; /* of the open block */
    /* of the open block */
    struct trace_tally block;
    struct row_naming *naming; /* (namings) */
    size_t namings, cap_namings;
};

void event_sink_init(struct event_sink *s, struct reduce_shard *shard, bool skip_shapes);
void event_sink_release(struct event_sink *s);

void event_sink_add(struct event_sink *s, const struct trace_event *e);
void event_sink_drop(struct event_sink *s);
void event_sink_accept(struct event_sink *s, struct trace_totals *t);
/* The accepted block is the shard's from now on. */
enum status event_sink_put_away(struct event_sink *s, int64_t order, struct err *err);
/* After the last block: lanes get the names that metadata gave them. */
void event_sink_finish(struct event_sink *s, struct trace_totals *t);

#endif
