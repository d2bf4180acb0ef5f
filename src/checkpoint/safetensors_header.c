/*
 * Reads a header's text into tensors and metadata; safetensors_check() then holds them
 * against each other. The text takes every form that the library takes: an entry may be
 * an object, whose other fields are skipped, or the array [dtype, shape, data_offsets];
 * a dtype may be "F32" or {"F32":null}.
 */
#include "base/mem.h"
#include "checkpoint/header_json.h"
#include "checkpoint/safetensors.h"

#include <stdlib.h>
#include <string.h>

#define DTYPE_TEXT(name, bits) #name,
#define DTYPE_BITS(name, bits) bits,
const char *const safetensors_dtype_text[SAFETENSORS_DTYPE_COUNT] = {
    SAFETENSORS_DTYPE_LIST(DTYPE_TEXT)};
const unsigned safetensors_dtype_bits[SAFETENSORS_DTYPE_COUNT] = {
    SAFETENSORS_DTYPE_LIST(DTYPE_BITS)};

enum { ENTRY_DEPTH = 2 }; /* of a tensor's entry in the header */

static bool text_equal(const char *s, size_t len, const char *z)
{
    return len == strlen(z) && !memcmp(s, z, len);
}

static enum status read_dtype(struct header_json *j, struct safetensor *t,
                              struct err *err)
{
    const char *s;
    size_t len;
    bool wrapped = header_json_take(j, '{');
    enum status st = (wrapped ? header_json_key : header_json_string)(j, &s, &len, err);
    if (!st && wrapped)
        st = header_json_null(j, err);
    if (!st && wrapped)
        st = header_json_expect(j, '}', err);
    if (st)
        return st;
    for (int i = 0; i < SAFETENSORS_DTYPE_COUNT; i++)
        if (text_equal(s, len, safetensors_dtype_text[i])) {
            t->dtype = (enum safetensors_dtype)i;
            return STATUS_OK;
        }
    return header_json_fail(j->at, "a dtype that is not known here", err);
}

static enum status read_shape(struct header_json *j, struct safetensors_header *h,
                              struct safetensor *t, struct err *err)
{
    enum status st = header_json_expect(j, '[', err);
    if (st || header_json_take(j, ']'))
        return st;
    do {
        vec_grow(h->dim, h->cap_dims, h->dims + 1);
        st = header_json_uint(j, &h->dim[h->dims], err);
        if (st)
            return st;
        h->dims++;
        t->dims++;
    } while (header_json_take(j, ','));
    return header_json_expect(j, ']', err);
}

static enum status read_offsets(struct header_json *j, struct safetensor *t,
                                struct err *err)
{
    enum status st = header_json_expect(j, '[', err);
    if (!st)
        st = header_json_uint(j, &t->begin, err);
    if (!st)
        st = header_json_expect(j, ',', err);
    if (!st)
        st = header_json_uint(j, &t->end, err);
    return st ? st : header_json_expect(j, ']', err);
}

enum field { FIELD_DTYPE, FIELD_SHAPE, FIELD_OFFSETS, FIELD_COUNT };
static const char *const field_text[FIELD_COUNT] = {"dtype", "shape", "data_offsets"};

static enum status read_value(struct header_json *j, struct safetensors_header *h,
                              struct safetensor *t, enum field f, struct err *err)
{
    switch (f) {
    case FIELD_DTYPE:
        return read_dtype(j, t, err);
    case FIELD_SHAPE:
        return read_shape(j, h, t, err);
    default:
        return read_offsets(j, t, err);
    }
}

static enum status read_field(struct header_json *j, struct safetensors_header *h,
                              struct safetensor *t, unsigned *seen, struct err *err)
{
    const char *key;
    size_t len;
    enum status st = header_json_key(j, &key, &len, err);
    if (st)
        return st;
    unsigned f = 0;
    while (f < FIELD_COUNT && !text_equal(key, len, field_text[f]))
        f++;
    if (f == FIELD_COUNT)
        return header_json_skip(j, ENTRY_DEPTH, err);
    if (*seen & 1u << f)
        return header_json_fail(j->at, "an entry has a field twice", err);
    *seen |= 1u << f;
    return read_value(j, h, t, (enum field)f, err);
}

