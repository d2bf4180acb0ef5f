/* "PAR1", the chunks of each row group, the footer with where they stand, its length,
 * "PAR1". A reader begins at the end. */
#include "parquet/parquet.h"

#include "base/mem.h"
#include "parquet/parquet_chunk.h"
#include "parquet/thrift_compact.h"

enum { FORMAT_VERSION = 2, MAGIC_BYTES = 4 };
enum repetition { REQUIRED = 0, OPTIONAL = 1 };

static const char magic[] = "PAR1";

struct parquet_writer {
    FILE *out;
    const struct parquet_column *columns; /* (n) */
    size_t n;
    struct parquet_options options;
    struct parquet_chunk *chunk; /* (n) */
    size_t group_rows;           /* in the chunks */
    int64_t rows;                /* in all */
    int64_t at;                  /* bytes written */
    struct strbuf groups;        /* what the footer tells of them */
    size_t n_groups;
    size_t too_long; /* the column of a text that is, + 1; 0: none */
};

struct parquet_options parquet_options_of(const char *created_by)
{
    return (struct parquet_options){created_by, 1 << 17, 16 << 20};
}

static void put(struct parquet_writer *w, const void *data, size_t len)
{
    fwrite(data, 1, len, w->out);
    w->at += (int64_t)len;
}

struct parquet_writer *parquet_writer_new(FILE *out, const struct parquet_column *columns,
                                          size_t n, const struct parquet_options *options)
{
    struct parquet_writer *w = mem_zalloc(1, sizeof *w);
    w->out = out;
    w->columns = columns;
    w->n = n;
    w->options = *options;
    w->chunk = mem_zalloc(n, sizeof *w->chunk);
    for (size_t i = 0; i < n; i++)
        parquet_chunk_init(&w->chunk[i], &columns[i]);
    strbuf_init(&w->groups);
    put(w, magic, MAGIC_BYTES);
    return w;
}

void parquet_writer_free(struct parquet_writer *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->n; i++)
        parquet_chunk_release(&w->chunk[i]);
    strbuf_release(&w->groups);
    mem_free(w->chunk);
    mem_free(w);
}

static void put_group_end(struct thrift *t, const struct parquet_writer *w, int64_t begin)
{
    int64_t bytes = w->at - begin;
    thrift_i64(t, 2, bytes);
    thrift_i64(t, 3, (int64_t)w->group_rows);
    thrift_i64(t, 5, begin);
    thrift_i64(t, 6, bytes);
    thrift_end(t);
}

static void end_group(struct parquet_writer *w)
{
    struct strbuf pages;
    struct thrift t;
    int64_t begin = w->at;
    strbuf_init(&pages);
    thrift_init(&t, &w->groups);
    thrift_list(&t, 1, THRIFT_STRUCT, w->n);
    for (size_t i = 0; i < w->n; i++) {
        parquet_chunk_write(&w->chunk[i], &pages, &w->groups, w->at);
        put(w, pages.s, pages.len);
        strbuf_clear(&pages);
        parquet_chunk_clear(&w->chunk[i]);
    }
    put_group_end(&t, w, begin);
    strbuf_release(&pages);
    w->group_rows = 0;
    w->n_groups++;
}

void parquet_writer_add(struct parquet_writer *w, const struct parquet_value *value)
{
    size_t bytes = 0;
    for (size_t i = 0; i < w->n; i++) {
        struct parquet_value v = value[i];
        if (v.type == PARQUET_TEXT && !v.is_null && v.text.len > PARQUET_TEXT_MAX_BYTES) {
            w->too_long = i + 1;
            v.text.len = 0;
        }
        parquet_chunk_add(&w->chunk[i], &v);
        bytes += w->chunk[i].distinct_bytes;
    }
    w->group_rows++;
    w->rows++;
    if (w->group_rows >= w->options.group_rows || bytes >= w->options.group_bytes)
        end_group(w);
}

static void put_root(struct thrift *t, size_t columns)
{
    thrift_begin_element(t);
    thrift_binary(t, 4, "schema", strlen("schema"));
    thrift_i32(t, 5, (int32_t)columns);
    thrift_end(t);
}

static void put_column(struct thrift *t, const struct parquet_column *c)
{
    thrift_begin_element(t);
    thrift_i32(t, 1, parquet_physical_type(c->type));
    thrift_i32(t, 3, c->optional ? OPTIONAL : REQUIRED);
    thrift_binary(t, 4, c->name, strlen(c->name));
    if (c->type == PARQUET_TEXT) {
        thrift_i32(t, 6, 0); /* UTF8, for older readers */
        thrift_struct(t, 10);
        thrift_struct(t, 1); /* STRING */
        thrift_end(t);
        thrift_end(t);
    }
    thrift_end(t);
}

/* Bounds are in the order that a column's type has by itself. */
static void put_orders(struct thrift *t, size_t columns)
{
    thrift_list(t, 7, THRIFT_STRUCT, columns);
    for (size_t i = 0; i < columns; i++) {
        thrift_begin_element(t);
        thrift_struct(t, 1);
        thrift_end(t);
        thrift_end(t);
    }
}

static void put_footer(struct parquet_writer *w)
{
    struct strbuf footer;
    struct thrift t;
    strbuf_init(&footer);
    thrift_init(&t, &footer);
    thrift_i32(&t, 1, FORMAT_VERSION);
    thrift_list(&t, 2, THRIFT_STRUCT, w->n + 1);
    put_root(&t, w->n);
    for (size_t i = 0; i < w->n; i++)
        put_column(&t, &w->columns[i]);
    thrift_i64(&t, 3, w->rows);
    thrift_list(&t, 4, THRIFT_STRUCT, w->n_groups);
    strbuf_add(&footer, w->groups.s, w->groups.len);
    thrift_binary(&t, 6, w->options.created_by, strlen(w->options.created_by));
    put_orders(&t, w->n);
    thrift_end(&t);
    unsigned char len[4];
    for (size_t i = 0; i < sizeof len; i++)
        len[i] = (unsigned char)(footer.len >> 8 * i);
    put(w, footer.s, footer.len);
    put(w, len, sizeof len);
    put(w, magic, MAGIC_BYTES);
    strbuf_release(&footer);
}

enum status parquet_writer_end(struct parquet_writer *w, struct err *err)
{
    if (w->group_rows)
        end_group(w);
    put_footer(w);
    if (!w->too_long)
        return STATUS_OK;
    return err_set(err, STATUS_INPUT,
                   "a text of column %s is longer than %d MiB, which no reader of such "
                   "tables expects; is the trace damaged?",
                   w->columns[w->too_long - 1].name, PARQUET_TEXT_MAX_BYTES >> 20);
}

int64_t parquet_writer_rows(const struct parquet_writer *w)
{
    return w->rows;
}

int64_t parquet_writer_bytes(const struct parquet_writer *w)
{
    return w->at;
}
