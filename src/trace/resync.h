/* Finds the place to read on at after damage. */
#ifndef GAIT_TRACE_RESYNC_H
#define GAIT_TRACE_RESYNC_H

#include <stdbool.h>
#include <stddef.h>

/* A plausible place is recognised within so many bytes; with less text ahead, more has to
 * be read first. */
enum { RESYNC_LOOKAHEAD = 512 };

enum resync_kind {
    RESYNC_NONE,   /* nothing in the text; *at is where to search on with more text */
    RESYNC_EVENT,  /* at the bracket of an object that begins as events do */
    RESYNC_EVENTS, /* behind "traceEvents": [ */
    RESYNC_FOOTER, /* behind the bracket that closes the array of events */
};

/* Search s[from..len); over: no text follows. What stands before `from` is looked at too:
 * an object behind a colon is a value and not an event. */
enum resync_kind resync_find(size_t *at, const char *s, size_t from, size_t len,
                             bool over);

/* The last place in s[0..len) where an event begins, whole or not; 0 where there is none
 * behind the first byte. */
size_t resync_last_event(const char *s, size_t len);

#endif
