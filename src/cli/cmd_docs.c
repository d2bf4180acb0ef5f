/* What comes from the program's own tables: parts of docs/ for scripts/draw-docs, and the manual. */
#include "base/strbuf.h"
#include "cli/args.h"
#include "cli/man_page.h"
#include "config/config.h"
#include "lint/lint_rule.h"
#include "record/contract.h"
#include "rules/rule.h"
#include "run/run_file.h"
#include "tables/flat_table.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*print)(struct strbuf *out);
} pages[] = {
    {"config", config_print_markdown},          {"export", flat_tables_markdown},
    {"hook-contract", contract_print_python},   {"lint-rules", lint_rules_print_markdown},
    {"record-format", contract_print_markdown}, {"rules", rules_print_markdown},
    {"run-format", run_file_schema_markdown},
};

static enum status write_manual(const struct args *args, struct err *err)
{
    if (args->n_operands != 2)
        return err_set(
            err, STATUS_USAGE,
            "docs man needs the folder to write to; for example: gait docs man "
            "man1");
    return man_pages_write(args->operands[1], err);
}

static enum status cmd_docs(const struct args *args, struct err *err)
{
    if (!strcmp(args->operands[0], "man"))
        return write_manual(args, err);
    if (args->n_operands != 1)
        return args_wrong_operands(args, err);
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
        "docs knows config, export, hook-contract, lint-rules, man, record-format, rules "
        "and run-format, not \"%s\"",
        args->operands[0]);
}

const struct command command_docs = {
    .name = "docs",
    .run = cmd_docs,
    .summary = "the generated parts of docs/",
    .operands = "PAGE|man [FOLDER]",
    .min_operands = 1,
    .max_operands = 2,
    .hidden = true,
    .example = "docs config",
};
