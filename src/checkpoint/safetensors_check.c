/*
 * What must hold between the entries of a header: a name or key that stands there twice
 * means its last one; e >= b and e - b is what the shape takes; ordered by place, the
 * first tensor begins at 0, each at the end of the one before, and the last ends with the
 * data. Zero dimensions and dtypes below a byte are counted as the library counts them.
 */
#include "base/mem.h"
#include "checkpoint/safetensors.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SHOWN_MAX = 80 }; /* bytes of a name in a message */

static enum status tensor_err(const struct safetensor *t, const char *what,
                              struct err *err)
{
    int shown = t->name_len < NAME_SHOWN_MAX ? (int)t->name_len : NAME_SHOWN_MAX;
    return err_set(err, STATUS_INPUT, "tensor \"%.*s\" %s", shown, t->name, what);
}

static int compare_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int c = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return c ? c : (a_len > b_len) - (a_len < b_len);
}

/* Names lie in the header's text, so that of two equal ones the later one is the one
 * behind. */
static int compare_name(const void *a, const void *b)
{
    const struct safetensor *x = a, *y = b;
    int c = compare_text(x->name, x->name_len, y->name, y->name_len);
    return c ? c : (x->name > y->name) - (x->name < y->name);
}

static int compare_key(const void *a, const void *b)
{
    const struct safetensors_pair *x = a, *y = b;
    int c = compare_text(x->key, x->key_len, y->key, y->key_len);
    return c ? c : (x->key > y->key) - (x->key < y->key);
}

static int compare_place(const void *a, const void *b)
{
    const struct safetensor *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return compare_name(a, b);
}

static void keep_last_of_each_key(struct safetensors_header *h)
{
    if (!h->pairs)
        return;
    struct safetensors_pair *p = h->metadata;
    qsort(p, h->pairs, sizeof *p, compare_key);
    size_t last = 0;
    for (size_t i = 1; i < h->pairs; i++) {
        last += compare_text(p[last].key, p[last].key_len, p[i].key, p[i].key_len) != 0;
        p[last] = p[i];
    }
    h->pairs = last + 1;
}

static void keep_last_of_each_name(struct safetensors_header *h)
{
    if (!h->n)
        return;
    struct safetensor *t = h->tensor;
    qsort(t, h->n, sizeof *t, compare_name);
    size_t last = 0;
    for (size_t i = 1; i < h->n; i++) {
        last +=
            compare_text(t[last].name, t[last].name_len, t[i].name, t[i].name_len) != 0;
        t[last] = t[i];
    }
    h->n = last + 1;
}

bool safetensor_size(uint64_t *bytes, enum safetensors_dtype dtype, const uint64_t *shape,
                     size_t dims)
{
    uint64_t bits = 1;
    for (size_t i = 0; i < dims; i++)
        if (__builtin_mul_overflow(bits, shape[i], &bits))
            return false;
    if (__builtin_mul_overflow(bits, safetensors_dtype_bits[dtype], &bits) || bits % 8)
        return false;
    *bytes = bits / 8;
    return true;
}

static enum status check_size(const struct safetensor *t, struct err *err)
{
    uint64_t bytes;
    if (t->end < t->begin)
        return tensor_err(t, "ends before it begins", err);
    if (!safetensor_size(&bytes, t->dtype, t->shape, t->dims))
        return tensor_err(
            t, "has a shape of more than 2^64 bits, or one that ends inside a byte", err);
    if (bytes != t->end - t->begin)
        return tensor_err(t, "has a shape that does not match its data_offsets", err);
    return STATUS_OK;
}

static enum status check_places(const struct safetensors_header *h, uint64_t data_bytes,
                                struct err *err)
{
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

/* Tensors are looked up by name and read by place; while one array is sorted by place,
 * the other finds names in it. */
struct named_place {
    const struct safetensor *tensor;
    size_t place;
};

static int compare_named(const void *a, const void *b)
{
    return compare_name(((const struct named_place *)a)->tensor,
                        ((const struct named_place *)b)->tensor);
}

static void index_names(struct safetensors_header *h)
{
    struct named_place *named = mem_zalloc(h->n, sizeof *named);
    for (size_t i = 0; i < h->n; i++)
        named[i] = (struct named_place){&h->tensor[i], i};
    if (h->n)
        qsort(named, h->n, sizeof *named, compare_named);
    h->by_name = mem_zalloc(h->n, sizeof *h->by_name);
    for (size_t i = 0; i < h->n; i++)
        h->by_name[i] = named[i].place;
    mem_free(named);
}

enum status safetensors_check(struct safetensors_header *h, uint64_t data_bytes,
                              struct err *err)
{
    enum status st = STATUS_OK;
    keep_last_of_each_key(h);
    keep_last_of_each_name(h);
    for (size_t i = 0; !st && i < h->n; i++)
        st = check_size(&h->tensor[i], err);
    if (st)
        return st;
    if (h->n)
        qsort(h->tensor, h->n, sizeof *h->tensor, compare_place);
    index_names(h);
    return check_places(h, data_bytes, err);
}

const struct safetensor *safetensors_find(const struct safetensors_header *h,
                                          const char *name)
{
    size_t len = strlen(name), low = 0, high = h->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct safetensor *t = &h->tensor[h->by_name[middle]];
        int c = compare_text(name, len, t->name, t->name_len);
        if (!c)
            return t;
        if (c < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *safetensors_metadata(const struct safetensors_header *h, const char *key)
{
    size_t len = strlen(key), low = 0, high = h->pairs;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct safetensors_pair *p = &h->metadata[middle];
        int c = compare_text(key, len, p->key, p->key_len);
        if (!c)
            return p->value;
        if (c < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
