/* Any bytes as a trace, plain or packed: read in one block by one thread, and in small
 * blocks by two; what comes out must be a sound run, and the same from both. */
#include "trace/trace_reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum status read_bytes(struct run *r, const uint8_t *data, size_t size,
                              size_t block_bytes, int threads)
{
    struct trace_options options = {.block_bytes = block_bytes, .threads = threads};
    struct err err = ERR_INIT;
    run_init(r);
    enum status st = trace_read_memory(r, data, size, "rank3.json", &options, &err);
    if (st != STATUS_OK && st != STATUS_INPUT)
        abort();
    if (st != STATUS_OK && (r->ranks.table.n || !err.text[0]))
        abort();
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run large, small;
    struct err err = ERR_INIT;
    enum status st = read_bytes(&large, data, size, 0, 1);
    if (st == STATUS_OK && run_check(&large, &err))
        abort();
    if (read_bytes(&small, data, size, 64, 2) != st)
        abort();
    if (st == STATUS_OK && !run_equal(&large, &small, &err))
        abort();
    run_release(&large);
    run_release(&small);
    return 0;
}
