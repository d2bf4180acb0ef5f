/*
 * One element of traceEvents as a flat struct: what Gait uses of it, and nothing copied.
 * Texts point into the indexed text and live as long as that does.
 *
 * It is read from mark to mark (text_index.h). What stands between marks and is not used
 * is not looked at, so damage there is no damage; of arrows (ph s, t, f) only ph is read.
 *
 * To use one more numeric argument: add a line to EVENT_NUMBER_LIST; a text: to
 * EVENT_TEXT_LIST. Keys are compared without regard to case, because their spelling
 * varies between versions ("external id", "External id").
 */
#ifndef GAIT_TRACE_EVENT_READER_H
#define GAIT_TRACE_EVENT_READER_H

#include "trace/json_scan.h"
#include "trace/text_index.h"

/* E(VALUE, "key in args, lower case") */
#define EVENT_NUMBER_LIST(E)                                                             \
    E(CORRELATION, "correlation")                                                        \
    E(STREAM, "stream")                                                                  \
    E(DEVICE, "device")                                                                  \
    E(BYTES, "bytes")                                                                    \
    E(SIZE, "size")                                                                      \
    E(EVENT_INDEX, "ev idx")                                                             \
    E(PROFILER_INDEX, "profiler event index")                                            \
    E(AUTOGRAD_SEQUENCE, "sequence number")                                              \
    E(RANK, "rank")                                                                      \
    E(TOTAL_ALLOCATED, "total allocated")                                                \
    E(TOTAL_RESERVED, "total reserved")                                                  \
    E(DEVICE_TYPE, "device type")                                                        \
    E(DEVICE_ID, "device id")                                                            \
    E(ELEMENTS_IN, "in msg nelems") /* of a collective, as all that follow */            \
    E(ELEMENTS_OUT, "out msg nelems")                                                    \
    E(GROUP_SIZE, "group size")                                                          \
    E(GROUP_SEQ, "seq")                                                                  \
    E(WAIT_STREAM, "wait_on_stream") /* of a synchronisation, as the next */             \
    E(WAIT_RECORD, "wait_on_cuda_event_record_corr_id")

/* E(VALUE, "key", is it wanted as raw JSON?) */
#define EVENT_TEXT_LIST(E)                                                               \
    E(NAME, "name", false)                                                               \
    E(COLLECTIVE, "collective name", false)                                              \
    E(DTYPE, "dtype", false)                                                             \
    E(GROUP_NAME, "process group name", false)                                           \
    E(INPUT_DIMS, "input dims", true)                                                    \
    E(INPUT_TYPES, "input type", true)                                                   \
    E(INPUT_VALUES, "concrete inputs", true)

#define EVENT_NUMBER_VALUE(v, key) EVENT_NUMBER_##v,
#define EVENT_TEXT_VALUE(v, key, raw) EVENT_TEXT_##v,
enum event_number { EVENT_NUMBER_LIST(EVENT_NUMBER_VALUE) EVENT_NUMBER_COUNT };
enum event_text { EVENT_TEXT_LIST(EVENT_TEXT_VALUE) EVENT_TEXT_COUNT };

/* A time in nanoseconds from digits in microseconds. */
enum event_time_state { EVENT_TIME_ABSENT, EVENT_TIME_GOOD, EVENT_TIME_BAD };
struct event_time {
    enum event_time_state state;
    int64_t ns;
};

/* A pid or tid: a number, also one written as a string, or a text ("stream 7"). */
struct event_row_id {
    bool is_number;
    int64_t number;
    struct json_text text;
};

struct trace_event {
    int64_t offset; /* in the text; set by the caller */
    char ph;        /* '\0' where there is none */
    struct json_text cat, name;
    struct event_row_id pid, tid;
    struct event_time ts, dur;
    uint32_t numbers_seen;                   /* bits of enum event_number */
    int64_t number[EVENT_NUMBER_COUNT];      /* where seen */
    struct json_text text[EVENT_TEXT_COUNT]; /* s NULL where absent */
};

/* The next mark of the index opens the event. JSON_OK: the marks up to its closing
 * bracket are used. JSON_MORE: the text ends before the event does.
 * JSON_BAD: no event. */
enum json_result event_parse(struct trace_event *e, struct text_index *x);

bool event_has(const struct trace_event *e, enum event_number which);
/* The argument, or fallback where it is absent or no number. */
int64_t event_number(const struct trace_event *e, enum event_number which,
                     int64_t fallback);

#endif
