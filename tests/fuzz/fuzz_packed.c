/* Bytes as gzip, zstd or plain text: read in small pieces and in large ones, the same
 * text and the same end. What is unpacked is bounded, so that bombs cost nothing. */
#include "trace/byte_source.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct unpacked {
    enum status status;
    enum byte_end end;
    size_t len;
    char text[TEXT_MAX];
};

static void unpack(struct unpacked *u, const uint8_t *data, size_t size, size_t piece)
{
    struct byte_source *s;
    struct err err = ERR_INIT;
    u->len = 0;
    u->end = BYTE_END_NOT_YET;
    u->status = byte_source_from_memory(&s, data, size, "t", &err);
    if (u->status)
        return;
    size_t got = 1;
    while (got && u->len < TEXT_MAX) {
        size_t room = TEXT_MAX - u->len;
        got = byte_source_read(s, u->text + u->len, piece < room ? piece : room);
        u->len += got;
    }
    if (u->len < TEXT_MAX)
        u->end = byte_source_end(s);
    byte_source_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct unpacked large, small;
    unpack(&large, data, size, TEXT_MAX);
    unpack(&small, data, size, 7 + size % 61);
    size_t both = large.len < small.len ? large.len : small.len;
    if (large.status != small.status || large.end != small.end ||
        memcmp(large.text, small.text, both))
        abort();
    /* How much of a damaged part comes out before the damage shows may differ. */
    if (large.len != small.len && large.end != BYTE_END_UNPACK_CORRUPT)
        abort();
    return 0;
}
