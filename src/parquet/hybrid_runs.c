/*
 * The values are cut into runs of one value, at least 8 long, and stretches in between,
 * whose values are packed side by side from the least significant bit on. A stretch is a
 * whole number of groups of 8, but for the last, so a run may begin only where a group
 * would; what a group takes from its beginning is no loss.
 */
#include "parquet/hybrid_runs.h"

#include "parquet/thrift_compact.h"

#include <stdbool.h>

enum { GROUP = 8 };

int hybrid_bits(uint32_t max)
{
    int bits = 1;
    while (bits < 32 && max >> bits)
        bits++;
    return bits;
}

static size_t run_length(const uint32_t *value, size_t n)
{
    size_t len = 1;
    while (len < n && value[len] == *value)
        len++;
    return len;
}

static void put_run(struct strbuf *out, uint32_t value, size_t len, int bits)
{
    varint_add(out, (uint64_t)len << 1);
    for (int at = 0; at < bits; at += 8)
        strbuf_putc(out, (char)(value >> at));
}

/* The last group is filled up with zeros, which nobody reads. */
static void put_packed(struct strbuf *out, const uint32_t *value, size_t n, int bits)
{
    size_t groups = (n + GROUP - 1) / GROUP;
    uint64_t held = 0;
    int n_held = 0;
    varint_add(out, (uint64_t)groups << 1 | 1);
    for (size_t i = 0; i < groups * GROUP; i++) {
        held |= (uint64_t)(i < n ? value[i] : 0) << n_held;
        for (n_held += bits; n_held >= 8; n_held -= 8, held >>= 8)
            strbuf_putc(out, (char)held);
    }
}

void hybrid_runs_add(struct strbuf *out, const uint32_t *value, size_t n, int bits)
{
    size_t packed = 0; /* where the stretch that is not yet written begins */
    for (size_t i = 0; i < n;) {
        size_t run = run_length(value + i, n - i);
        if (run < GROUP) {
            i += n - i < GROUP ? n - i : GROUP;
            continue;
        }
        if (i > packed)
            put_packed(out, value + packed, i - packed, bits);
        put_run(out, value[i], run, bits);
        packed = i += run;
    }
    if (n > packed)
        put_packed(out, value + packed, n - packed, bits);
}
