#include "metrics/event_record.h"

#include "base/status.h"
#include "metrics/crc32c.h"

#include <string.h>

/* A protobuf key: the field's number, and how its value is stored. */
enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static uint8_t *put_le(uint8_t *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

static uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

static uint8_t *put_key(uint8_t *p, unsigned field, enum wire wire)
{
    return put_varint(p, field << 3 | wire);
}

static uint8_t *put_bytes(uint8_t *p, unsigned field, const void *data, size_t len)
{
    p = put_varint(put_key(p, field, WIRE_BYTES), len);
    memcpy(p, data, len);
    return p + len;
}

static uint8_t *put_wall(uint8_t *p, double wall_s)
{
    uint64_t bits;
    memcpy(&bits, &wall_s, sizeof bits);
    return bits ? put_le(put_key(p, 1, WIRE_64), bits, 8) : p;
}

static uint8_t *put_step(uint8_t *p, int64_t step)
{
    return step ? put_varint(put_key(p, 2, WIRE_VARINT), (uint64_t)step) : p;
}

enum { HEAD_BYTES = 12 };

/* The frame around data that stands at out + HEAD_BYTES and ends at end. */
static size_t close_record(uint8_t *out, uint8_t *end)
{
    size_t len = (size_t)(end - (out + HEAD_BYTES));
    put_le(out, len, 8);
    put_le(out + 8, crc32c_masked(out, 8), 4);
    put_le(end, crc32c_masked(out + HEAD_BYTES, len), 4);
    return HEAD_BYTES + len + 4;
}

size_t event_record_version(uint8_t *out, double wall_s)
{
    static const char version[] = "brain.Event:2";
    uint8_t *p = put_wall(out + HEAD_BYTES, wall_s);
    return close_record(out, put_bytes(p, 3, version, sizeof version - 1));
}

size_t event_record_restart(uint8_t *out, double wall_s, int64_t step)
{
    static const uint8_t session_log[] = {1 << 3 | WIRE_VARINT, 1}; /* status: START */
    uint8_t *p = put_step(put_wall(out + HEAD_BYTES, wall_s), step);
    return close_record(out, put_bytes(p, 7, session_log, sizeof session_log));
}

static size_t varint_bytes(uint64_t v)
{
    uint8_t scratch[10];
    return (size_t)(put_varint(scratch, v) - scratch);
}

size_t event_record_scalar(uint8_t *out, double wall_s, int64_t step, const char *tag,
                           float value)
{
    size_t tag_len = strlen(tag);
    if (tag_len > EVENT_TAG_BYTES_MAX)
        BUG("a tag of %zu bytes", tag_len);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    size_t value_len = 1 + varint_bytes(tag_len) + tag_len + 1 + 4;
    uint8_t *p = put_step(put_wall(out + HEAD_BYTES, wall_s), step);
    p = put_varint(put_key(p, 5, WIRE_BYTES), 1 + varint_bytes(value_len) + value_len);
    p = put_varint(put_key(p, 1, WIRE_BYTES), value_len);
    p = put_bytes(p, 1, tag, tag_len);
    p = put_le(put_key(p, 2, WIRE_32), bits, 4);
    return close_record(out, p);
}
