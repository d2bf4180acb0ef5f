#include "trace/op_inputs.h"

#include <string.h>

int64_t op_times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t op_plus(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* --- types --- */

static const struct {
    const char *name;
    enum op_type type;
} type_names[] = {
    {"float", OP_TYPE_F32},
    {"c10::BFloat16", OP_TYPE_BF16},
    {"c10::Half", OP_TYPE_F16},
    {"double", OP_TYPE_F64},
    {"long int", OP_TYPE_I64},
    {"long", OP_TYPE_I64},
    {"long long", OP_TYPE_I64},
    {"int", OP_TYPE_I32},
    {"short", OP_TYPE_I16},
    {"short int", OP_TYPE_I16},
    {"signed char", OP_TYPE_I8},
    {"unsigned char", OP_TYPE_I8},
    {"bool", OP_TYPE_I8},
    {"c10::Float8_e4m3fn", OP_TYPE_F8},
    {"c10::Float8_e5m2", OP_TYPE_F8},
    {"c10::Float8_e4m3fnuz", OP_TYPE_F8},
    {"c10::Float8_e5m2fnuz", OP_TYPE_F8},
    {"c10::complex<float>", OP_TYPE_COMPLEX64},
    {"c10::complex<double>", OP_TYPE_COMPLEX128},
};

static enum op_type type_of(const struct json_text *t)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (json_text_is(t, type_names[i].name))
            return type_names[i].type;
    return OP_TYPE_NONE;
}

#define TYPE_TEXT(v, text, bytes, real) text,
#define TYPE_BYTES(v, text, bytes, real) bytes,
#define TYPE_REAL(v, text, bytes, real) real,
const char *op_type_text(enum op_type t)
{
    static const char *const text[OP_TYPE_COUNT] = {OP_TYPE_LIST(TYPE_TEXT)};
    return text[t];
}

int64_t op_type_bytes(enum op_type t)
{
    static const int8_t bytes[OP_TYPE_COUNT] = {OP_TYPE_LIST(TYPE_BYTES)};
    return bytes[t];
}

bool op_type_is_real(enum op_type t)
{
    static const bool real[OP_TYPE_COUNT] = {OP_TYPE_LIST(TYPE_REAL)};
    return real[t];
}

/* --- dimensions --- */

/* Digits only; saturated. A sign, a point or an exponent is no dimension. */
static bool read_digits(const char **p, const char *end, int64_t *out)
{
    const char *s = *p;
    int64_t v = 0;
    for (; s < end && *s >= '0' && *s <= '9'; s++)
        v = op_plus(op_times(v, 10), *s - '0');
    if (s == *p)
        return false;
    *p = s;
    *out = v;
    return true;
}

static void skip_blanks(const char **p, const char *end)
{
    while (*p < end && (uint8_t) * *p <= ' ')
        ++*p;
}

static bool take(const char **p, const char *end, char ch)
{
    skip_blanks(p, end);
    if (*p >= end || **p != ch)
        return false;
    ++*p;
    return true;
}

/* Behind '[': numbers to ']'. Of too many dimensions only the product is kept. */
static bool read_shape(const char **p, const char *end, struct op_input *t)
{
    t->rank = 0;
    t->numbers = 1;
    if (take(p, end, ']'))
        return true;
    do {
        int64_t dim;
        skip_blanks(p, end);
        if (!read_digits(p, end, &dim))
            return false;
        if (t->rank < OP_DIMS_MAX)
            t->dim[t->rank] = dim;
        t->rank++;
        t->numbers = op_times(t->numbers, dim);
    } while (take(p, end, ','));
    return take(p, end, ']');
}

/* Behind "[[": shapes to ']'. */
static bool read_shapes(const char **p, const char *end, struct op_input *list)
{
    list->numbers = 0;
    for (;;) {
        struct op_input t;
        if (!read_shape(p, end, &t))
            return false;
        list->numbers = op_plus(list->numbers, t.numbers);
        if (!take(p, end, ','))
            return take(p, end, ']');
        if (!take(p, end, '['))
            return false;
    }
}

