/* Any bytes as a trace, plain or gzip: read them through a small window and a large one;
 * what comes out must be a sound run, and the same from both. */
#include "trace/trace_reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum status read_bytes(struct run *r, const uint8_t *data, size_t size,
                              size_t block_bytes)
{
    struct trace_options options = {.block_bytes = block_bytes};
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
    enum status st = read_bytes(&large, data, size, 0);
    if (st == STATUS_OK && run_check(&large, &err))
        abort();
    if (read_bytes(&small, data, size, 64) != st)
        abort();
    if (st == STATUS_OK && !run_equal(&large, &small, &err))
        abort();
    run_release(&large);
    run_release(&small);
    return 0;
}
