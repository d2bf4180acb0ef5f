/*
 * The lists of schema.h as data: what saving, loading, merging, comparing and checking
 * loop over. Private to run.
 */
#ifndef GAIT_RUN_TABLE_DEF_H
#define GAIT_RUN_TABLE_DEF_H

#include "run/run.h"

enum column_type {
    COLUMN_I32,
    COLUMN_I64,
    COLUMN_F64,
    COLUMN_NAME,
    COLUMN_ENUM,
    COLUMN_REF, /* a row of another table, or -1; 32 or 64 bits wide */
};

#define RUN_TABLE_INDEX(row, table_name, COLUMNS, doc) RUN_TABLE_##table_name,
enum run_table { RUN_TABLES(RUN_TABLE_INDEX) RUN_TABLE_COUNT };

struct column_def {
    enum column_type type;
    const char *const *enum_text; /* of COLUMN_ENUM: (enum_count) */
    int enum_count;
    int ref; /* of COLUMN_REF: enum run_table */
    const char *name;
    const char *doc;
    size_t size;     /* bytes of a value */
    size_t in_row;   /* offset in the row struct */
    size_t in_table; /* offset of the column's pointer in the table struct */
};

struct table_def {
    const char *name;
    const char *doc;
    const struct column_def *columns;
    size_t n_columns;
    size_t in_run; /* offset of the table in struct run */
};

extern const struct table_def run_table_def[RUN_TABLE_COUNT];

/* Any table begins with struct table. */
struct table *run_table(struct run *r, enum run_table t);
const struct table *run_table_const(const struct run *r, enum run_table t);
void *column_data(const struct table *t, const struct column_def *c);

/* A value as int64 (COLUMN_F64 excluded), and back. */
int64_t column_get_int(const struct table *t, const struct column_def *c, size_t i);
void column_set_int(struct table *t, const struct column_def *c, size_t i, int64_t v);

void table_reserve(struct table *t, const struct table_def *def, size_t rows);
size_t table_add(struct table *t, const struct table_def *def, const void *row);

#endif
