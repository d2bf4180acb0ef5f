/*
 * What the split patterns of tokenizers ask of a character: \p{L}, \p{N}, \s, or none of
 * these, after Unicode 16.0. The tables are written by scripts/make-unicode-tables.
 */
#ifndef GAIT_DATA_UNICODE_CLASS_H
#define GAIT_DATA_UNICODE_CLASS_H

#include <stdint.h>

enum unicode_class {
    UNICODE_OTHER = 0,
    UNICODE_LETTER = 1, /* general category L */
    UNICODE_NUMBER = 2, /* general category N */
    UNICODE_SPACE = 3,  /* property White_Space */
};

enum { UNICODE_CODES = 0x110000 };

/* Two stages: the block of 256 code points, then two bits a code point. */
extern const uint8_t unicode_block[UNICODE_CODES / 256];
extern const uint8_t unicode_bits[][256 / 4];

/* code < UNICODE_CODES */
static inline enum unicode_class unicode_class(uint32_t code)
{
    uint8_t four = unicode_bits[unicode_block[code >> 8]][(code & 0xff) >> 2];
    return (enum unicode_class)(four >> 2 * (code & 3) & 3);
}

#endif
