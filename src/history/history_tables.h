/* The tables of a history file; private to history. */
#ifndef GAIT_HISTORY_HISTORY_TABLES_H
#define GAIT_HISTORY_HISTORY_TABLES_H

#include "base/content_hash.h"
#include "history/history.h"
#include "run/row_file.h"

extern const struct row_file_kind history_kind;

#define HISTORY_COMPARISON_COLUMNS                                                       \
    "utc, kind, before, after, before_hash, after_hash, machine, verdict, xxh3"
#define HISTORY_GATE_COLUMNS                                                             \
    "comparison, name, verdict, unit, change_unit, before, after, change, low, high"
#define HISTORY_BASELINE_COLUMNS                                                         \
    "name, utc, path, hash, machine, yaml, step_ms, memory_bytes, xxh3"

enum { HISTORY_COMPARISON_N = 9, HISTORY_GATE_N = 10, HISTORY_BASELINE_N = 9 };

/* Of all that is stored, the gates included; their own xxh3 is not. */
struct content_hash_text history_comparison_hash(const struct history_comparison *c);
struct content_hash_text history_baseline_hash(const struct history_baseline *b);

static inline struct row_value row_text(const char *s)
{
    return (struct row_value){.kind = ROW_VALUE_TEXT, .text = s};
}
static inline struct row_value row_real(double v)
{
    return (struct row_value){.kind = ROW_VALUE_REAL, .real = v};
}
static inline struct row_value row_int(int64_t v)
{
    return (struct row_value){.kind = ROW_VALUE_INT, .integer = v};
}

#endif
