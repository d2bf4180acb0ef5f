/* Any bytes as a run file: an error, or a run that passes its checks, can be analysed,
 * shown (in a form that the input chooses) and verified against itself. */
#include "analyze/analysis.h"
#include "report/report.h"
#include "run/run_file.h"
#include "verify/verify.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int format_of(const uint8_t *data, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + data[i];
    return REPORT_TERMINAL + (int)(sum % (REPORT_JSON - REPORT_TERMINAL + 1));
}

static void use_everywhere(const struct run *run, int format)
{
    struct analysis *a = analysis_new(run);
    struct verify_result verdict;
    struct strbuf out;
    strbuf_init(&out);
    report_render(&out, a, format, &(struct report_options){0});
    strbuf_release(&out);
    analysis_free(a);
    verify_runs(&verdict, run, run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    struct err err = ERR_INIT;
    run_init(&run);
    if (run_load_bytes(&run, data, size, "fuzz", &err) == STATUS_OK) {
        if (run_check(&run, &err) != STATUS_OK)
            abort();
        use_everywhere(&run, format_of(data, size));
    }
    run_release(&run);
    return 0;
}
