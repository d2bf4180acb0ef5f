/* The tables and views of a run file, and their reference page, made from the
 * definitions. */
#include "run/run_file_schema.h"

#include "run/run_file.h"

void run_file_table_sql(struct strbuf *sql, const struct table_def *def)
{
    strbuf_printf(sql, "CREATE TABLE raw_%s(id INTEGER PRIMARY KEY", def->name);
    for (size_t i = 0; i < def->n_columns; i++)
        strbuf_printf(sql, ", \"%s\" %s", def->columns[i].name,
                      def->columns[i].type == COLUMN_F64 ? "REAL" : "INTEGER");
    strbuf_puts(sql, ")");
}

/* 'text', with the quotes inside doubled. */
static void schema_quote(struct strbuf *sql, const char *text)
{
    strbuf_putc(sql, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            strbuf_putc(sql, '\'');
        strbuf_putc(sql, *text);
    }
    strbuf_putc(sql, '\'');
}

static void schema_view_column(struct strbuf *sql, const struct column_def *c)
{
    if (c->type == COLUMN_NAME) {
        strbuf_printf(sql,
                      ",\n  (SELECT text FROM raw_names WHERE id = t.\"%s\") AS \"%s\"",
                      c->name, c->name);
    } else if (c->type == COLUMN_ENUM) {
        strbuf_printf(sql, ",\n  CASE t.\"%s\"", c->name);
        for (int i = 0; i < c->enum_count; i++) {
            strbuf_printf(sql, " WHEN %d THEN ", i);
            schema_quote(sql, c->enum_text[i]);
        }
        strbuf_printf(sql, " END AS \"%s\"", c->name);
    } else {
        strbuf_printf(sql, ",\n  t.\"%s\"", c->name);
    }
}

static void schema_view(struct strbuf *sql, const struct table_def *def)
{
    strbuf_printf(sql, "CREATE VIEW %s AS SELECT t.id", def->name);
    for (size_t i = 0; i < def->n_columns; i++)
        schema_view_column(sql, &def->columns[i]);
    strbuf_printf(sql, "\n  FROM raw_%s t;\n", def->name);
}

/* What people ask first, without a join. */
static const char schema_summaries[] =
    "CREATE VIEW top_ops AS SELECT rank, place, kind, name, count,\n"
    "  self_ns / 1e6 AS self_ms, total_ns / 1e6 AS total_ms FROM ops\n"
    "  WHERE kind NOT IN ('step', 'phase', 'annotation', 'python') ORDER BY self_ns "
    "DESC;\n"
    "CREATE VIEW where_time_goes AS SELECT t.rank, CASE WHEN t.lane = -1 THEN 'devices'\n"
    "  WHEN l.name <> '' THEN l.name ELSE l.kind || ' ' || l.tid END AS place,\n"
    "  t.what, t.ns / 1e6 AS ms, t.origin FROM times t LEFT JOIN lanes l ON l.id = "
    "t.lane\n"
    "  WHERE t.step = -1 AND t.device = -1;\n"
    "CREATE VIEW step_times AS SELECT rank, number, (end_ns - begin_ns) / 1e6 AS ms, "
    "kept\n"
    "  FROM steps;\n";

char *run_file_schema_sql(void)
{
    struct strbuf sql;
    strbuf_init(&sql);
    strbuf_printf(&sql, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
                  RUN_FILE_APPLICATION_ID, RUN_FORMAT_VERSION);
    strbuf_puts(&sql, RUN_FILE_NAMES_SQL ";\n" RUN_FILE_CHECKSUMS_SQL ";\n");
    for (int t = 0; t < RUN_TABLE_COUNT; t++) {
        run_file_table_sql(&sql, &run_table_def[t]);
        strbuf_puts(&sql, ";\n");
    }
    for (int t = 0; t < RUN_TABLE_COUNT; t++)
        schema_view(&sql, &run_table_def[t]);
    strbuf_puts(&sql, schema_summaries);
    return sql.s;
}

static const char *column_type_text(const struct column_def *c)
{
    switch (c->type) {
    case COLUMN_F64:
        return "real";
    case COLUMN_NAME:
        return "text";
    case COLUMN_ENUM:
        return "one of";
    case COLUMN_REF:
        return run_table_def[c->ref].name;
    default:
        return "integer";
    }
}

void run_file_schema_markdown(struct strbuf *out)
{
    for (int t = 0; t < RUN_TABLE_COUNT; t++) {
        const struct table_def *def = &run_table_def[t];
        strbuf_printf(out, "### %s\n\n%s.\n\n| column | is | meaning |\n|---|---|---|\n",
                      def->name, def->doc);
        for (size_t i = 0; i < def->n_columns; i++) {
            const struct column_def *c = &def->columns[i];
            strbuf_printf(out, "| `%s` | %s", c->name, column_type_text(c));
            for (int e = 0; e < c->enum_count; e++)
                strbuf_printf(out, "%s%s", e ? ", " : " ", c->enum_text[e]);
            strbuf_printf(out, "%s | %s |\n", c->type == COLUMN_REF ? " row or -1" : "",
                          c->doc);
        }
        strbuf_puts(out, "\n");
    }
}
