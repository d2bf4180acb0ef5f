/* Did the change work, and is it still the same model? */
#include "cli/args.h"
#include "cli/load_runs.h"
#include "verify/verify.h"

#include <stdio.h>

static enum status load_pair(struct run run[2], const struct args *args, struct err *err)
{
    for (int i = 0; i < 2; i++) {
        struct load_result loaded;
        enum status st =
            load_runs(&run[i], &loaded, &args->operands[i], 1,
                      &(struct load_options){.parts = RUN_PARTS_AGGREGATES}, err);
        if (!st)
            st = load_status(&loaded, err); /* a part of a run proves nothing */
        if (st)
            return st;
    }
    return STATUS_OK;
}

static enum status cmd_verify(const struct args *args, struct err *err)
{
    struct run run[2];
    run_init(&run[0]);
    run_init(&run[1]);
    enum status st = load_pair(run, args, err);
    if (!st) {
        struct verify_result result;
        struct strbuf out;
        strbuf_init(&out);
        verify_runs(&result, &run[0], &run[1]);
        if (args_has(args, "json"))
            verify_print_json(&out, &result);
        else
            verify_print(&out, &result);
        fwrite(out.s, 1, out.len, stdout);
        strbuf_release(&out);
        st = verify_status(&result, err);
    }
    run_release(&run[0]);
    run_release(&run[1]);
    return st;
}

static const struct option options[] = {
    {"json", 0, NULL, "the gates as JSON"},
};

const struct command command_verify = {
    .name = "verify",
    .run = cmd_verify,
    .summary = "compare two runs: faster, and still the same model?",
    .operands = "BEFORE AFTER",
    .min_operands = 2,
    .max_operands = 2,
    OPTIONS(options),
    .about = "Exit code 1 where a gate failed, 3 where none could be applied.",
    .example = "verify before.gait after.gait",
};
