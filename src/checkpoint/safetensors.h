/*
 * safetensors files: u64 little-endian header length, a JSON header, the tensors' bytes.
 *
 * The writer is canonical (metadata first, tensors by dtype then name, padded to 8) and
 * atomic: a temporary name, fsync, rename, fsync of the folder. The reader takes any
 * valid file and rejects everything else before a byte of tensor data is used: see
 * header_check() in safetensors_header.c for the list.
 */
#ifndef GAIT_CHECKPOINT_SAFETENSORS_H
#define GAIT_CHECKPOINT_SAFETENSORS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* D(NAME, bytes an element), ascending: files hold larger ones first. */
#define SAFETENSORS_DTYPE_LIST(D)                                                        \
    D(BOOL, 1)                                                                           \
    D(U8, 1)                                                                             \
    D(I8, 1)                                                                             \
    D(I16, 2)                                                                            \
    D(U16, 2)                                                                            \
    D(F16, 2)                                                                            \
    D(BF16, 2)                                                                           \
    D(I32, 4)                                                                            \
    D(U32, 4)                                                                            \
    D(F32, 4)                                                                            \
    D(F64, 8)                                                                            \
    D(I64, 8)                                                                            \
    D(U64, 8)

enum safetensors_dtype {
#define SAFETENSORS_DTYPE_VALUE(name, bytes) SAFETENSORS_DTYPE_##name,
    SAFETENSORS_DTYPE_LIST(SAFETENSORS_DTYPE_VALUE) SAFETENSORS_DTYPE_COUNT
};

extern const char *const safetensors_dtype_text[SAFETENSORS_DTYPE_COUNT];
extern const size_t safetensors_dtype_bytes[SAFETENSORS_DTYPE_COUNT];

#define SAFETENSORS_HEADER_MAX_BYTES ((uint64_t)100000000)

struct safetensor {
    const char *name;
    size_t name_len;
    enum safetensors_dtype dtype;
    const uint64_t *shape; /* (dims) */
    size_t dims;
    uint64_t begin, end; /* in the data part */
    const void *data;    /* writing: end - begin bytes; reading: NULL */
};

struct safetensors_pair {
    const char *key;
    size_t key_len;
    const char *value;
    size_t value_len;
};

/* What a header says. All of it lives until safetensors_header_release(). */
struct safetensors_header {
    char *json;                /* strings are decoded in place and NUL-terminated */
    struct safetensor *tensor; /* (n) by begin */
    size_t n, cap;
    uint64_t *dim; /* (dims) of all tensors' shapes */
    size_t dims, cap_dims;
    struct safetensors_pair *metadata; /* (pairs) by key */
    size_t pairs, cap_pairs;
};

/* Read and check a header json[0..len] (a NUL stands behind it) for a file with
 * data_bytes of data. json is from mem_alloc() and is owned by *h from here on;
 * err->offset is a byte of it. On OK and on failure alike, release *h. */
enum status safetensors_header_read(struct safetensors_header *h, char *json, size_t len,
                                    uint64_t data_bytes, struct err *err);
void safetensors_header_release(struct safetensors_header *h);
/* NULL where there is none. */
const struct safetensor *safetensors_find(const struct safetensors_header *h,
                                          const char *name);
const char *safetensors_metadata(const struct safetensors_header *h, const char *key);

/* Bytes of a tensor of this shape; false where it overflows. */
bool safetensor_size(uint64_t *bytes, enum safetensors_dtype dtype, const uint64_t *shape,
                     size_t dims);

struct safetensors_file {
    struct safetensors_header header;
    int fd;
    uint64_t data_begin; /* of the data part, in the file */
};

/* On OK the caller calls safetensors_close(); errors name the path. */
enum status safetensors_open(struct safetensors_file *f, const char *path,
                             struct err *err);
void safetensors_close(struct safetensors_file *f);
/* Read all of a tensor's bytes into dst, which has room for end - begin. */
enum status safetensors_load(const struct safetensors_file *f, const struct safetensor *t,
                             void *dst, struct err *err);

/* Write n tensors: given name (distinct, NUL-terminated UTF-8, else a bug), dtype, shape
 * and data; they are sorted and the rest is filled in here. metadata may be NULL with
 * pairs = 0. A reader of path sees the old file or the new one, never a part. */
enum status safetensors_write(const char *path, struct safetensor *tensor, size_t n,
                              const struct safetensors_pair *metadata, size_t pairs,
                              struct err *err);

#endif
