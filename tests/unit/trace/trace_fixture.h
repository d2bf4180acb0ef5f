/* Reading a text as a trace and looking at what came of it. */
#ifndef GAIT_TESTS_TRACE_FIXTURE_H
#define GAIT_TESTS_TRACE_FIXTURE_H

#include "cmocka_setup.h"

#include "base/mem.h"
#include "trace/trace_reader.h"

#include <stdio.h>
#include <string.h>

/* Events between these are a whole document. */
#define HEAD "{\"schemaVersion\": 1, \"traceEvents\": [\n"
#define FOOT "\n], \"traceName\": \"t.json\"}\n"
#define OP(name, ts, dur)                                                                \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name                                  \
    "\",\"pid\":9,\"tid\":10,\"ts\":" ts ",\"dur\":" dur "}"

static inline struct run read_with(const char *text, const struct trace_options *o)
{
    struct run r;
    struct err err = ERR_INIT;
    run_init(&r);
    enum status st = trace_read_memory(&r, text, strlen(text), "t.json", o, &err);
    if (st)
        fail_msg("status %d: %s", st, err.text);
    assert_int_equal(r.ranks.table.n, 1);
    if (run_check(&r, &err))
        fail_msg("%s", err.text);
    return r;
}

static inline struct run read_good(const char *text)
{
    return read_with(text, NULL);
}

/* The text must be refused; the message is returned by value. */
static inline struct err read_refused(const char *text)
{
    struct run r;
    struct err err = ERR_INIT;
    run_init(&r);
    enum status st = trace_read_memory(&r, text, strlen(text), "t.json", NULL, &err);
    assert_int_equal(st, STATUS_INPUT);
    assert_int_equal(r.ranks.table.n, 0);
    assert_int_equal(r.spans.table.n, 0);
    run_release(&r);
    return err;
}

/* The one span of this name; fails where there is none. */
static inline struct span span_of(const struct run *r, const char *name)
{
    for (size_t i = 0; i < r->spans.table.n; i++)
        if (!strcmp(run_name(r, r->spans.name[i]), name))
            return spans_get(&r->spans, i);
    fail_msg("no span \"%s\"", name);
    return (struct span){0};
}

static inline struct lane lane_of(const struct run *r, const char *span)
{
    return lanes_get(&r->lanes, (size_t)span_of(r, span).lane);
}

/* How often a note whose text has these words stands in the run; *offset of the first. */
static inline int64_t noted(const struct run *r, const char *words, int64_t *offset)
{
    for (size_t i = 0; i < r->notes.table.n; i++)
        if (strstr(run_name(r, r->notes.text[i]), words)) {
            if (offset)
                *offset = r->notes.offset[i];
            return r->notes.count[i];
        }
    return 0;
}

static inline uint32_t crc32_of(const uint8_t *p, size_t len)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < len; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static inline void put_le(uint8_t *dst, uint32_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        dst[i] = (uint8_t)(v >> 8 * i);
}

/* One gzip member with the text in stored blocks of at most 100 bytes. Returns its size;
 * dst has room for len * 2 + 64. */
static inline size_t gzip_stored(uint8_t *dst, const char *text, size_t len)
{
    static const uint8_t header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    size_t n = sizeof header, at = 0;
    memcpy(dst, header, sizeof header);
    do {
        size_t piece = len - at < 100 ? len - at : 100;
        dst[n] = at + piece == len;
        put_le(dst + n + 1, (uint32_t)piece, 2);
        put_le(dst + n + 3, ~(uint32_t)piece, 2);
        memcpy(dst + n + 5, text + at, piece);
        n += 5 + piece;
        at += piece;
    } while (at < len);
    put_le(dst + n, crc32_of((const uint8_t *)text, len), 4);
    put_le(dst + n + 4, (uint32_t)len, 4);
    return n + 8;
}

#endif
