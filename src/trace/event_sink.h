/*
 * Events to spans: checks times, classifies, finds lanes and names, and hands rows to the
 * reducer's shard. One sink a reading thread; nothing is shared.
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

/* Of one event's input shapes; longer ones are left out. */
enum { SHAPES_BYTES_MAX = 256 };

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
};

struct event_sink {
    struct reduce_shard *shard; /* not owned */
    struct trace_notes *notes;  /* not owned */
    bool skip_shapes;
    struct name_table names;
    struct row_table lanes;     /* value: the shard's lane */
    struct row_table row_names; /* value: local name, from metadata events */
    struct event_counts counts;
    int64_t rank;        /* from an event's args; -1: none seen */
    int64_t first_ts_ns; /* of the first span */
    bool has_first_ts;
    char first_unknown[NOTE_CATEGORY_BYTES]; /* to tell the user what a file holds */
};

void event_sink_init(struct event_sink *s, struct reduce_shard *shard,
                     struct trace_notes *notes, bool skip_shapes);
void event_sink_release(struct event_sink *s);

void event_sink_add(struct event_sink *s, const struct trace_event *e);
/* After the last event: lanes get the names that metadata gave them. */
void event_sink_finish(struct event_sink *s);

#endif
