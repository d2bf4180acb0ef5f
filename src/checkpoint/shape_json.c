#include "checkpoint/shape_json.h"

#include "base/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const family_text[] = {
    [MODEL_FAMILY_GPT2] = "gpt2", [MODEL_FAMILY_LLAMA] = "llama"};
enum { FAMILIES = sizeof family_text / sizeof *family_text };

/* I(field, largest): what a shape counts. */
#define SHAPE_SIZES(I)                                                                   \
    I(layers, 1 << 16)                                                                   \
    I(heads, 1 << 16)                                                                    \
    I(kv_heads, 1 << 16)                                                                 \
    I(width, 1 << 20)                                                                    \
    I(hidden, 1 << 22)                                                                   \
    I(context, 1 << 26)                                                                  \
    I(vocab, 1 << 26)

void shape_write_json(struct strbuf *out, const struct model_shape *shape)
{
    const struct rope_scaling *r = &shape->rope_scaling;
    struct json_writer w;
    json_init(&w, out);
    w.compact = true;
    json_begin_object(&w);
    json_field_string(&w, "family", family_text[shape->family]);
#define SIZE_WRITE(field, largest) json_field_int(&w, #field, shape->field);
    SHAPE_SIZES(SIZE_WRITE)
    json_key(&w, "bias");
    json_bool(&w, shape->bias);
    json_key(&w, "tied");
    json_bool(&w, shape->tied);
    json_field_exact(&w, "norm_epsilon", shape->norm_epsilon);
    if (shape->family == MODEL_FAMILY_LLAMA)
        json_field_exact(&w, "rope_theta", shape->rope_theta);
    if (r->on) {
        json_key(&w, "rope_scaling");
        json_begin_object(&w);
        json_field_exact(&w, "factor", r->factor);
        json_field_exact(&w, "low_freq_factor", r->low_freq_factor);
        json_field_exact(&w, "high_freq_factor", r->high_freq_factor);
        json_field_int(&w, "original_context", r->original_context);
        json_end(&w);
    }
    json_end(&w);
}

static enum status lacks(struct err *err, const char *field)
{
    return err_set(err, STATUS_INPUT, "the model's description lacks a good \"%s\"",
                   field);
}

static bool read_bool(bool *out, const struct json *j)
{
    *out = json_bool_or(j, false);
    return j && j->kind == JSON_KIND_BOOL;
}

static bool read_positive(double *out, const struct json *j)
{
    *out = json_double_or(j, NAN);
    return isfinite(*out) && *out > 0;
}

static enum status read_rope(struct model_shape *shape, const struct json *j,
                             struct err *err)
{
    struct rope_scaling *r = &shape->rope_scaling;
    const struct json *scaling = json_get(j, "rope_scaling");
    if (!read_positive(&shape->rope_theta, json_get(j, "rope_theta")))
        return lacks(err, "rope_theta");
    if (!scaling)
        return STATUS_OK;
    r->on = true;
    r->original_context = json_int_or(json_get(scaling, "original_context"), 0);
    if (!read_positive(&r->factor, json_get(scaling, "factor")) ||
        !read_positive(&r->low_freq_factor, json_get(scaling, "low_freq_factor")) ||
        !read_positive(&r->high_freq_factor, json_get(scaling, "high_freq_factor")))
        return lacks(err, "rope_scaling");
    return STATUS_OK;
}

