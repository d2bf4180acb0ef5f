/*
 * A sliding view of the text: at[0..len) is contiguous, so that a parser can point into
 * it instead of copying. The caller parses from the front; when what it needs does not
 * end inside the view it asks for more and parses again from the same place. The view
 * grows to its limit and no further, which bounds both memory and the work done twice.
 */
#ifndef GAIT_TRACE_TEXT_WINDOW_H
#define GAIT_TRACE_TEXT_WINDOW_H

#include "trace/byte_source.h"

enum {
    WINDOW_BYTES_DEFAULT = 256 << 10,
    /* The longest event or head value; longer ones are skipped and noted. */
    WINDOW_BYTES_MAX = 16 << 20,
};

struct text_window {
    struct byte_source *source; /* not owned */
    char *buf;                  /* (cap) */
    size_t cap;
    const char *at; /* the first byte not yet used */
    size_t len;     /* bytes there */
    int64_t offset; /* of at[0] in the text */
    bool over;      /* no text follows at[0..len) */
};

enum window_result { WINDOW_GREW, WINDOW_OVER, WINDOW_FULL };

/* first_bytes: the size to begin with, 0 for the default. */
void text_window_init(struct text_window *w, struct byte_source *source,
                      size_t first_bytes);
void text_window_release(struct text_window *w);

/* Make the view longer; what at[0..len) held stays, at another address. */
enum window_result text_window_more(struct text_window *w);
/* Done with the first n bytes. */
void text_window_use(struct text_window *w, size_t n);

#endif