static bool read_input(const char **p, const char *end, struct op_input *in)
{
    *in = (struct op_input){.kind = OP_INPUT_TENSOR};
    if (!take(p, end, '['))
        return false;
    bool list = take(p, end, '[');
    if (list)
        in->kind = OP_INPUT_TENSORS;
    if (list ? !read_shapes(p, end, in) : !read_shape(p, end, in))
        return false;
    if (in->rank > OP_DIMS_MAX)
        in->kind = OP_INPUT_UNKNOWN;
    return true;
}

/* One shape that cannot be read leaves all behind it in doubt. */
static bool read_dims(struct op_inputs *in, const struct json_text *dims)
{
    const char *p = dims->s, *end = dims->s + dims->len;
    if (!take(&p, end, '['))
        return false;
    do {
        if (in->n == OP_INPUTS_MAX)
            return true;
        if (!read_input(&p, end, &in->in[in->n]))
            return false;
        in->n++;
    } while (take(&p, end, ','));
    return take(&p, end, ']');
}

/* --- types and values: arrays of strings --- */

static int read_strings(struct json_text *out, const struct json_text *array)
{
    if (!array->s || !array->len || *array->s != '[')
        return 0;
    struct json_cursor c = {array->s + 1, array->s + array->len};
    bool first = true, over;
    int n = 0;
    while (n < OP_INPUTS_MAX && scan_next_element(&c, &first, &over) == JSON_OK &&
           !over && scan_scalar(&c, &out[n]) == JSON_OK)
        n++;
    return n;
}

bool op_inputs_read(struct op_inputs *in, const struct json_text *dims,
                    const struct json_text *types, const struct json_text *concrete)
{
    in->n = 0;
    if (!dims->s || !read_dims(in, dims))
        return false;
    struct json_text type[OP_INPUTS_MAX];
    int n_types = read_strings(type, types);
    for (int i = 0; i < in->n && i < n_types; i++) {
        in->in[i].type = type_of(&type[i]);
        in->in[i].is_scalar = json_text_is(&type[i], "Scalar");
    }
    in->values = read_strings(in->value, concrete);
    return true;
}

static bool value_is(const struct op_inputs *in, int i, const char *word)
{
    return i < in->values && json_text_is(&in->value[i], word);
}

int op_value_bool(const struct op_inputs *in, int i, int fallback)
{
    int64_t number;
    if (value_is(in, i, "True"))
        return 1;
    if (value_is(in, i, "False"))
        return 0;
    return op_value_int(in, i, &number) ? number != 0 : fallback;
}

bool op_value_int(const struct op_inputs *in, int i, int64_t *out)
{
    if (i >= in->values)
        return false;
    const char *p = in->value[i].s, *end = p + in->value[i].len;
    return read_digits(&p, end, out) && p == end;
}

static bool read_word(const char **p, const char *end, int64_t *out)
{
    size_t room = (size_t)(end - *p);
    if (room >= 4 && !memcmp(*p, "True", 4)) {
        *p += 4;
        *out = 1;
        return true;
    }
    if (room >= 5 && !memcmp(*p, "False", 5)) {
        *p += 5;
        *out = 0;
        return true;
    }
    bool negative = room && **p == '-';
    *p += negative;
    if (!read_digits(p, end, out))
        return false;
    if (negative)
        *out = -*out;
    return true;
}

int op_value_ints(const struct op_inputs *in, int i, int64_t *out, int max)
{
    if (i >= in->values)
        return -1;
    const char *p = in->value[i].s, *end = p + in->value[i].len;
    int n = 0;
    if (!take(&p, end, '['))
        return -1;
    if (take(&p, end, ']'))
        return 0;
    do {
        skip_blanks(&p, end);
        if (n == max || !read_word(&p, end, &out[n]))
            return -1;
        n++;
    } while (take(&p, end, ','));
    return take(&p, end, ']') ? n : -1;
}