enum status shape_read_json(struct model_shape *shape, const struct json *j,
                            struct err *err)
{
    *shape = (struct model_shape){0};
    const char *family = json_string_or(json_get(j, "family"), "");
    int f = 0;
    while (f < FAMILIES && strcmp(family, family_text[f]) != 0)
        f++;
    if (f == FAMILIES)
        return lacks(err, "family");
    shape->family = (enum model_family)f;
#define SIZE_READ(field, largest)                                                        \
    shape->field = json_int_or(json_get(j, #field), -1);                                 \
    if (shape->field < 0)                                                                \
        return lacks(err, #field);
    SHAPE_SIZES(SIZE_READ)
    if (!read_bool(&shape->bias, json_get(j, "bias")))
        return lacks(err, "bias");
    if (!read_bool(&shape->tied, json_get(j, "tied")))
        return lacks(err, "tied");
    if (!read_positive(&shape->norm_epsilon, json_get(j, "norm_epsilon")))
        return lacks(err, "norm_epsilon");
    if (shape->family == MODEL_FAMILY_LLAMA) {
        enum status st = read_rope(shape, j, err);
        if (st)
            return st;
    }
    return shape_check(shape, err);
}

static enum status check_rope(const struct model_shape *s, struct err *err)
{
    const struct rope_scaling *r = &s->rope_scaling;
    if (s->width / s->heads % 2)
        return err_set(err, STATUS_INPUT,
                       "rotary positions need heads of an even width and these have "
                       "%" PRId64 "; use another number of heads",
                       s->width / s->heads);
    if (r->on && (r->original_context <= 0 || r->high_freq_factor <= r->low_freq_factor))
        return err_set(err, STATUS_INPUT,
                       "rope_scaling needs a positive original context and a "
                       "high_freq_factor above its low_freq_factor");
    return STATUS_OK;
}

enum status shape_check(const struct model_shape *s, struct err *err)
{
#define SIZE_CHECK(field, largest)                                                       \
    if (s->field < 1 || s->field > (largest))                                            \
        return err_set(err, STATUS_INPUT,                                                \
                       "a model with %s = %" PRId64 "; allowed: 1 to %d", #field,        \
                       s->field, (largest));
    SHAPE_SIZES(SIZE_CHECK)
    if (s->width % s->heads || s->heads % s->kv_heads)
        return err_set(
            err, STATUS_INPUT,
            "a model of width %" PRId64 " with %" PRId64 " heads and %" PRId64
            " heads of keys and values; heads must divide the width, and those "
            "of keys and values the heads",
            s->width, s->heads, s->kv_heads);
    return s->family == MODEL_FAMILY_LLAMA ? check_rope(s, err) : STATUS_OK;
}

static void differ(struct strbuf *out, size_t start, const char *field, const char *here,
                   const char *file)
{
    strbuf_printf(out, "%s%s %s here, %s in the file", out->len > start ? "; " : "",
                  field, here, file);
}

static void compare_size(struct strbuf *out, size_t start, const char *field,
                         int64_t here, int64_t file)
{
    if (here != file)
        strbuf_printf(out, "%s%s %" PRId64 " here, %" PRId64 " in the file",
                      out->len > start ? "; " : "", field, here, file);
}

static void compare_real(struct strbuf *out, size_t start, const char *field, double here,
                         double file)
{
    if (here != file)
        strbuf_printf(out, "%s%s %.9g here, %.9g in the file",
                      out->len > start ? "; " : "", field, here, file);
}

static const char *truth(bool v)
{
    return v ? "true" : "false";
}

static void compare_rope(struct strbuf *out, size_t start, const struct model_shape *here,
                         const struct model_shape *file)
{
    const struct rope_scaling *a = &here->rope_scaling, *b = &file->rope_scaling;
    compare_real(out, start, "rope_theta", here->rope_theta, file->rope_theta);
    if (a->on != b->on)
        differ(out, start, "rope_scaling", a->on ? "llama3" : "none",
               b->on ? "llama3" : "none");
    if (!a->on || !b->on)
        return;
    compare_real(out, start, "rope_factor", a->factor, b->factor);
    compare_real(out, start, "rope_low_freq_factor", a->low_freq_factor,
                 b->low_freq_factor);
    compare_real(out, start, "rope_high_freq_factor", a->high_freq_factor,
                 b->high_freq_factor);
    compare_size(out, start, "rope_original_context", a->original_context,
                 b->original_context);
}

bool shape_differences(struct strbuf *out, const struct model_shape *here,
                       const struct model_shape *file)
{
    size_t start = out->len;
    if (here->family != file->family)
        differ(out, start, "model", family_text[here->family], family_text[file->family]);
#define SIZE_COMPARE(field, largest)                                                     \
    compare_size(out, start, #field, here->field, file->field);
    SHAPE_SIZES(SIZE_COMPARE)
    if (here->bias != file->bias)
        differ(out, start, "bias", truth(here->bias), truth(file->bias));
    if (here->tied != file->tied)
        differ(out, start, "tied_head", truth(here->tied), truth(file->tied));
    compare_real(out, start, "norm_epsilon", here->norm_epsilon, file->norm_epsilon);
    if (here->family == MODEL_FAMILY_LLAMA && file->family == MODEL_FAMILY_LLAMA)
        compare_rope(out, start, here, file);
    return out->len > start;
}
