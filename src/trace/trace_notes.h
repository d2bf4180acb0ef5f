/*
 * What a reader skipped, mended or lost: one count and the byte of the first one for each
 * sort of trouble. Notes of several readers of one trace add up.
 */
#ifndef GAIT_TRACE_TRACE_NOTES_H
#define GAIT_TRACE_TRACE_NOTES_H

#include "run/run.h"

/* N(VALUE, events lost with each one, "text"), in the order in which a reader is told:
 * what happened to the file, what that cut off, events that were lost, the rest. */
#define TRACE_NOTE_LIST(N)                                                               \
    N(UNPACK_TRUNCATED, 0, "the compressed data stops too early; is the copy complete?") \
    N(UNPACK_CORRUPT, 0, "the compressed data is damaged from here on")                  \
    N(UNPACK_GROWS, 0,                                                                   \
      "the compressed data unpacks to over 200 times its size; not read from here on")   \
    N(READ_FAILED, 0, "reading the file failed here")                                    \
    N(SHRANK, 0, "the file became shorter while it was read")                            \
    N(BARREN, 0, "much text without an event ends here: not read from here on")          \
    N(TRUNCATED, 0,                                                                      \
      "the trace ends before its closing brackets, here; was its writer killed? What "   \
      "stands before is used")                                                           \
    N(CUT_EVENT, 1, "the trace ends inside an event, which was skipped")                 \
    N(MALFORMED_EVENT, 1,                                                                \
      "malformed JSON inside an event: it was skipped, reading went on at the next one") \
    N(TOO_LONG_EVENT, 1, "an event longer than 16 MiB was skipped")                      \
    N(NOT_AN_OBJECT, 1, "an element of traceEvents is not an object")                    \
    N(NO_PH, 1, "an event without \"ph\"")                                               \
    N(OTHER_PH, 1, "an event whose \"ph\" is none that Kineto writes")                   \
    N(NO_TS, 1, "an event without \"ts\"")                                               \
    N(BAD_TS, 1, "an event whose \"ts\" is no number or outside any calendar")           \
    N(NO_DUR, 1, "a complete event (ph X) without \"dur\"")                              \
    N(BAD_DUR, 1, "an event whose \"dur\" is negative or no number")                     \
    N(LONG_DUR, 1, "an event longer than 7 days: taken for a wrong duration")            \
    N(ZERO_KERNEL, 1, "device work with ts 0 and dur 0: the profiler lost its times")    \
    N(UNKNOWN_CATEGORY, 1, "an event of a category that is not known")                   \
    N(NO_CATEGORY, 1, "a complete event (ph X) without \"cat\"")                         \
    N(MANY_LANES, 1, "an event on one of more than 65536 threads and streams")           \
    N(BAD_MEMORY, 1, "a [memory] event without its numbers")                             \
    N(MALFORMED, 0, "malformed JSON beside the events: skipped, no event was lost")      \
    N(TOO_LONG, 0, "a value beside traceEvents longer than 16 MiB was skipped")          \
    N(TEXT_AFTER_END, 0, "text after the end of the JSON document was ignored")          \
    N(BAD_ESCAPE, 0, "a name with an escape that JSON does not know: kept as it stands") \
    N(NAME_CUT, 0, "a name longer than 16 KiB was cut")                                  \
    N(NAMES_FULL, 0, "more than 1000000 names or 64 MiB of them: shown as (other)")      \
    N(SHAPES_LONG, 0, "input shapes longer than 256 bytes were left out")                \
    N(BAD_BYTES, 0, "a negative size, probably an overflow in the profiler: left out")   \
    N(MEMORY_SUMMED, 0,                                                                  \
      "[memory] events without totals: changes were summed up from 0 at the first one")  \
    N(SECOND_BASE, 0, "ts already counts from 1970: baseTimeNanoseconds was not added")

#define TRACE_NOTE_VALUE(v, lost, text) TRACE_NOTE_##v,
enum trace_note { TRACE_NOTE_LIST(TRACE_NOTE_VALUE) TRACE_NOTE_COUNT };

enum { NOTE_CATEGORIES_MAX = 8, NOTE_CATEGORY_BYTES = 48 };

/* Events of unknown categories, by name for the first few. */
struct category_note {
    char name[NOTE_CATEGORY_BYTES];
    int64_t count, offset;
};

struct trace_notes {
    int64_t count[TRACE_NOTE_COUNT];
    int64_t offset[TRACE_NOTE_COUNT]; /* of the first, where count is not 0 */
    int64_t bytes[TRACE_NOTE_COUNT];  /* of text that was skipped; 0: not counted */
    struct category_note category[NOTE_CATEGORIES_MAX];
    int categories;
    bool any; /* something was noted: most blocks have nothing to merge */
};

void trace_note(struct trace_notes *n, enum trace_note what, int64_t offset);
/* The same, and how much text was skipped for it. */
void trace_note_bytes(struct trace_notes *n, enum trace_note what, int64_t offset,
                      int64_t bytes);
void trace_note_category(struct trace_notes *n, const char *cat, size_t len,
                         int64_t offset);
void trace_notes_merge(struct trace_notes *dst, const struct trace_notes *src);

/* Events that were lost, of all sorts. */
int64_t trace_notes_lost(const struct trace_notes *n);
/* As notes of this rank's row in the run. */
void trace_notes_to_run(const struct trace_notes *n, struct run *run, int32_t rank);

#endif
