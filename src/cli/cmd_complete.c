/* What the scripts of packaging/completions ask: completion.h. */
#include "cli/args.h"
#include "cli/completion.h"

#include <stdio.h>

static enum status cmd_complete(const struct args *args, struct err *err)
{
    (void)err;
    struct strbuf out;
    strbuf_init(&out);
    completion_print(&out, args->operands, args->n_operands);
    fputs(out.s, stdout);
    strbuf_release(&out);
    return STATUS_OK;
}

const struct command command_complete = {
    .name = "complete",
    .run = cmd_complete,
    .summary = "what may stand next on a command line, for shells",
    .operands = "-- WORD…",
    .max_operands = SIZE_MAX,
    .hidden = true,
    .example = "complete -- analyze --to",
};
