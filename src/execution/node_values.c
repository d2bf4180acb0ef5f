/* The tensors and the other values of a node. */
#include "execution/node_parts.h"

#include "base/mem.h"
#include "base/strbuf.h"

#include <stdio.h>
#include <string.h>

enum { ITEM_BYTES_MAX = 16, TENSOR_MEMBERS = 6, LIST_DEPTH_MAX = 4 };
enum { DIMS_MAX = 64 }; /* as PyTorch has it */
enum { TENSORS_OF_A_NODE_MAX = 1 << 20 };

static enum status wrong(const struct node *x, const char *what, struct err *err)
{
    return err_set(err, STATUS_INPUT,
                   "node %lld %s; is it an execution trace of another version?",
                   (long long)x->id, what);
}

/* --- what it was given beside tensors --- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * UINT64_C(0xff51afd7ed558ccd);
    return a ^ (a >> 32);
}

static uint64_t hash_text(uint64_t hash, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = mix(hash, (unsigned char)text[i]);
    return hash;
}

static uint64_t hash_value(uint64_t hash, const struct json *j)
{
    hash = mix(hash, (uint64_t)j->kind * 2 + j->truth);
    if (j->kind == JSON_KIND_STRING || j->kind == JSON_KIND_NUMBER)
        hash = hash_text(hash, j->text, j->len);
    for (const struct json *k = j->child; k; k = k->next)
        hash = hash_value(hash, k);
    return mix(hash, j->n);
}

/* --- tensors --- */

/* C++'s names of types, as PyTorch calls them. Sizes in bits stand first in them. */
static name_id dtype_of(struct node_table *t, const char *type, int64_t item_bytes)
{
    static const struct {
        const char *cpp, *name;
    } types[] = {{"float", "float32"},       {"double", "float64"},
                 {"c10::Half", "float16"},   {"c10::BFloat16", "bfloat16"},
                 {"long int", "int64"},      {"long", "int64"},
                 {"int", "int32"},           {"short int", "int16"},
                 {"short", "int16"},         {"signed char", "int8"},
                 {"unsigned char", "uint8"}, {"bool", "bool"}};
    char other[32];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i].cpp))
            return names_add_z(&t->run->names, types[i].name);
    snprintf(other, sizeof other, "bits%lld", (long long)(8 * item_bytes));
    return names_add_z(&t->run->names, other);
}

static enum status sizes_text(name_id *id, struct node_table *t, const struct json *sizes,
                              struct err *err)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_puts(&text, "[");
    for (const struct json *j = sizes ? sizes->child : NULL; j; j = j->next)
        strbuf_printf(&text, "%s%lld", j == sizes->child ? "" : ", ",
                      (long long)json_int_or(j, 0));
    strbuf_puts(&text, "]");
    enum status st = node_table_name(id, t, text.s, text.len, err);
    strbuf_release(&text);
    return st;
}

/* Behind the last byte that it sees; saturates, as sizes may be anything. */
static int64_t bytes_until(int64_t offset, int64_t item_bytes, const struct json *sizes,
                           const struct json *strides)
{
    int64_t last = offset, step;
    const struct json *stride = strides ? strides->child : NULL;
    for (const struct json *j = sizes ? sizes->child : NULL; j; j = j->next) {
        int64_t size = json_int_or(j, 0);
        if (size < 0 || json_int_or(stride, 0) < 0)
            return 0;
        if (size && (__builtin_mul_overflow(size - 1, json_int_or(stride, 0), &step) ||
                     __builtin_add_overflow(last, step, &last)))
            return INT64_MAX;
        stride = stride ? stride->next : NULL;
    }
    if (__builtin_add_overflow(last, 1, &last) ||
        __builtin_mul_overflow(last, item_bytes, &last))
        return INT64_MAX;
    return last;
}

/* Values, shapes, types and strides of a side go side by side. */
struct side {
    const struct json *value, *shape, *stride;
    const char *type;
    bool result;
    int argument;
};

/* "Tensor(long int)" without its brackets; false: that is none. */
static bool tensor_type(const char *type, char *of, size_t size)
{
    static const char begin[] = "Tensor(";
    size_t len = strlen(type);
    if (strncmp(type, begin, strlen(begin)) != 0 || type[len - 1] != ')')
        return false;
    snprintf(of, size, "%.*s", (int)(len - strlen(begin) - 1), type + strlen(begin));
    return true;
}

