/*
 * A run: what happened while a transformer trained. Start here.
 *
 * Runs come from two sides, Gait's own trainer (probe) and profiler traces of other
 * programs (trace), and nothing after the run knows which. In memory a run is columns
 * with interned names and integer nanoseconds; on disk it is an SQLite file *.gait
 * (run_file.h). The tables are listed in schema.h.
 *
 * Sizes it is made for: a recording of 80 million events whose aggregates (ops, times,
 * phases) cover everything while spans holds the full detail of chosen steps only; a
 * thousand ranks merged into one. How spans become aggregates: reduce.h.
 *
 * Legal order of calls: run_init, then any of *_add, run_merge, run_load, then
 * run_release.
 */
#ifndef GAIT_RUN_RUN_H
#define GAIT_RUN_RUN_H

#include "base/names.h"
#include "base/status.h"
#include "run/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUN_FORMAT_VERSION = 10 };
/* Of the data flow that a run may have. */
enum { RUN_WATCHED_STEPS_MAX = 64, RUN_WATCHED_THREADS_MAX = 4096 };

/* No time in a run lies further from 0 than this (2096 after 1970), so that the sum or
 * difference of two cannot overflow. */
#define RUN_TIME_MAX_NS INT64_C(4000000000000000000)

/* enum span_kind { SPAN_KIND_OP, … SPAN_KIND_COUNT }, and its texts: span_kind_text[]. */
#define RUN_ENUM_DECLARE(CAPS, type)                                                     \
    enum type { CAPS##_LIST(RUN_ENUM_VALUE_##CAPS) CAPS##_COUNT };                       \
    extern const char *const type##_text[CAPS##_COUNT];
#define RUN_ENUM_VALUE_RUN_SOURCE(v, text) RUN_SOURCE_##v,
#define RUN_ENUM_VALUE_ORIGIN(v, text) ORIGIN_##v,
#define RUN_ENUM_VALUE_LANE_KIND(v, text) LANE_KIND_##v,
#define RUN_ENUM_VALUE_SPAN_KIND(v, text) SPAN_KIND_##v,
#define RUN_ENUM_VALUE_EDGE_KIND(v, text) EDGE_KIND_##v,
#define RUN_ENUM_VALUE_STEP_METHOD(v, text) STEP_METHOD_##v,
#define RUN_ENUM_VALUE_PHASE(v, text) PHASE_##v,
#define RUN_ENUM_VALUE_TIME_CLASS(v, text) TIME_CLASS_##v,
#define RUN_ENUM_VALUE_MEMORY_CLASS(v, text) MEMORY_CLASS_##v,
#define RUN_ENUM_VALUE_TIMING_KIND(v, text) TIMING_KIND_##v,
#define RUN_ENUM_VALUE_SPLIT(v, text) SPLIT_##v,
#define RUN_ENUM_VALUE_VALUE_SOURCE(v, text) VALUE_SOURCE_##v,
#define RUN_ENUM_VALUE_TENSOR_ROLE(v, text) TENSOR_ROLE_##v,
#define RUN_ENUM_VALUE_SAMPLE_PART(v, text) SAMPLE_PART_##v,
#define RUN_ENUM_VALUE_MOVED_KIND(v, text) MOVED_KIND_##v,
RUN_ENUMS(RUN_ENUM_DECLARE)

/* On a lane of a device: it is busy with it. */
static inline bool span_kind_is_device_work(enum span_kind kind)
{
    return kind == SPAN_KIND_KERNEL || kind == SPAN_KIND_COLLECTIVE ||
           kind == SPAN_KIND_COPY || kind == SPAN_KIND_SET;
}

/* struct span is one row, struct spans the columns of all: run->spans.begin_ns[i]. */
struct table {
    size_t n, cap;
};

#define RUN_ROW_FIELD(ctype, storage, name, doc) ctype name;
#define RUN_COLUMN_FIELD(ctype, storage, name, doc) ctype *name; /* (n) */
#define RUN_TABLE_DECLARE(row, table_name, COLUMNS, doc)                                 \
    struct row {                                                                         \
        COLUMNS(RUN_ROW_FIELD)                                                           \
    };                                                                                   \
    struct table_name {                                                                  \
        struct table table;                                                              \
        COLUMNS(RUN_COLUMN_FIELD)                                                        \
    };
RUN_TABLES(RUN_TABLE_DECLARE)

struct run {
    struct names names;
#define RUN_TABLE_MEMBER(row, table_name, COLUMNS, doc) struct table_name table_name;
    RUN_TABLES(RUN_TABLE_MEMBER)
};

void run_init(struct run *r);
void run_release(struct run *r);

/* spans_add(&run->spans, (struct span){.lane = …}) appends a row and returns its number.
 */
#define RUN_TABLE_ADD_DECLARE(row, table_name, COLUMNS, doc)                             \
    size_t table_name##_add(struct table_name *t, struct row value);                     \
    struct row table_name##_get(const struct table_name *t, size_t i);
RUN_TABLES(RUN_TABLE_ADD_DECLARE)

/* Forget spans and edges; aggregates stay. */
void run_drop_detail(struct run *r);

/* Append all of src to dst: names are interned anew, row references shifted. */
void run_merge(struct run *dst, const struct run *src);

/* Where the next rows of a run will stand. */
struct run_place {
    size_t ranks, lanes, steps;
};
struct run_place run_place_of(const struct run *r);
/* Append spans and edges alone, of ranks, lanes and steps that stand in dst from there
 * on. */
void run_merge_detail(struct run *dst, const struct run *src, const struct run_place *at);

/* Equal as tables: the same rows in the same order, names compared by their text. On a
 * difference, err says where. */
bool run_equal(const struct run *a, const struct run *b, struct err *why_not);

/* Every reference points to a row, every enum has a name. What comes from a file is
 * checked. */
enum status run_check(const struct run *r, struct err *err);

const char *run_name(const struct run *r, name_id id);
/* The value of a numeric fact of rank row `rank` (or of all), NAN where there is none. */
double run_fact(const struct run *r, int32_t rank, const char *key);
/* The text of such a fact, "" where there is none. */
const char *run_fact_text(const struct run *r, int32_t rank, const char *key);
void run_add_fact(struct run *r, int32_t rank, const char *key, double value,
                  const char *unit, enum origin origin, const char *how);
void run_add_fact_text(struct run *r, int32_t rank, const char *key, const char *text,
                       enum origin origin);
/* A note of the same text and rank is counted, not repeated. */
void run_add_note(struct run *r, int32_t rank, int64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
