/*
 * Writes tables with odd values as Parquet, and the same values as lines of JSON, for
 * tests/oracle/parquet_agrees.py: NULL is null, a real its bits and a text its bytes in
 * hexadecimal, so that NaN, -0 and what is not UTF-8 are told.
 *
 *     write_parquet FOLDER
 */
#include "base/mem.h"
#include "base/strbuf.h"
#include "parquet/parquet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct parquet_column columns[] = {
    {"i32", PARQUET_I32, true},         {"i64", PARQUET_I64, true},
    {"f64", PARQUET_F64, true},         {"truth", PARQUET_BOOL, true},
    {"text", PARQUET_TEXT, true},       {"must_i64", PARQUET_I64, false},
    {"must_text", PARQUET_TEXT, false}, {"never", PARQUET_F64, true},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

struct out {
    struct parquet_writer *w;
    FILE *parquet, *lines;
};

static void put_hex(FILE *f, const void *data, size_t len)
{
    putc('"', f);
    for (size_t i = 0; i < len; i++)
        fprintf(f, "%02x", ((const unsigned char *)data)[i]);
    putc('"', f);
}

static void put_value(FILE *f, const struct parquet_value *v)
{
    if (v->is_null)
        fputs("null", f);
    else if (v->type == PARQUET_TEXT)
        put_hex(f, v->text.s, v->text.len);
    else if (v->type == PARQUET_F64)
        put_hex(f, &v->real, sizeof v->real);
    else if (v->type == PARQUET_BOOL)
        fputs(v->integer ? "true" : "false", f);
    else
        fprintf(f, "%" PRId64, v->integer);
}

static void add(struct out *o, const struct parquet_value *value)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        putc(i ? ',' : '[', o->lines);
        put_value(o->lines, &value[i]);
    }
    fputs("]\n", o->lines);
    parquet_writer_add(o->w, value);
}

static FILE *create(const char *folder, const char *name, const char *end)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s.%s", folder, name, end);
    FILE *f = fopen(path.s, "wb");
    if (!f) {
        perror(path.s);
        exit(1);
    }
    strbuf_release(&path);
    return f;
}

typedef void write_rows(struct out *o);

static void write_table(const char *folder, const char *name, size_t group_rows,
                        write_rows *rows)
{
    struct err err = ERR_INIT;
    struct out o = {.parquet = create(folder, name, "parquet"),
                    .lines = create(folder, name, "lines")};
    struct parquet_options options = parquet_options_of("write_parquet");
    if (group_rows)
        options.group_rows = group_rows;
    o.w = parquet_writer_new(o.parquet, columns, COLUMNS, &options);
    rows(&o);
    if (parquet_writer_end(o.w, &err) || ferror(o.parquet) || fclose(o.parquet) ||
        fclose(o.lines)) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        exit(1);
    }
    parquet_writer_free(o.w);
}

static void null_row(struct parquet_value *row)
{
    for (size_t i = 0; i < COLUMNS; i++)
        row[i] = parquet_null(columns[i].type);
    row[5] = parquet_i64(0);
    row[6] = parquet_text("");
}

static void no_rows(struct out *o)
{
    (void)o;
}

static void nulls(struct out *o)
{
    struct parquet_value row[COLUMNS];
    for (int i = 0; i < 100; i++) {
        null_row(row);
        if (i % 10 == 7)
            row[1] = parquet_i64(i);
        if (i > 50)
            row[4] = parquet_text(i % 2 ? "" : "not empty");
        add(o, row);
    }
}

static void numbers(struct out *o)
{
    static const double real[] = {0.0,     -0.0, NAN, INFINITY, -INFINITY, 5e-324,
                                  1.7e308, -1.5, 0.1, 1.0 / 3,  -1.7e308,  -5e-324};
    static const int64_t integer[] = {0, 1, -1, INT64_MAX, INT64_MIN, 255, 256, -129};
    struct parquet_value row[COLUMNS];
    for (size_t i = 0; i < 96; i++) {
        null_row(row);
        row[0] = parquet_i32(i % 3 == 0   ? INT32_MAX
                             : i % 3 == 1 ? INT32_MIN
                                          : (int32_t)i);
        row[1] = row[5] = parquet_i64(integer[i % 8]);
        row[2] = parquet_f64(real[i % 12]);
        row[3] = parquet_bool(i % 5 == 0);
        add(o, row);
    }
}

