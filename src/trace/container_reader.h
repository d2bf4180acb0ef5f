/*
 * Walks the outside of a trace: the head, traceEvents, the footer; or a bare array of
 * events as the oldest files are. Hands out one event at a time and goes on after damage.
 *
 * Damage: where the JSON makes no sense, everything up to the next plausible place is
 * skipped: an object that begins like an event, the key "traceEvents", or the end of the
 * array followed by a footer's key. Each byte is looked at a bounded number of times,
 * whatever the text.
 *
 * The text comes in views, one behind the other. What a view leaves unfinished, an event
 * that it cuts or a search, goes on in the next one; an event may be as long as
 * CONTAINER_REST_MAX. Who has parsed the events of a view already (several threads do, in
 * advance: block_reader.h) gives only what is left of it.
 */
#ifndef GAIT_TRACE_CONTAINER_READER_H
#define GAIT_TRACE_CONTAINER_READER_H

#include "trace/event_reader.h"
#include "trace/trace_head.h"
#include "trace/trace_notes.h"

enum container_state {
    CONTAINER_START,  /* nothing seen */
    CONTAINER_OBJECT, /* between members of the outermost object */
    CONTAINER_EVENTS, /* between elements of traceEvents */
    CONTAINER_SEARCH, /* after damage: for a place to go on at */
    CONTAINER_OVER,   /* the document is closed, or the text has ended */
};

/* The longest event or head value; longer ones are skipped and noted. */
enum { CONTAINER_REST_MAX = 16 << 20 };

struct text_view {
    const char *text; /* its beginning */
    const char *at;   /* the first byte not yet used */
    size_t len;
    int64_t offset; /* of at[0] in the text */
    bool over;      /* no text follows */
};

/* What is being searched for after damage. */
struct damage {
    int64_t offset; /* where it began */
    size_t from;    /* search from view.at[from] on */
    bool lost_event;
    bool too_long;
};

struct container_reader {
    struct text_view view;
    char *rest, *joined; /* what the last view left, alone and before the next one */
    size_t rest_len, rest_cap, joined_cap;
    size_t tried_len; /* of the rest when it was found to be too little */
    bool waiting;     /* for more of it */
    struct text_index index;
    bool indexed;       /* index has marks of the view */
    int64_t text_bytes; /* up to the end of the last view */
    struct damage damage;
    struct trace_head *head;   /* not owned */
    struct trace_notes *notes; /* not owned */
    enum container_state state;
    bool first;       /* no comma is due before the next member or element */
    bool bare_array;  /* traceEvents is the whole document */
    bool seen_events; /* an array of events was found */
    bool is_json;     /* began with a bracket */
    bool complete;    /* the document was closed */
    bool noted_after_end;
    bool looked_again;   /* for events, where they should not be */
    int64_t lost_events; /* elements that never became events */
    int64_t lost_bytes;  /* skipped after damage */
    char begin[32];      /* the first characters, for messages */
};

void container_reader_init(struct container_reader *r, struct trace_head *head,
                           struct trace_notes *notes);
void container_reader_release(struct container_reader *r);

/* The next piece of the text, which begins at byte `offset` and lives until
 * container_reader_next() returns false, with TEXT_PADDING spaces behind it; over: the
 * last one. */
void container_reader_view(struct container_reader *r, const char *text, size_t len,
                           int64_t offset, bool over);
/* The next event; false when the view is used up. Its texts live until the next call. */
bool container_reader_next(struct container_reader *r, struct trace_event *e);

/* Is the view used up, with an event due next? Then one may go on behind events that were
 * parsed elsewhere: */
bool container_reader_is_between(const struct container_reader *r);
/* text[0..len) with its offset is what follows such events; events: were there any? */
void container_reader_view_behind(struct container_reader *r, bool events,
                                  const char *text, size_t len, int64_t offset,
                                  bool over);

#endif
