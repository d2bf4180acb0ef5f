/* Any bytes as the data flow that the hook wrote: an error that says why, or rows that
 * make a sound run. */
#include "record/flow_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    struct err err = ERR_INIT;
    run_init(&run);
    ranks_add(&run.ranks, (struct rank){0});
    if (flow_file_parse(&run, (const char *)data, size, &err)) {
        if (!*err.text || run.watched_ops.table.n || run.op_tensors.table.n)
            abort();
    } else if (run_check(&run, &err)) {
        abort();
    }
    run_release(&run);
    return 0;
}
