/* SHA-256 (FIPS 180-4): the fingerprint by which a content policy names a script, and a
 * bundle its files. */
#ifndef GAIT_BASE_SHA256_H
#define GAIT_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BASE64_LEN = 44, SHA256_HEX_LEN = 2 * SHA256_BYTES };

struct sha256 {
    uint8_t bytes[SHA256_BYTES];
};

struct sha256_text {
    char s[SHA256_BASE64_LEN + 1];
};

struct sha256_hex_text {
    char s[SHA256_HEX_LEN + 1];
};

struct sha256 sha256_of(const void *data, size_t len);
/* In base64 (RFC 4648), as content policies write it. */
struct sha256_text sha256_base64(struct sha256 digest);
/* As sha256sum(1) prints it. */
struct sha256_hex_text sha256_hex(struct sha256 digest);

#endif
