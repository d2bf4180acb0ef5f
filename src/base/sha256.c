/*
 * SHA-256 as FIPS 180-4 writes it down, section 6.2, with its names: whole blocks are
 * taken from the message itself, the last one or two from a copy with the padding.
 */
#include "base/sha256.h"

#include <string.h>

enum { BLOCK_BYTES = 64, LENGTH_BYTES = 8, STATE_WORDS = 8, ROUNDS = 64 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static uint32_t rotated(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* The message schedule: W[0..15] are the block, big-endian. */
static void expand(uint32_t W[ROUNDS], const uint8_t *block)
{
    for (int t = 0; t < 16; t++)
        W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < ROUNDS; t++) {
        uint32_t s0 = rotated(W[t - 15], 7) ^ rotated(W[t - 15], 18) ^ W[t - 15] >> 3;
        uint32_t s1 = rotated(W[t - 2], 17) ^ rotated(W[t - 2], 19) ^ W[t - 2] >> 10;
        W[t] = s1 + W[t - 7] + s0 + W[t - 16];
    }
}

static void take_block(uint32_t H[STATE_WORDS], const uint8_t *block)
{
    uint32_t W[ROUNDS], v[STATE_WORDS]; /* v: a … h */
    expand(W, block);
    memcpy(v, H, sizeof v);
    for (int t = 0; t < ROUNDS; t++) {
        uint32_t S1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25);
        uint32_t ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t T1 = v[7] + S1 + ch + K[t] + W[t];
        uint32_t S0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22);
        uint32_t maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, (STATE_WORDS - 1) * sizeof *v);
        v[4] += T1;
        v[0] = T1 + S0 + maj;
    }
    for (int i = 0; i < STATE_WORDS; i++)
        H[i] += v[i];
}

/* What is left of the message, a one bit, zeros, and the length in bits. */
static void take_rest(uint32_t H[STATE_WORDS], const uint8_t *rest, size_t n, size_t len)
{
    uint8_t last[2 * BLOCK_BYTES] = {0};
    size_t size = n + 1 + LENGTH_BYTES <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
    if (n)
        memcpy(last, rest, n);
    last[n] = 0x80;
    uint64_t bits = (uint64_t)len * 8;
    for (int i = 0; i < LENGTH_BYTES; i++)
        last[size - 1 - (size_t)i] = (uint8_t)(bits >> 8 * i);
    for (size_t at = 0; at < size; at += BLOCK_BYTES)
        take_block(H, last + at);
}

struct sha256 sha256_of(const void *data, size_t len)
{
    /* The first 32 bits of the fractional parts of the square roots of 8 primes. */
    uint32_t H[STATE_WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint8_t *message = data;
    size_t whole = len - len % BLOCK_BYTES;
    for (size_t at = 0; at < whole; at += BLOCK_BYTES)
        take_block(H, message + at);
    take_rest(H, len ? message + whole : NULL, len - whole, len);
    struct sha256 digest;
    for (int i = 0; i < SHA256_BYTES; i++)
        digest.bytes[i] = (uint8_t)(H[i / 4] >> 8 * (3 - i % 4));
    return digest;
}

struct sha256_text sha256_base64(struct sha256 digest)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct sha256_text text = {0};
    char *to = text.s;
    for (int at = 0; at < SHA256_BYTES; at += 3) {
        uint32_t three = 0;
        for (int i = 0; i < 3; i++)
            three = three << 8 | (at + i < SHA256_BYTES ? digest.bytes[at + i] : 0u);
        for (int shift = 18; shift >= 0; shift -= 6)
            *to++ = alphabet[three >> shift & 63];
    }
    text.s[SHA256_BASE64_LEN - 1] = '='; /* 32 bytes are ten threes and two */
    return text;
}

struct sha256_hex_text sha256_hex(struct sha256 digest)
{
    static const char digit[] = "0123456789abcdef";
    struct sha256_hex_text text = {0};
    for (int i = 0; i < SHA256_BYTES; i++) {
        text.s[2 * i] = digit[digest.bytes[i] >> 4];
        text.s[2 * i + 1] = digit[digest.bytes[i] & 15];
    }
    return text;
}