/* Groups without NaN, with zeros of both signs at the bounds. */
static void zeros(struct out *o)
{
    struct parquet_value row[COLUMNS];
    for (int i = 0; i < 40; i++) {
        null_row(row);
        row[2] = parquet_f64(i < 10 ? 0.0 : i < 20 ? -0.0 : i < 30 ? i - 20 : 30 - i);
        add(o, row);
    }
}

static void texts(struct out *o)
{
    static const char *const text[] = {"",
                                       "a",
                                       "z\xc3\xa4hler",
                                       "\xe6\xad\xa5\xe6\x85\x8b",
                                       "\xf0\x9f\x9a\xb6",
                                       "\xff\xfe",
                                       "a\xc3",
                                       "\xed\xa0\x80",
                                       "'; drop table ranks; --",
                                       "a\nb\tc\"",
                                       "PAR1"};
    struct parquet_value row[COLUMNS];
    for (size_t i = 0; i < 55; i++) {
        null_row(row);
        row[4] = row[6] = parquet_text(text[i % 11]);
        if (i % 11 == 10)
            row[4] = parquet_bytes("nul\0inside", 10);
        add(o, row);
    }
}

static void long_text(struct out *o)
{
    enum { LEN = 10 << 20 };
    struct parquet_value row[COLUMNS];
    char *s = mem_alloc(LEN);
    for (size_t i = 0; i < LEN; i++)
        s[i] = (char)('a' + i % 23);
    for (int i = 0; i < 3; i++) {
        null_row(row);
        row[4] = i == 1 ? parquet_text("short") : parquet_bytes(s, (size_t)(LEN - i));
        add(o, row);
    }
    mem_free(s);
}

/* Every number of distinct values in a group up to 300, in runs of every length. */
static void runs(struct out *o)
{
    struct parquet_value row[COLUMNS];
    char text[32];
    uint32_t random = 1;
    for (int n = 1; n <= 300; n += 1 + n / 40)
        for (int i = 0; i < 300;) {
            random = random * 1664525 + 1013904223;
            int v = (int)(random >> 8) % n, len = 1 + (int)(random >> 16) % 21;
            for (; len > 0 && i < 300; len--, i++) {
                null_row(row);
                snprintf(text, sizeof text, "name %d", v);
                row[0] = parquet_i32(v - n / 2);
                row[1] = i % 20 < n % 20 ? parquet_null(PARQUET_I64) : parquet_i64(v);
                row[2] = parquet_f64(v * 0.5);
                row[3] = parquet_bool(v % 2);
                row[4] = row[6] = parquet_text(text);
                row[5] = parquet_i64((int64_t)n * 1000000 + i);
                add(o, row);
            }
        }
}

/* Nothing comes twice: no dictionary. */
static void distinct(struct out *o)
{
    struct parquet_value row[COLUMNS];
    char text[32];
    for (int i = 0; i < 140000; i++) {
        null_row(row);
        snprintf(text, sizeof text, "%x", i * 7919);
        row[0] = parquet_i32(i);
        row[2] = parquet_f64(i / 7.0);
        row[4] = parquet_text(text);
        row[5] = parquet_i64((int64_t)i << 20);
        add(o, row);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: write_parquet FOLDER\n");
        return 2;
    }
    write_table(argv[1], "no_rows", 0, no_rows);
    write_table(argv[1], "nulls", 0, nulls);
    write_table(argv[1], "nulls_by_ten", 10, nulls);
    write_table(argv[1], "numbers", 0, numbers);
    write_table(argv[1], "numbers_one_by_one", 1, numbers);
    write_table(argv[1], "zeros", 10, zeros);
    write_table(argv[1], "texts", 0, texts);
    write_table(argv[1], "texts_by_three", 3, texts);
    write_table(argv[1], "long_text", 0, long_text);
    write_table(argv[1], "runs", 300, runs);
    write_table(argv[1], "distinct", 0, distinct);
    return 0;
}