/* [tensor, storage, offset, elements, bytes of one, device] */
static enum status add_tensor(struct node_table *t, struct node *x, const struct side *s,
                              struct err *err)
{
    int64_t member[TENSOR_MEMBERS] = {0};
    char type[64];
    size_t n = 0;
    if (!tensor_type(s->type, type, sizeof type) || s->value->kind != JSON_KIND_ARRAY ||
        s->value->n != TENSOR_MEMBERS)
        return wrong(x, "has a tensor without its six numbers", err);
    for (const struct json *j = s->value->child; j && n < TENSOR_MEMBERS - 1; j = j->next)
        if ((member[n++] = json_int_or(j, -1)) < 0)
            return wrong(x, "has a tensor with a number below zero", err);
    int64_t storage = member[1], elements = member[3], item_bytes = member[4];
    if (item_bytes > ITEM_BYTES_MAX)
        return wrong(x, "has a tensor whose elements are too large", err);
    if (strstr(type, "nullptr") || (storage && !elements))
        return STATUS_OK; /* not given, or empty: empty ones share an address */
    if (x->tensors == TENSORS_OF_A_NODE_MAX)
        return wrong(x, "has too many tensors", err);
    if ((s->shape && s->shape->n > DIMS_MAX) || (s->stride && s->stride->n > DIMS_MAX))
        return wrong(x, "has a tensor with too many dimensions", err);
    struct node_tensor row = {
        .storage = storage,
        .offset = member[2],
        .bytes_until = bytes_until(member[2], item_bytes, s->shape, s->stride),
        .dtype = dtype_of(t, type, item_bytes),
        .argument = (int16_t)s->argument,
        .result = s->result,
        .number = elements == 1 && s->shape && !s->shape->n &&
                  (!strcmp(type, "double") || !strcmp(type, "long int"))};
    enum status st = sizes_text(&row.shape, t, s->shape, err);
    if (!st)
        st = sizes_text(&row.strides, t, s->stride, err);
    if (st)
        return st;
    vec_grow(t->tensor, t->cap_tensors, t->tensors + 1);
    t->tensor[t->tensors++] = row;
    x->tensors++;
    return STATUS_OK;
}

/* The type of an element of "GenericList[A,B]"; at is moved behind it. */
static void next_type(const char **at, char *type, size_t size)
{
    int depth = 0;
    const char *from = *at;
    for (; **at; ++*at) {
        if (!depth && (**at == ',' || **at == ']'))
            break;
        depth += **at == '[' || **at == '(';
        depth -= **at == ']' || **at == ')';
    }
    snprintf(type, size, "%.*s", (int)(*at - from), from);
    *at += **at == ',';
}

static enum status add_value(struct node_table *t, struct node *x, const struct side *s,
                             int depth, struct err *err)
{
    static const char list[] = "GenericList[";
    char type[128];
    if (!strncmp(s->type, "Tensor(", strlen("Tensor(")))
        return add_tensor(t, x, s, err);
    if (strncmp(s->type, list, strlen(list)) != 0 || !strstr(s->type, "Tensor(") ||
        depth == LIST_DEPTH_MAX || s->value->kind != JSON_KIND_ARRAY) {
        if (!s->result)
            x->scalars = (int64_t)hash_value(
                mix((uint64_t)x->scalars, (uint64_t)s->argument), s->value);
        return STATUS_OK;
    }
    const char *at = s->type + strlen(list);
    struct side one = *s;
    one.shape = s->shape ? s->shape->child : NULL;
    one.stride = s->stride ? s->stride->child : NULL;
    for (one.value = s->value->child; one.value; one.value = one.value->next) {
        next_type(&at, type, sizeof type);
        one.type = type;
        enum status st = add_value(t, x, &one, depth + 1, err);
        if (st)
            return st;
        one.shape = one.shape ? one.shape->next : NULL;
        one.stride = one.stride ? one.stride->next : NULL;
    }
    return STATUS_OK;
}

const struct json *node_list(const struct json *side, const char *key)
{
    const struct json *j = json_get(side, key);
    return j && j->kind == JSON_KIND_ARRAY ? j->child : NULL;
}

enum status node_add_side(struct node_table *t, struct node *x, const struct json *json,
                          bool result, struct err *err)
{
    const struct json *type = node_list(json, "types");
    struct side s = {.value = node_list(json, "values"),
                     .shape = node_list(json, "shapes"),
                     .stride = node_list(json, "strides"),
                     .result = result};
    for (; s.value; s.value = s.value->next) {
        if (!type || s.argument == INT16_MAX)
            return wrong(x, "has values without types", err);
        s.type = json_string_or(type, "");
        enum status st = add_value(t, x, &s, 0, err);
        if (st)
            return st;
        type = type->next;
        s.shape = s.shape ? s.shape->next : NULL;
        s.stride = s.stride ? s.stride->next : NULL;
        s.argument++;
    }
    return STATUS_OK;
}
