/*
 * The lists of table_list.h as data and as rows. A row is a struct of values, a member a
 * column: (struct flat_ranks){.rank = …}. Private to tables, but for the reference.
 */
#ifndef GAIT_TABLES_FLAT_TABLE_H
#define GAIT_TABLES_FLAT_TABLE_H

#include "analyze/analysis.h"
#include "analyze/rank_rows.h"
#include "base/strbuf.h"
#include "parquet/parquet.h"
#include "price/finding.h"
#include "tables/table_list.h"

#define FLAT_MEMBER(type, need, name, doc) struct parquet_value name;
#define FLAT_ROW(table, COLUMNS, doc)                                                    \
    struct flat_##table {                                                                \
        COLUMNS(FLAT_MEMBER)                                                             \
    };
FLAT_TABLES(FLAT_ROW)

#define FLAT_INDEX(table, COLUMNS, doc) FLAT_TABLE_##table,
enum { FLAT_TABLES(FLAT_INDEX) FLAT_TABLE_COUNT };

/* What rows are made of. */
struct flat_source {
    const struct analysis *analysis;
    const struct findings *findings; /* NULL: none were looked for */
    struct rank_rows collectives;    /* rows of run->collective_sums, by row of ranks */
    struct rank_rows calls;          /* rows of run->collectives, the same */
};
void flat_source_init(struct flat_source *s, const struct analysis *a,
                      const struct findings *f);
void flat_source_release(struct flat_source *s);

/* Add the rows of analysis->ranks[rank]. */
typedef void flat_rows_fn(struct parquet_writer *w, const struct flat_source *s,
                          size_t rank);
#define FLAT_ROWS_DECLARE(table, COLUMNS, doc) flat_rows_fn flat_##table##_rows;
FLAT_TABLES(FLAT_ROWS_DECLARE)

struct flat_table {
    const char *name, *doc;
    const struct parquet_column *columns; /* (n) */
    const char *const *column_doc;        /* (n) */
    size_t n;
    flat_rows_fn *rows;
};
extern const struct flat_table flat_tables[FLAT_TABLE_COUNT];

/* The reference of tables and columns for docs/export.md. */
void flat_tables_markdown(struct strbuf *out);

/* Values of which some mean that nothing is known. */
struct parquet_value flat_text(const char *s); /* "" is NULL */
struct parquet_value flat_i32_if(bool known, int64_t v);
struct parquet_value flat_i64_if(bool known, int64_t v);
struct parquet_value flat_real(double v); /* NAN and infinities are NULL */
struct parquet_value flat_ms(double ns);
struct parquet_value flat_rank(const struct flat_source *s, int32_t row);

/* A struct of values is an array of them. */
#define flat_add(w, row) parquet_writer_add(w, (const struct parquet_value *)&(row))

#endif
