/* The inside of span_store.h: one packed run, read row by row from memory or file. */
#ifndef GAIT_SPANS_SPAN_CURSOR_H
#define GAIT_SPANS_SPAN_CURSOR_H

#include "spans/span_pack.h"
#include "spans/span_pool.h"

struct span_cursor {
    struct span head; /* the next row */
    const struct span_run *run;
    uint32_t rows_left;        /* behind head */
    const uint8_t *at, *end;   /* packed bytes of them at hand */
    uint32_t file_bytes_left;  /* of those not yet read, */
    int64_t file_offset;       /* which begin here */
    struct pack_state state;   /* after head */
    const int32_t *lane;       /* the writer's numbers to the rank's */
    const name_id *name;       /* names and shapes too */
    uint8_t *buffer;           /* of a run in the file; kept for the next one */
    struct span_cursor *spare; /* the next one that rests */
};

/* What all cursors of a reader share. */
struct span_cursor_source {
    const struct spill_file *file;
    size_t buffer_bytes; /* at least SPAN_CURSOR_BUFFER_MIN */
    struct err *err;     /* set where something is wrong */
};

enum { SPAN_CURSOR_BUFFER_MIN = 512 };

/* Reads the first row into c->head; c is zeroed or was used before. False: trouble. */
bool span_cursor_open(struct span_cursor *c, const struct span_cursor_source *from,
                      const struct span_run *run);

/* Moves head and what follows it to out, up to `room` rows (at least 1), as long as they
 * begin before limit_ns; head always goes. out has room for one more, which is scratch.
 * Returns how many; *more: whether there is a head again. 0: trouble. */
size_t span_cursor_take(struct span_cursor *c, const struct span_cursor_source *from,
                        int64_t limit_ns, struct span *out, size_t room, bool *more);

void span_cursor_release(struct span_cursor *c);

#endif
