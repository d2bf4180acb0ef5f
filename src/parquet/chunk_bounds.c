/*
 * Bounds that are wrong lose rows without a word, so there are none where they are in
 * doubt: of a column with a NaN, which has no place in the order, and of long texts, which
 * would have to be cut. -0 counts as less than 0 in the bounds, as the format asks, since
 * readers take them for equal.
 */
#include "parquet/chunk_bounds.h"

#include <math.h>
#include <string.h>

enum { TEXT_BOUND_MAX_BYTES = 128 };

static int64_t integer_of(const struct parquet_chunk *c, size_t id)
{
    const unsigned char *s = (const unsigned char *)c->distinct.str[id];
    uint64_t v = 0;
    for (size_t i = 0; i < c->distinct.len[id]; i++)
        v |= (uint64_t)s[i] << 8 * i;
    return c->column->type == PARQUET_I32 ? (int32_t)(uint32_t)v : (int64_t)v;
}

static double real_of(const struct parquet_chunk *c, size_t id)
{
    int64_t bits = integer_of(c, id);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static int compare_texts(const struct parquet_chunk *c, size_t a, size_t b)
{
    size_t la = c->distinct.len[a], lb = c->distinct.len[b];
    int order = memcmp(c->distinct.str[a], c->distinct.str[b], la < lb ? la : lb);
    return order ? order : (la > lb) - (la < lb);
}

static int compare(const struct parquet_chunk *c, size_t a, size_t b)
{
    if (c->column->type == PARQUET_TEXT)
        return compare_texts(c, a, b);
    if (c->column->type == PARQUET_F64) {
        double x = real_of(c, a), y = real_of(c, b);
        return x != y ? (x > y) - (x < y) : !!signbit(y) - !!signbit(x);
    }
    int64_t x = integer_of(c, a), y = integer_of(c, b);
    return (x > y) - (x < y);
}

static bool is_in_doubt(const struct parquet_chunk *c, size_t id)
{
    return (c->column->type == PARQUET_F64 && isnan(real_of(c, id))) ||
           (c->column->type == PARQUET_TEXT &&
            c->distinct.len[id] > TEXT_BOUND_MAX_BYTES);
}

/* False: there are none to tell. */
static bool find_bounds(const struct parquet_chunk *c, size_t *least, size_t *greatest)
{
    size_t first = c->has_empty ? 0 : 1;
    *least = *greatest = first;
    for (size_t id = first; id < c->distinct.n; id++) {
        if (is_in_doubt(c, id))
            return false;
        if (compare(c, id, *least) < 0)
            *least = id;
        if (compare(c, id, *greatest) > 0)
            *greatest = id;
    }
    return first < c->distinct.n;
}

static void put_bound(struct thrift *t, int16_t number, const struct parquet_chunk *c,
                      size_t id, double instead_of_zero)
{
    bool zero = c->column->type == PARQUET_F64 && real_of(c, id) == 0;
    thrift_binary(t, number, zero ? (const char *)&instead_of_zero : c->distinct.str[id],
                  c->distinct.len[id]);
}

void chunk_bounds_put(struct thrift *t, int16_t number, const struct parquet_chunk *c)
{
    size_t least, greatest;
    thrift_struct(t, number);
    thrift_i64(t, 3, (int64_t)(c->n_rows - c->n_entries));
    if (find_bounds(c, &least, &greatest)) {
        put_bound(t, 5, c, greatest, 0.0);
        put_bound(t, 6, c, least, -0.0);
    }
    thrift_end(t);
}
