/*
 * Reads a header. First the text becomes tensors and metadata, then header_check() holds
 * them against each other and the size of the data; only a header that passes is usable.
 */
#include "base/mem.h"
#include "checkpoint/header_json.h"
#include "checkpoint/safetensors.h"

#include <stdlib.h>
#include <string.h>

#define DTYPE_TEXT(name, bytes) #name,
#define DTYPE_BYTES(name, bytes) bytes,
const char *const safetensors_dtype_text[SAFETENSORS_DTYPE_COUNT] = {
    SAFETENSORS_DTYPE_LIST(DTYPE_TEXT)};
const size_t safetensors_dtype_bytes[SAFETENSORS_DTYPE_COUNT] = {
    SAFETENSORS_DTYPE_LIST(DTYPE_BYTES)};

enum { NAME_SHOWN_MAX = 80 }; /* bytes of a name in a message */

static int shown(size_t len)
{
    return len < NAME_SHOWN_MAX ? (int)len : NAME_SHOWN_MAX;
}

static enum status tensor_err(const struct safetensor *t, const char *what,
                              struct err *err)
{
    return err_set(err, STATUS_INPUT, "tensor \"%.*s\" %s", shown(t->name_len), t->name,
                   what);
}

static bool text_equal(const char *s, size_t len, const char *z)
{
    return len == strlen(z) && !memcmp(s, z, len);
}

static enum status read_dtype(struct header_json *j, struct safetensor *t,
                              struct err *err)
{
    const char *s;
    size_t len;
    enum status st = header_json_string(j, &s, &len, err);
    if (st)
        return st;
    for (int i = 0; i < SAFETENSORS_DTYPE_COUNT; i++)
        if (text_equal(s, len, safetensors_dtype_text[i])) {
            t->dtype = (enum safetensors_dtype)i;
            return STATUS_OK;
        }
    return tensor_err(t, "has a dtype that is not known here", err);
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

static enum status read_field(struct header_json *j, struct safetensors_header *h,
                              struct safetensor *t, unsigned *seen, struct err *err)
{
    const char *key;
    size_t len;
    enum status st = header_json_string(j, &key, &len, err);
    if (!st)
        st = header_json_expect(j, ':', err);
    if (st)
        return st;
    unsigned f = 0;
    while (f < FIELD_COUNT && !text_equal(key, len, field_text[f]))
        f++;
    if (f == FIELD_COUNT)
        return tensor_err(t, "has a field other than dtype, shape and data_offsets", err);
    if (*seen & 1u << f)
        return tensor_err(t, "has a field twice", err);
    *seen |= 1u << f;
    switch ((enum field)f) {
    case FIELD_DTYPE:
        return read_dtype(j, t, err);
    case FIELD_SHAPE:
        return read_shape(j, h, t, err);
    default:
        return read_offsets(j, t, err);
    }
}

static enum status read_tensor(struct header_json *j, struct safetensors_header *h,
                               const char *name, size_t name_len, struct err *err)
{
    struct safetensor t = {.name = name, .name_len = name_len};
    unsigned seen = 0;
    enum status st = header_json_expect(j, '{', err);
    if (st)
        return st;
    if (!header_json_take(j, '}')) {
        do {
            st = read_field(j, h, &t, &seen, err);
            if (st)
                return st;
        } while (header_json_take(j, ','));
        st = header_json_expect(j, '}', err);
        if (st)
            return st;
    }
    if (seen != (1u << FIELD_COUNT) - 1)
        return tensor_err(&t, "lacks dtype, shape or data_offsets", err);
    vec_grow(h->tensor, h->cap, h->n + 1);
    h->tensor[h->n++] = t;
    return STATUS_OK;
}

static enum status read_metadata(struct header_json *j, struct safetensors_header *h,
                                 struct err *err)
{
    enum status st = header_json_expect(j, '{', err);
    if (st || header_json_take(j, '}'))
        return st;
    do {
        struct safetensors_pair p;
        st = header_json_string(j, &p.key, &p.key_len, err);
        if (!st)
            st = header_json_expect(j, ':', err);
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
        st = header_json_string(j, &name, &len, err);
        if (!st)
            st = header_json_expect(j, ':', err);
        if (st)
            return st;
        if (!text_equal(name, len, "__metadata__")) {
            st = read_tensor(j, h, name, len, err);
        } else {
            if (metadata_seen)
                return err_set(err, STATUS_INPUT, "__metadata__ stands there twice");
            metadata_seen = true;
            st = read_metadata(j, h, err);
        }
        if (st)
            return st;
    } while (header_json_take(j, ','));
    return header_json_expect(j, '}', err);
}

static int compare_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int c = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return c ? c : (a_len > b_len) - (a_len < b_len);
}