static enum status read_object(struct header_json *j, struct safetensors_header *h,
                               struct safetensor *t, struct err *err)
{
    unsigned seen = 0;
    if (!header_json_take(j, '}')) {
        enum status st;
        do {
            st = read_field(j, h, t, &seen, err);
            if (st)
                return st;
        } while (header_json_take(j, ','));
        st = header_json_expect(j, '}', err);
        if (st)
            return st;
    }
    if (seen == (1u << FIELD_COUNT) - 1)
        return STATUS_OK;
    return header_json_fail(j->at, "an entry lacks dtype, shape or data_offsets", err);
}

static enum status read_array(struct header_json *j, struct safetensors_header *h,
                              struct safetensor *t, struct err *err)
{
    for (int f = 0; f < FIELD_COUNT; f++) {
        enum status st = f ? header_json_expect(j, ',', err) : STATUS_OK;
        if (!st)
            st = read_value(j, h, t, (enum field)f, err);
        if (st)
            return st;
    }
    return header_json_expect(j, ']', err);
}

static enum status read_tensor(struct header_json *j, struct safetensors_header *h,
                               const char *name, size_t name_len, struct err *err)
{
    struct safetensor t = {.name = name, .name_len = name_len};
    enum status st;
    if (header_json_take(j, '['))
        st = read_array(j, h, &t, err);
    else if (header_json_take(j, '{'))
        st = read_object(j, h, &t, err);
    else
        st = header_json_expect(j, '{', err);
    if (st)
        return st;
    vec_grow(h->tensor, h->cap, h->n + 1);
    h->tensor[h->n++] = t;
    return STATUS_OK;
}

static enum status read_metadata(struct header_json *j, struct safetensors_header *h,
                                 struct err *err)
{
    if (header_json_sees(j, 'n'))
        return header_json_null(j, err);
    enum status st = header_json_expect(j, '{', err);
    if (st || header_json_take(j, '}'))
        return st;
    do {
        struct safetensors_pair p;
        st = header_json_key(j, &p.key, &p.key_len, err);
        if (!st)
            st = header_json_string(j, &p.value, &p.value_len, err);
        if (st)
            return st;
        vec_grow(h->metadata, h->cap_pairs, h->pairs + 1);
        h->metadata[h->pairs++] = p;
    } while (header_json_take(j, ','));
    return header_json_expect(j, '}', err);
}

static enum status read_entries(struct header_json *j, struct safetensors_header *h,
                                struct err *err)
{
    bool metadata_seen = false;
    enum status st = header_json_expect(j, '{', err);
    if (st || header_json_take(j, '}'))
        return st;
    do {
        const char *name;
        size_t len;
        st = header_json_key(j, &name, &len, err);
        if (st)
            return st;
        if (!text_equal(name, len, "__metadata__")) {
            st = read_tensor(j, h, name, len, err);
        } else {
            if (metadata_seen)
                return header_json_fail(j->at, "__metadata__ stands there twice", err);
            metadata_seen = true;
            st = read_metadata(j, h, err);
        }
        if (st)
            return st;
    } while (header_json_take(j, ','));
    return header_json_expect(j, '}', err);
}

enum status safetensors_header_read(struct safetensors_header *h, char *json, size_t len,
                                    uint64_t data_bytes, struct err *err)
{
    *h = (struct safetensors_header){.json = json};
    struct header_json j = {.text = json, .len = len};
    enum status st = read_entries(&j, h, err);
    if (!st)
        st = header_json_end(&j, err);
    if (st)
        return st;
    size_t first = 0; /* the dimensions no longer move: point to them */
    for (size_t i = 0; i < h->n; i++) {
        h->tensor[i].shape = h->dim + first;
        first += h->tensor[i].dims;
    }
    return safetensors_check(h, data_bytes, err);
}

void safetensors_header_release(struct safetensors_header *h)
{
    mem_free(h->json);
    mem_free(h->tensor);
    mem_free(h->by_name);
    mem_free(h->dim);
    mem_free(h->metadata);
    *h = (struct safetensors_header){0};
}
