/*
 * A bounded map from a row of the trace (kind, device, pid, tid) to a value: lanes, and
 * the names that metadata events give to rows. A hostile trace may have a row an event,
 * so lookups are constant time and at most ROWS_MAX rows are held (for each reading
 * thread).
 */
#ifndef GAIT_TRACE_ROW_TABLE_H
#define GAIT_TRACE_ROW_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum { ROWS_MAX = 65536 };

struct row_key {
    int32_t kind, device;
    int64_t pid, tid;
};

struct row {
    struct row_key key;
    int64_t pid, tid; /* as the trace has them, which for device lanes is not the key */
    uint32_t value;
};

struct row_table {
    struct row *row; /* (n) in order of their coming */
    size_t n, cap;
    uint32_t *slot; /* open addressing: index + 1 */
    size_t slots;   /* a power of two, at least 2n */
    size_t recent;  /* the row found last: most events follow one of the same row */
};

void row_table_release(struct row_table *t); /* a zeroed table needs no init */

/* The row, or NULL where there is none. The pointer lives until the next add. */
struct row *row_table_find(struct row_table *t, struct row_key key);
/* Adds a row that is not there yet; NULL where the table is full. */
struct row *row_table_add(struct row_table *t, struct row_key key);
/* Only the first n rows stay. */
void row_table_forget(struct row_table *t, size_t n);

#endif
