/* The parts of docs/ that come from the program's own tables, for scripts/draw-docs. */
#include "base/strbuf.h"
#include "cli/args.h"
#include "config/config.h"
#include "lint/lint_rule.h"
#include "record/contract.h"
#include "rules/rule.h"
#include "run/run_file.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*print)(struct strbuf *out);
} pages[] = {
    {"config", config_print_markdown},         {"hook-contract", contract_print_python},
    {"lint-rules", lint_rules_print_markdown}, {"record-format", contract_print_markdown},
    {"rules", rules_print_markdown},           {"run-format", run_file_schema_markdown},
};

static enum status cmd_docs(const struct args *args, struct err *err)
{
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        if (strcmp(pages[i].name, args->operands[0]) != 0)
            continue;
        struct strbuf out;
        strbuf_init(&out);
        pages[i].print(&out);
        fputs(out.s, stdout);
        strbuf_release(&out);
        return STATUS_OK;
    }
    return err_set(
        err, STATUS_USAGE,
        "docs knows config, hook-contract, lint-rules, record-format, rules and "
        "run-format, "
        "not \"%s\"",
        args->operands[0]);
}

const struct command command_docs = {
    .name = "docs",
    .run = cmd_docs,
    .summary = "the generated parts of docs/",
    .operands = "PAGE",
    .min_operands = 1,
    .max_operands = 1,
    .hidden = true,
    .example = "docs config",
};
