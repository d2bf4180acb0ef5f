#include "metrics/crc32c.h"

/* The reversed polynomial 0x82f63b78 on four bits at a time: records are short. */
static const uint32_t nibble[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
                                    0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
                                    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                    0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};

uint32_t crc32c(const void *data, size_t len)
{
    const uint8_t *p = data;
    uint32_t c = 0xffffffff;
    for (size_t i = 0; i < len; i++) {
        c ^= p[i];
        c = c >> 4 ^ nibble[c & 15];
        c = c >> 4 ^ nibble[c & 15];
    }
    return ~c;
}

uint32_t crc32c_masked(const void *data, size_t len)
{
    uint32_t c = crc32c(data, len);
    return (c >> 15 | c << 17) + 0xa282ead8;
}
