/*
 * XXH3-128 over bytes that come in parts: tells whether what was written is what is read.
 * It finds accidents (a disk, a cut copy), not a forger.
 */
#ifndef GAIT_BASE_CONTENT_HASH_H
#define GAIT_BASE_CONTENT_HASH_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { CONTENT_HASH_DIGITS = 32 };

/* A hash as text: hexadecimal digits, most significant first, as xxhsum prints it. */
struct content_hash_text {
    char s[CONTENT_HASH_DIGITS + 1];
};

struct content_hash;

struct content_hash *content_hash_new(void); /* the caller calls content_hash_free() */
void content_hash_free(struct content_hash *h);
void content_hash_reset(struct content_hash *h); /* to no bytes at all */
void content_hash_add(struct content_hash *h, const void *bytes, size_t n);
struct content_hash_text content_hash_text(const struct content_hash *h);

/* Of bytes that are all there. */
struct content_hash_text content_hash_of(const void *bytes, size_t n);
/* Of a whole file, read in parts. */
enum status content_hash_file(struct content_hash_text *out, const char *path,
                              struct err *err);

/* A JSON text that ends with its own hash, CONTENT_HASH_SEAL: CONTENT_HASH_UNSEALED, is
 * sealed by putting the hash of all of it, those zeros included, in their place. */
#define CONTENT_HASH_SEAL "xxh3"
#define CONTENT_HASH_UNSEALED "00000000000000000000000000000000"
void content_hash_seal(char *text, size_t len);
/* Is the text what was sealed? It is the same afterwards. */
bool content_hash_is_sealed(char *text, size_t len);

#endif
