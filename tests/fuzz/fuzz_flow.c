/* Any bytes as the data flow that the hook wrote. */
#include "parsed_flow.h"
#include "record/flow_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    struct err err = ERR_INIT;
    run_init(&run);
    ranks_add(&run.ranks, (struct rank){0});
    check_parsed_flow(&run, flow_file_parse(&run, (const char *)data, size, &err), &err);
    run_release(&run);
    return 0;
}
