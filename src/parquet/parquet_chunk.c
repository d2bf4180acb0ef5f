/*
 * Values are interned as they come, by their plain bytes, whatever their type: so the
 * dictionary is there when the group is full, and whether it pays is known exactly. A
 * chunk is a page with the dictionary, where it pays, and a page with the data.
 */
#include "parquet/parquet_chunk.h"

#include "base/json_writer.h"
#include "base/mem.h"
#include "parquet/chunk_bounds.h"
#include "parquet/hybrid_runs.h"
#include "parquet/thrift_compact.h"

#include <string.h>

enum page_type { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

enum { NUMBER_BYTES = 8, TEXT_LENGTH_BYTES = 4, UNCOMPRESSED = 0 };

int parquet_physical_type(enum parquet_type type)
{
    static const int number[] = {[PARQUET_BOOL] = 0,
                                 [PARQUET_I32] = 1,
                                 [PARQUET_I64] = 2,
                                 [PARQUET_F64] = 5,
                                 [PARQUET_TEXT] = 6};
    return number[type];
}

void parquet_chunk_init(struct parquet_chunk *c, const struct parquet_column *column)
{
    *c = (struct parquet_chunk){.column = column};
    names_init(&c->distinct);
    strbuf_init(&c->mended);
}

void parquet_chunk_release(struct parquet_chunk *c)
{
    names_release(&c->distinct);
    mem_free(c->entry);
    mem_free(c->there);
    strbuf_release(&c->mended);
}

void parquet_chunk_clear(struct parquet_chunk *c)
{
    names_release(&c->distinct);
    names_init(&c->distinct);
    c->has_empty = false;
    c->n_entries = c->n_rows = c->distinct_bytes = c->plain_bytes = 0;
}

static void put_le(char *to, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (char)(v >> 8 * i);
}

/* Bytes that are not UTF-8 become U+FFFD, one each, as in our JSON. */
static void mend(struct strbuf *out, const char *s, size_t len)
{
    strbuf_clear(out);
    for (size_t i = 0; i < len;) {
        int n = utf8_sequence_len(s + i, len - i);
        if (n)
            strbuf_add(out, s + i, (size_t)n);
        else
            strbuf_puts(out, "\xef\xbf\xbd");
        i += n ? (size_t)n : 1;
    }
}

/* The plain bytes of a value, in `number` or where the text is. */
static const char *plain_bytes(struct parquet_chunk *c, const struct parquet_value *v,
                               char number[NUMBER_BYTES], size_t *len)
{
    uint64_t bits = (uint64_t)v->integer;
    switch (c->column->type) {
    case PARQUET_TEXT:
        *len = v->text.len;
        if (utf8_is_valid(v->text.s, v->text.len))
            return v->text.s;
        mend(&c->mended, v->text.s, v->text.len);
        *len = c->mended.len;
        return c->mended.s;
    case PARQUET_F64:
        memcpy(&bits, &v->real, sizeof bits);
        break;
    default:
        break;
    }
    *len = c->column->type == PARQUET_I32 ? 4 : c->column->type == PARQUET_BOOL ? 1 : 8;
    put_le(number, bits, NUMBER_BYTES);
    return number;
}

static name_id intern(struct parquet_chunk *c, const struct parquet_value *v)
{
    char number[NUMBER_BYTES];
    size_t len, known = c->distinct.n;
    const char *s = plain_bytes(c, v, number, &len);
    name_id id = names_add(&c->distinct, s, len);
    if (c->column->type == PARQUET_TEXT)
        len += TEXT_LENGTH_BYTES;
    if (c->distinct.n > known || (!id && !c->has_empty))
        c->distinct_bytes += len;
    c->plain_bytes += len;
    c->has_empty = c->has_empty || !id;
    return id;
}

void parquet_chunk_add(struct parquet_chunk *c, const struct parquet_value *v)
{
    if (v->type != c->column->type || (v->is_null && !c->column->optional))
        BUG("column %s takes no such value", c->column->name);
    vec_grow(c->there, c->cap_rows, c->n_rows + 1);
    c->there[c->n_rows++] = !v->is_null;
    if (v->is_null)
        return;
    vec_grow(c->entry, c->cap_entries, c->n_entries + 1);
    c->entry[c->n_entries++] = intern(c, v);
}

static void put_plain(struct strbuf *out, const struct parquet_chunk *c, name_id id)
{
    size_t len = c->distinct.len[id];
    if (c->column->type == PARQUET_TEXT) {
        char head[TEXT_LENGTH_BYTES];
        put_le(head, len, TEXT_LENGTH_BYTES);
        strbuf_add(out, head, sizeof head);
    }
    strbuf_add(out, c->distinct.str[id], len);
}

/* Truths are single bits, from the least significant on. */
static void put_bits(struct strbuf *out, const struct parquet_chunk *c)
{
    for (size_t i = 0; i < c->n_entries; i += 8) {
        int byte = 0;
        for (size_t k = i; k < i + 8 && k < c->n_entries; k++)
            byte |= *c->distinct.str[c->entry[k]] << (k - i);
        strbuf_putc(out, (char)byte);
    }
}

static size_t dictionary_first(const struct parquet_chunk *c)
{
    return c->has_empty ? 0 : 1;
}

static int entry_bits(const struct parquet_chunk *c)
{
    return hybrid_bits((uint32_t)(c->distinct.n - dictionary_first(c) - 1));
}

static bool dictionary_pays(const struct parquet_chunk *c)
{
    if (!c->n_entries || c->column->type == PARQUET_BOOL)
        return false;
    size_t entries = c->n_entries * (size_t)entry_bits(c) / 8 + 1;
    return c->distinct_bytes + entries < c->plain_bytes;
}

static void put_entries(struct strbuf *out, struct parquet_chunk *c)
{
    uint32_t first = (uint32_t)dictionary_first(c);
    int bits = entry_bits(c);
    for (size_t i = 0; i < c->n_entries; i++)
        c->entry[i] -= first;
    strbuf_putc(out, (char)bits);
    hybrid_runs_add(out, c->entry, c->n_entries, bits);
}

/* Which rows have a value: the length of it in 4 bytes, then runs of one bit. */
static void put_there(struct strbuf *out, const struct parquet_chunk *c)
{
    size_t begin = out->len;
    strbuf_add(out, "\0\0\0\0", 4);
    hybrid_runs_add(out, c->there, c->n_rows, 1);
    put_le(out->s + begin, out->len - begin - 4, 4);
}

static void put_page(struct strbuf *pages, enum page_type type, size_t values,
                     int encoding, const struct strbuf *body)
{
    struct thrift t;
    thrift_init(&t, pages);
    thrift_i32(&t, 1, type);
    thrift_i32(&t, 2, (int32_t)body->len);
    thrift_i32(&t, 3, (int32_t)body->len);
    thrift_struct(&t, type == PAGE_DATA ? 5 : 7);
    thrift_i32(&t, 1, (int32_t)values);
    thrift_i32(&t, 2, encoding);
    if (type == PAGE_DATA) {
        thrift_i32(&t, 3, FORMAT_RLE);
        thrift_i32(&t, 4, FORMAT_RLE);
    }
    thrift_end(&t);
    thrift_end(&t);
    strbuf_add(pages, body->s, body->len);
}

static void put_dictionary(struct strbuf *pages, const struct parquet_chunk *c)
{
    struct strbuf body;
    size_t first = dictionary_first(c);
    strbuf_init(&body);
    for (size_t id = first; id < c->distinct.n; id++)
        put_plain(&body, c, (name_id)id);
    put_page(pages, PAGE_DICTIONARY, c->distinct.n - first, FORMAT_PLAIN, &body);
    strbuf_release(&body);
}

static void put_data(struct strbuf *pages, struct parquet_chunk *c, bool by_dictionary)
{
    struct strbuf body;
    strbuf_init(&body);
    if (c->column->optional)
        put_there(&body, c);
    if (by_dictionary)
        put_entries(&body, c);
    else if (c->column->type == PARQUET_BOOL)
        put_bits(&body, c);
    else
        for (size_t i = 0; i < c->n_entries; i++)
            put_plain(&body, c, c->entry[i]);
    put_page(pages, PAGE_DATA, c->n_rows,
             by_dictionary ? FORMAT_RLE_DICTIONARY : FORMAT_PLAIN, &body);
    strbuf_release(&body);
}

static void put_meta(struct strbuf *meta, const struct parquet_chunk *c,
                     bool by_dictionary, int64_t at, int64_t data_at, int64_t bytes)
{
    struct thrift t;
    const char *name = c->column->name;
    thrift_init(&t, meta);
    thrift_i64(&t, 2, at);
    thrift_struct(&t, 3);
    thrift_i32(&t, 1, parquet_physical_type(c->column->type));
    thrift_list(&t, 2, THRIFT_I32, by_dictionary ? 3 : 2);
    thrift_element_i32(&t, FORMAT_PLAIN);
    thrift_element_i32(&t, FORMAT_RLE);
    if (by_dictionary)
        thrift_element_i32(&t, FORMAT_RLE_DICTIONARY);
    thrift_list(&t, 3, THRIFT_BINARY, 1);
    thrift_element_binary(&t, name, strlen(name));
    thrift_i32(&t, 4, UNCOMPRESSED);
    thrift_i64(&t, 5, (int64_t)c->n_rows);
    thrift_i64(&t, 6, bytes);
    thrift_i64(&t, 7, bytes);
    thrift_i64(&t, 9, data_at);
    if (by_dictionary)
        thrift_i64(&t, 11, at);
    chunk_bounds_put(&t, 12, c);
    thrift_end(&t);
    thrift_end(&t);
}

int64_t parquet_chunk_write(struct parquet_chunk *c, struct strbuf *pages,
                            struct strbuf *meta, int64_t at)
{
    size_t begin = pages->len;
    bool by_dictionary = dictionary_pays(c);
    if (by_dictionary)
        put_dictionary(pages, c);
    int64_t data_at = at + (int64_t)(pages->len - begin);
    put_data(pages, c, by_dictionary);
    int64_t bytes = (int64_t)(pages->len - begin);
    put_meta(meta, c, by_dictionary, at, data_at, bytes);
    return bytes;
}
