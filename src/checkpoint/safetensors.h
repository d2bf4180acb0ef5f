/*
 * safetensors files: u64 little-endian header length, a JSON header, the tensors' bytes.
 *
 * The reader takes and refuses what the safetensors library of Hugging Face takes and
 * refuses (tests/oracle/safetensors_agree.py compares them file by file), and does so
 * before a byte of tensor data is used: see safetensors_check.c for the list. The writer
 * is canonical: metadata first, tensors by dtype then name, the header padded to 8.
 *
 * Tensors are streamed: neither side holds more than a part of one in memory.
 */
#ifndef GAIT_CHECKPOINT_SAFETENSORS_H
#define GAIT_CHECKPOINT_SAFETENSORS_H

#include "base/status.h"
#include "base/content_hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* D(NAME, bits an element), in the library's order: files hold later ones first. */
#define SAFETENSORS_DTYPE_LIST(D)                                                        \
    D(BOOL, 8)                                                                           \
    D(F4, 4)                                                                             \
    D(F6_E2M3, 6)                                                                        \
    D(F6_E3M2, 6)                                                                        \
    D(U8, 8)                                                                             \
    D(I8, 8)                                                                             \
    D(F8_E5M2, 8)                                                                        \
    D(F8_E4M3, 8)                                                                        \
    D(F8_E8M0, 8)                                                                        \
    D(F8_E4M3FNUZ, 8)                                                                    \
    D(F8_E5M2FNUZ, 8)                                                                    \
    D(I16, 16)                                                                           \
    D(U16, 16)                                                                           \
    D(F16, 16)                                                                           \
    D(BF16, 16)                                                                          \
    D(I32, 32)                                                                           \
    D(U32, 32)                                                                           \
    D(F32, 32)                                                                           \
    D(C64, 64)                                                                           \
    D(F64, 64)                                                                           \
    D(I64, 64)                                                                           \
    D(U64, 64)

enum safetensors_dtype {
#define SAFETENSORS_DTYPE_VALUE(name, bits) SAFETENSORS_DTYPE_##name,
    SAFETENSORS_DTYPE_LIST(SAFETENSORS_DTYPE_VALUE) SAFETENSORS_DTYPE_COUNT
};

extern const char *const safetensors_dtype_text[SAFETENSORS_DTYPE_COUNT];
extern const unsigned safetensors_dtype_bits[SAFETENSORS_DTYPE_COUNT];

#define SAFETENSORS_HEADER_MAX_BYTES ((uint64_t)100000000)

struct safetensor {
    const char *name;
    size_t name_len;
    enum safetensors_dtype dtype;
    const uint64_t *shape; /* (dims) */
    size_t dims;
    uint64_t begin, end; /* in the data part */
    /* Writing: put bytes [first, first + n) of the tensor into out. */
    enum status (*get)(const struct safetensor *t, uint64_t first, size_t n, void *out,
                       struct err *err);
    const void *owner; /* for get */
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
    size_t *by_name; /* (n) places in tensor, by name */
    uint64_t *dim;   /* (dims) of all tensors' shapes */
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

/* Bytes of a tensor of this shape; false where it overflows or ends inside a byte. */
bool safetensor_size(uint64_t *bytes, enum safetensors_dtype dtype, const uint64_t *shape,
                     size_t dims);
/* Names and keys are distinct, each tensor is as large as its shape, and the tensors fill
 * the data. Called by safetensors_header_read(). */
enum status safetensors_check(struct safetensors_header *h, uint64_t data_bytes,
                              struct err *err);

struct safetensors_file {
    struct safetensors_header header;
    char *path;
    int fd;
    uint64_t data_begin;           /* of the data part, in the file */
    struct content_hash_text hash; /* of everything before it */
};

/* On OK the caller calls safetensors_close(); errors name the path. */
enum status safetensors_open(struct safetensors_file *f, const char *path,
                             struct err *err);
void safetensors_close(struct safetensors_file *f);
/* Read bytes [first, first + n) of a tensor into dst. */
enum status safetensors_load(const struct safetensors_file *f, const struct safetensor *t,
                             uint64_t first, size_t n, void *dst, struct err *err);

/* The metadata key that holds the hash of a tensor's bytes. */
#define SAFETENSORS_HASH_KEY "xxh3."

struct safetensors_content {
    /* (n) given name (distinct, NUL-terminated UTF-8, else a bug), dtype, shape and get;
     * safetensors_write() sorts them and fills in the rest. */
    struct safetensor *tensor;
    size_t n;
    const struct safetensors_pair *metadata; /* (pairs) NUL-terminated key and value */
    size_t pairs;
    bool hashed;                   /* add a hash of each tensor to the metadata */
    struct content_hash_text hash; /* out: of everything before the data */
};

/* Write a new file and fsync it; one that is there, or a link, is refused: write into a
 * temporary folder, or under a temporary name (durable.h). On failure it is removed. */
enum status safetensors_write(const char *path, struct safetensors_content *c,
                              struct err *err);
/* The same into a file that is open and empty, which stays open; path is for errors. */
enum status safetensors_write_fd(int fd, const char *path, struct safetensors_content *c,
                                 struct err *err);
/* A get for tensors whose owner is their bytes in memory. */
enum status safetensor_get_memory(const struct safetensor *t, uint64_t first, size_t n,
                                  void *out, struct err *err);

#endif
