#include "cli/args.h"
#include "cli/help.h"

static enum status cmd_help(const struct args *args, struct err *err)
{
    if (!args->n_operands) {
        help_print_all();
        return STATUS_OK;
    }
    const struct command *c = command_find(args->operands[0], err);
    if (!c)
        return err->status;
    help_print(c);
    return STATUS_OK;
}

const struct command command_help = {
    .name = "help",
    .run = cmd_help,
    .summary = "this list, or the help of one command",
    .operands = "[COMMAND]",
    .max_operands = 1,
    .example = "help analyze",
};
