/*
 * Walks the outside of a trace: the head, traceEvents, the footer; or a bare array of
 * events as the oldest files are. Hands out one event at a time and goes on after damage.
 *
 * Damage: where the JSON makes no sense, everything up to the next plausible place is
 * skipped: an object that begins like an event, the key "traceEvents", or the end of the
 * array followed by a footer's key. Each byte is looked at a bounded number of times,
 * whatever the text.
 *
 * Several threads on one file: a reader that begins in the state CONTAINER_EVENTS at any
 * byte finds the next event in the same way; nothing is shared between readers.
 */
#ifndef GAIT_TRACE_CONTAINER_READER_H
#define GAIT_TRACE_CONTAINER_READER_H

#include "trace/event_reader.h"
#include "trace/text_window.h"
#include "trace/trace_head.h"
#include "trace/trace_notes.h"

enum container_state {
    CONTAINER_START,  /* nothing seen */
    CONTAINER_OBJECT, /* between members of the outermost object */
    CONTAINER_EVENTS, /* between elements of traceEvents */
    CONTAINER_OVER,   /* the document is closed, or the text has ended */
};

struct container_reader {
    struct text_window window;
    struct trace_head *head;   /* not owned */
    struct trace_notes *notes; /* not owned */
    enum container_state state;
    bool first;          /* no comma is due before the next member or element */
    bool bare_array;     /* traceEvents is the whole document */
    bool seen_events;    /* an array of events was found */
    bool is_json;        /* began with a bracket */
    bool complete;       /* the document was closed */
    int64_t lost_events; /* elements that never became events */
    int64_t lost_bytes;  /* skipped after damage */
    char begin[32];      /* the first characters, for messages */
};

void container_reader_init(struct container_reader *r, struct byte_source *source,
                           size_t window_bytes, struct trace_head *head,
                           struct trace_notes *notes);
void container_reader_release(struct container_reader *r);

/* The next event; false at the end, good or bad. Its texts live until the next call. */
bool container_reader_next(struct container_reader *r, struct trace_event *e);

/* Bytes of text so far; after the last event, of the whole text. */
int64_t container_reader_text_bytes(const struct container_reader *r);

#endif
