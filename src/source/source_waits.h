/*
 * What makes the host wait in one turn of a loop, or one call of a function, and where the
 * device is given work that takes long; private to this folder.
 *
 * A read costs the time in which the device idles because nothing was queued behind it.
 * Where a wait that stays in any case lies between the same two pieces of work, the queue
 * is drained by that one: the read costs next to nothing. Reads between the same two
 * pieces are one drained queue. A model's pass, backward or forward, is such a piece; the
 * optimizer's step is not: its few kernels are the most that a wait behind it can cost.
 */
#ifndef GAIT_SOURCE_SOURCE_WAITS_H
#define GAIT_SOURCE_SOURCE_WAITS_H

#include "source/source_syntax.h"

/* Work that takes long, or a wait that stays, where its expression ends. */
struct wait_stretch { /* of one iteration, without long work */
    int32_t turn;     /* place of the loop or function */
    uint32_t after;   /* byte of the work that it follows; of the turn's begin: none */
    bool wrapped;     /* follows the work of the iteration before */
};

struct wait_event {
    uint32_t at;
    int32_t place;
    bool is_work;
    struct wait_stretch stretch; /* of a wait */
};

/* What is known of a function of the file. */
struct wait_function {
    bool asked, works,
        checks;         /* it goes through a model; it stops for what is not finite */
    uint32_t last_work; /* byte of its last long work, 0: none */
};

struct wait_events {
    bool found;
    struct wait_event *event; /* (n) in the order of the text */
    size_t n, cap;
    struct wait_function *function; /* (functions of the file) */
};

/* Found once, when they are first asked for. */
const struct wait_events *wait_events_of(const struct source_syntax *s);

/* Of an expression at a place that ends at a byte. */
struct wait_stretch wait_stretch_of(const struct source_syntax *s, int32_t place,
                                    uint32_t at);
/* Does a wait that stays lie in the same stretch, and run whenever n does? */
bool wait_lies_beside(const struct source_syntax *s, TSNode n);
/* For wait_events_of(): the stretch of each wait, the last work of each function. */
void wait_stretches_find(const struct source_syntax *s, struct wait_events *w);
/* What functions of the file wait for, and calls that may lead to such of other files:
 * facts. Once all is read. False where that takes too long. */
bool wait_calls_note(struct source_syntax *s);
void wait_events_free(struct wait_events *w); /* NULL too */

/* source_needed.c: is what is read needed at once? */
bool value_needed_now(const struct source_syntax *s, TSNode read);

#endif
