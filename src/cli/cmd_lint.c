/* Checks Python sources with the rules of source/lint.h; prints findings or JSON. */
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/args.h"
#include "source/lint.h"
#include "source/source_facts.h"

#include <stdint.h>
#include <stdio.h>

enum { LINT_JSON_VERSION = 1 };

struct linting {
    struct strbuf out;
    struct json_writer json;
    bool as_json;
    size_t findings, unreadable;
};

static void print_finding(struct strbuf *out, const char *path,
                          const struct lint_finding *f)
{
    strbuf_printf(out, "%s:%d: %s [%s]\n", path, (int)f->line, f->rule->title,
                  f->rule->id);
    strbuf_printf(out, "    %s\n", f->text);
    strbuf_printf(out, "  why: %s\n", f->rule->why);
    strbuf_printf(out, "  fix: %s\n\n", f->form->fix);
}

static void print_finding_json(struct json_writer *w, const struct lint_finding *f)
{
    json_begin_object(w);
    json_field_string(w, "rule", f->rule->id);
    json_field_int(w, "line", f->line);
    json_field_string(w, "title", f->rule->title);
    json_field_string(w, "source", f->text);
    json_field_string(w, "why", f->rule->why);
    json_field_string(w, "fix", f->form->fix);
    json_end(w);
}

static void print_report(struct linting *l, const char *path, const struct lint_report *r)
{
    l->findings += r->n;
    if (r->error_line)
        log_line("%s:%d: not valid Python from here; the rest was checked", path,
                 (int)r->error_line);
    if (!l->as_json) {
        for (size_t i = 0; i < r->n; i++)
            print_finding(&l->out, path, &r->findings[i]);
        return;
    }
    json_begin_object(&l->json);
    json_field_string(&l->json, "path", path);
    json_key(&l->json, "syntax_error_line");
    if (r->error_line)
        json_int(&l->json, r->error_line);
    else
        json_null(&l->json);
    json_key(&l->json, "findings");
    json_begin_array(&l->json);
    for (size_t i = 0; i < r->n; i++)
        print_finding_json(&l->json, &r->findings[i]);
    json_end(&l->json);
    json_end(&l->json);
}

static enum status lint_file(struct linting *l, const char *path, struct err *err)
{
    char *text;
    size_t len;
    enum status st = file_read(&text, &len, path, SOURCE_FILE_BYTES_MAX, err);
    if (st)
        return st;
    struct lint_report report;
    st = lint_text(&report, text, len, path, err);
    if (!st) {
        print_report(l, path, &report);
        lint_report_release(&report);
    }
    mem_free(text);
    return st;
}

static void begin_output(struct linting *l)
{
    if (!l->as_json)
        return;
    json_begin_object(&l->json);
    json_field_string(&l->json, "format", "gait-lint");
    json_field_int(&l->json, "version", LINT_JSON_VERSION);
    json_field_int(&l->json, "rules_checked", (int64_t)lint_rule_count);
    json_key(&l->json, "files");
    json_begin_array(&l->json);
}

static void end_output(struct linting *l, size_t files)
{
    const char *rules = lint_rule_count == 1 ? "rule" : "rules";
    if (l->as_json) {
        json_end(&l->json);
        json_end(&l->json);
    } else if (l->findings) {
        strbuf_printf(&l->out, "%zu %s found in %zu %s; checked: %zu %s\n", l->findings,
                      l->findings == 1 ? "cause" : "causes", files,
                      files == 1 ? "file" : "files", lint_rule_count, rules);
    } else if (files) {
        strbuf_printf(&l->out, "no cause found; checked: %zu %s\n", lint_rule_count,
                      rules);
    }
    fputs(l->out.s, stdout);
}

static enum status cmd_lint(const struct args *args, struct err *err)
{
    struct linting l = {.as_json = args_has(args, "json")};
    struct err one = ERR_INIT;
    if (!source_available())
        return lint_text(NULL, "", 0, "", err);
    strbuf_init(&l.out);
    json_init(&l.json, &l.out);
    begin_output(&l);
    for (size_t i = 0; i < args->n_operands; i++) {
        enum status st = lint_file(&l, args->operands[i], &one);
        if (st && args->n_operands > 1)
            log_line("gait: warning: %s", one.text);
        l.unreadable += st != STATUS_OK;
    }
    if (l.unreadable < args->n_operands)
        end_output(&l, args->n_operands - l.unreadable);
    strbuf_release(&l.out);
    if (l.unreadable && args->n_operands == 1)
        return err_set(err, one.status, "%s", one.text);
    if (l.unreadable)
        return err_set(err, STATUS_INPUT,
                       "%zu of %zu files could not be read; see the warnings above",
                       l.unreadable, args->n_operands);
    return l.findings ? STATUS_FAILED : STATUS_OK;
}

static const struct option options[] = {
    {"json", 0, NULL, "the findings as JSON"},
};

const struct command command_lint = {
    .name = "lint",
    .run = cmd_lint,
    .summary = "causes of slow training that stand in Python sources",
    .operands = "FILE.py…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "Exit code 1 where something was found, 0 where nothing was. Nothing is run:\n"
        "the sources are only read, also where they are not valid Python.",
    .example = "lint train.py",
};
