/* A field is a byte with the distance to the field before it and its type, then the
 * value; distances above 15 do not occur in Parquet's structs and take the long form. */
#include "parquet/thrift_compact.h"

#include "base/status.h"

enum field_type {
    FIELD_TRUE = 1,
    FIELD_FALSE = 2,
    FIELD_I16 = 4,
    FIELD_I32 = 5,
    FIELD_I64 = 6,
    FIELD_BINARY = 8,
    FIELD_LIST = 9,
    FIELD_STRUCT = 12,
};

enum {
    SHORT_MAX = 15 /* distance of a field, one less than the length of a short list */
};

void varint_add(struct strbuf *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        strbuf_putc(out, (char)(v | 0x80));
    strbuf_putc(out, (char)v);
}

/* Small numbers of either sign become small ones without. */
static void zigzag_add(struct strbuf *out, int64_t v)
{
    varint_add(out, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

static void begin_struct(struct thrift *t)
{
    if (t->depth == THRIFT_DEPTH_MAX)
        BUG("more than %d structs are open", THRIFT_DEPTH_MAX);
    t->last[t->depth++] = 0;
}

void thrift_init(struct thrift *t, struct strbuf *out)
{
    *t = (struct thrift){.out = out};
    begin_struct(t);
}

void thrift_end(struct thrift *t)
{
    strbuf_putc(t->out, 0);
    t->depth--;
}

static void field(struct thrift *t, int16_t number, enum field_type type)
{
    int16_t *last = &t->last[t->depth - 1];
    int distance = number - *last;
    if (distance < 1)
        BUG("field %d comes after field %d", number, *last);
    if (distance <= SHORT_MAX) {
        strbuf_putc(t->out, (char)(distance << 4 | (int)type));
    } else {
        strbuf_putc(t->out, (char)type);
        zigzag_add(t->out, number);
    }
    *last = number;
}

void thrift_bool(struct thrift *t, int16_t number, bool v)
{
    field(t, number, v ? FIELD_TRUE : FIELD_FALSE);
}

void thrift_i16(struct thrift *t, int16_t number, int16_t v)
{
    field(t, number, FIELD_I16);
    zigzag_add(t->out, v);
}

void thrift_i32(struct thrift *t, int16_t number, int32_t v)
{
    field(t, number, FIELD_I32);
    zigzag_add(t->out, v);
}

void thrift_i64(struct thrift *t, int16_t number, int64_t v)
{
    field(t, number, FIELD_I64);
    zigzag_add(t->out, v);
}

void thrift_binary(struct thrift *t, int16_t number, const void *data, size_t len)
{
    field(t, number, FIELD_BINARY);
    thrift_element_binary(t, data, len);
}

void thrift_struct(struct thrift *t, int16_t number)
{
    field(t, number, FIELD_STRUCT);
    begin_struct(t);
}

void thrift_list(struct thrift *t, int16_t number, enum thrift_element type, size_t n)
{
    field(t, number, FIELD_LIST);
    if (n < SHORT_MAX) {
        strbuf_putc(t->out, (char)((int)n << 4 | (int)type));
    } else {
        strbuf_putc(t->out, (char)(0xf0 | (int)type));
        varint_add(t->out, n);
    }
}

void thrift_element_i32(struct thrift *t, int32_t v)
{
    zigzag_add(t->out, v);
}

void thrift_element_binary(struct thrift *t, const void *data, size_t len)
{
    varint_add(t->out, len);
    strbuf_add(t->out, data, len);
}

void thrift_begin_element(struct thrift *t)
{
    begin_struct(t);
}
