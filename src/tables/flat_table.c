/* The tables as data, their reference, and values that may be unknown. */
#include "tables/flat_table.h"

#include <math.h>

#define FLAT_NEED_MUST false
#define FLAT_NEED_OPT true
#define FLAT_COLUMN(type, need, name, doc) {#name, PARQUET_##type, FLAT_NEED_##need},
#define FLAT_DOC(type, need, name, doc) doc,
#define FLAT_DEFINE(table, COLUMNS, doc)                                                 \
    static const struct parquet_column table##_columns[] = {COLUMNS(FLAT_COLUMN)};       \
    static const char *const table##_doc[] = {COLUMNS(FLAT_DOC)};                        \
    _Static_assert(sizeof(struct flat_##table) == sizeof table##_columns /               \
                                                      sizeof *table##_columns *          \
                                                      sizeof(struct parquet_value),      \
                   "a row is an array of values");
FLAT_TABLES(FLAT_DEFINE)

#define FLAT_TABLE(table, COLUMNS, doc)                                                  \
    {#table,                                                                             \
     doc,                                                                                \
     table##_columns,                                                                    \
     table##_doc,                                                                        \
     sizeof table##_columns / sizeof *table##_columns,                                   \
     flat_##table##_rows},
const struct flat_table flat_tables[FLAT_TABLE_COUNT] = {FLAT_TABLES(FLAT_TABLE)};

void flat_source_init(struct flat_source *s, const struct analysis *a,
                      const struct findings *f)
{
    const struct run *run = a->run;
    *s = (struct flat_source){.analysis = a, .findings = f};
    rank_rows_init(&s->collectives, run->collective_sums.rank,
                   run->collective_sums.table.n, run->ranks.table.n);
    rank_rows_init(&s->calls, run->collectives.rank, run->collectives.table.n,
                   run->ranks.table.n);
}

void flat_source_release(struct flat_source *s)
{
    rank_rows_release(&s->collectives);
    rank_rows_release(&s->calls);
}

static const char *type_text(const struct parquet_column *c)
{
    static const char *const text[] = {[PARQUET_BOOL] = "boolean",
                                       [PARQUET_I32] = "int32",
                                       [PARQUET_I64] = "int64",
                                       [PARQUET_F64] = "double",
                                       [PARQUET_TEXT] = "string"};
    return text[c->type];
}

void flat_tables_markdown(struct strbuf *out)
{
    for (int t = 0; t < FLAT_TABLE_COUNT; t++) {
        const struct flat_table *table = &flat_tables[t];
        strbuf_printf(out,
                      "### %s\n\n%s.\n\n| column | type | meaning |\n|---|---|---|\n",
                      table->name, table->doc);
        for (size_t i = 0; i < table->n; i++)
            strbuf_printf(out, "| `%s` | %s%s | %s |\n", table->columns[i].name,
                          type_text(&table->columns[i]),
                          table->columns[i].optional ? ", may be NULL" : "",
                          table->column_doc[i]);
        strbuf_puts(out, "\n");
    }
}

struct parquet_value flat_text(const char *s)
{
    return *s ? parquet_text(s) : parquet_null(PARQUET_TEXT);
}

struct parquet_value flat_i32_if(bool known, int64_t v)
{
    return known ? parquet_i32((int32_t)v) : parquet_null(PARQUET_I32);
}

struct parquet_value flat_i64_if(bool known, int64_t v)
{
    return known ? parquet_i64(v) : parquet_null(PARQUET_I64);
}

struct parquet_value flat_real(double v)
{
    return isfinite(v) ? parquet_f64(v) : parquet_null(PARQUET_F64);
}

struct parquet_value flat_ms(double ns)
{
    return flat_real(ns / 1e6);
}

struct parquet_value flat_rank(const struct flat_source *s, int32_t row)
{
    int32_t number = s->analysis->run->ranks.rank[row];
    return flat_i32_if(number >= 0, number);
}