static int compare_name(const void *a, const void *b)
{
    const struct safetensor *x = a, *y = b;
    return compare_text(x->name, x->name_len, y->name, y->name_len);
}

static int compare_key(const void *a, const void *b)
{
    const struct safetensors_pair *x = a, *y = b;
    return compare_text(x->key, x->key_len, y->key, y->key_len);
}

static int compare_place(const void *a, const void *b)
{
    const struct safetensor *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static enum status check_distinct(struct safetensors_header *h, struct err *err)
{
    if (h->pairs)
        qsort(h->metadata, h->pairs, sizeof *h->metadata, compare_key);
    for (size_t i = 1; i < h->pairs; i++)
        if (!compare_key(&h->metadata[i - 1], &h->metadata[i]))
            return err_set(err, STATUS_INPUT, "the metadata has the key \"%.*s\" twice",
                           shown(h->metadata[i].key_len), h->metadata[i].key);
    if (h->n)
        qsort(h->tensor, h->n, sizeof *h->tensor, compare_name);
    for (size_t i = 1; i < h->n; i++)
        if (!compare_name(&h->tensor[i - 1], &h->tensor[i]))
            return tensor_err(&h->tensor[i], "stands there twice", err);
    return STATUS_OK;
}

static enum status check_size(const struct safetensor *t, struct err *err)
{
    uint64_t bytes;
    if (t->end < t->begin)
        return tensor_err(t, "ends before it begins", err);
    if (!safetensor_size(&bytes, t->dtype, t->shape, t->dims))
        return tensor_err(t, "has a shape of more than 2^64 bytes", err);
    if (bytes != t->end - t->begin)
        return tensor_err(t, "has a shape that does not match its data_offsets", err);
    return STATUS_OK;
}

/* Names and keys are distinct; each tensor is as large as its shape; the tensors fill the
 * data from its first to its last byte without gap or overlap. */
static enum status header_check(struct safetensors_header *h, uint64_t data_bytes,
                                struct err *err)
{
    enum status st = check_distinct(h, err);
    for (size_t i = 0; !st && i < h->n; i++)
        st = check_size(&h->tensor[i], err);
    if (st)
        return st;
    if (h->n)
        qsort(h->tensor, h->n, sizeof *h->tensor, compare_place);
    uint64_t end = 0;
    for (size_t i = 0; i < h->n; i++) {
        if (h->tensor[i].begin != end)
            return tensor_err(&h->tensor[i],
                              h->tensor[i].begin > end ? "begins after a gap in the data"
                                                       : "overlaps the tensor before it",
                              err);
        end = h->tensor[i].end;
    }
    if (end == data_bytes)
        return STATUS_OK;
    return err_set(err, STATUS_INPUT,
                   "the tensors take %llu bytes and the file holds %llu of data",
                   (unsigned long long)end, (unsigned long long)data_bytes);
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
    return header_check(h, data_bytes, err);
}

void safetensors_header_release(struct safetensors_header *h)
{
    mem_free(h->json);
    mem_free(h->tensor);
    mem_free(h->dim);
    mem_free(h->metadata);
    *h = (struct safetensors_header){0};
}

const struct safetensor *safetensors_find(const struct safetensors_header *h,
                                          const char *name)
{
    for (size_t i = 0; i < h->n; i++)
        if (text_equal(h->tensor[i].name, h->tensor[i].name_len, name))
            return &h->tensor[i];
    return NULL;
}

const char *safetensors_metadata(const struct safetensors_header *h, const char *key)
{
    for (size_t i = 0; i < h->pairs; i++)
        if (text_equal(h->metadata[i].key, h->metadata[i].key_len, key))
            return h->metadata[i].value;
    return NULL;
}

bool safetensor_size(uint64_t *bytes, enum safetensors_dtype dtype, const uint64_t *shape,
                     size_t dims)
{
    *bytes = 1;
    for (size_t i = 0; i < dims; i++)
        if (__builtin_mul_overflow(*bytes, shape[i], bytes))
            return false;
    return !__builtin_mul_overflow(*bytes, safetensors_dtype_bytes[dtype], bytes);
}
