/* Any bytes as a run file: an error, or a run that passes its checks and can be analysed.
 */
#include "analyze/analysis.h"
#include "run/run_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    struct err err = ERR_INIT;
    run_init(&run);
    if (run_load_bytes(&run, data, size, "fuzz", &err) == STATUS_OK) {
        if (run_check(&run, &err) != STATUS_OK)
            abort();
        analysis_free(analysis_new(&run));
    }
    run_release(&run);
    return 0;
}
