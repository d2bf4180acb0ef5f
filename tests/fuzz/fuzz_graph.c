/* Any bytes as an execution trace. */
#include "execution/execution_trace.h"
#include "parsed_flow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    struct err err = ERR_INIT;
    run_init(&run);
    ranks_add(&run.ranks, (struct rank){0});
    check_parsed_flow(&run, execution_trace_parse(&run, data, size, "fuzz", &err), &err);
    run_release(&run);
    return 0;
}
