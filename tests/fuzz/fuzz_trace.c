/*
 * Any bytes as a trace, plain or packed, read in small blocks by two readers in turn:
 * what comes out must be a sound run. What takes long is done for some inputs only, which
 * they choose themselves, so that an input always takes the same way: one in
 * COMPARED_EVERY is also read in one block by one reader, with the same result; one in
 * THREADS_EVERY is read by two threads, for starting them costs more than all the rest.
 */
#include "trace/trace_reader.h"

#include <stdlib.h>

enum { COMPARED_EVERY = 8, THREADS_EVERY = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t choice(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 16777619u;
    return hash >> 8;
}

static enum status read_bytes(struct run *r, const uint8_t *data, size_t size,
                              const struct trace_options *options)
{
    struct err err = ERR_INIT;
    run_init(r);
    enum status st = trace_read_memory(r, data, size, "rank3.json", options, &err);
    if (st != STATUS_OK && st != STATUS_INPUT)
        abort();
    if (st != STATUS_OK && (r->ranks.table.n || !err.text[0]))
        abort();
    return st;
}

/* The same in one block gives the same. */
static void compare(const struct run *small, enum status st, const uint8_t *data,
                    size_t size)
{
    const struct trace_options one_block = {.threads = 1};
    struct run large;
    struct err err = ERR_INIT;
    if (read_bytes(&large, data, size, &one_block) != st)
        abort();
    if (st == STATUS_OK && !run_equal(&large, small, &err))
        abort();
    run_release(&large);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t chosen = choice(data, size);
    const struct trace_options small_blocks = {.block_bytes = 64u << chosen / 1024 % 4,
                                               .threads = 2,
                                               .in_turn = chosen % THREADS_EVERY != 0};
    struct run run;
    struct err err = ERR_INIT;
    enum status st = read_bytes(&run, data, size, &small_blocks);
    if (st == STATUS_OK && run_check(&run, &err))
        abort();
    if (chosen % COMPARED_EVERY == 0)
        compare(&run, st, data, size);
    run_release(&run);
    return 0;
}
