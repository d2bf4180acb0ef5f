/* Did the change work, and is it still the same model? */
#include "cli/args.h"
#include "cli/load_pair.h"
#include "verify/verify.h"

#include <stdio.h>

static enum status print_result(const struct run run[2], bool json, size_t unread,
                                struct err *err)
{
    struct verify_result result;
    struct strbuf out;
    strbuf_init(&out);
    verify_runs(&result, &run[0], &run[1]);
    if (json)
        verify_print_json(&out, &result, unread);
    else
        verify_print(&out, &result);
    fwrite(out.s, 1, out.len, stdout);
    strbuf_release(&out);
    return verify_status(&result, err);
}

static enum status cmd_verify(const struct args *args, struct err *err)
{
    const struct load_options options = {.parts = RUN_PARTS_AGGREGATES};
    struct run run[2];
    struct load_result loaded;
    run_init(&run[0]);
    run_init(&run[1]);
    enum status st = load_pair(run, &loaded, args->operands, &options, err);
    if (!st) {
        st = print_result(run, args_has(args, "json"), loaded.failed, err);
        if (loaded.failed) /* a part of a run proves nothing, whatever the gates say */
            st = load_status(&loaded, err);
    }
    run_release(&run[0]);
    run_release(&run[1]);
    return st;
}

static const struct option options[] = {
    {"json", 0, NULL, "the gates as JSON (docs/verify.md)"},
};

const struct command command_verify = {
    .name = "verify",
    .run = cmd_verify,
    .summary = "compare two runs: faster, and still the same model?",
    .operands = "BEFORE AFTER",
    .min_operands = 2,
    .max_operands = 2,
    OPTIONS(options),
    .about = "Exit code 1 where a gate failed, 3 where none could be applied or a file "
             "could not\nbe read.",
    .example = "verify before.gait after.gait",
};
