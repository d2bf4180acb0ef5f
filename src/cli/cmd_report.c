/* The analysis as a file to send to somebody. */
#include "base/file.h"
#include "base/log.h"
#include "base/units.h"
#include "cli/args.h"
#include "cli/damage_warnings.h"
#include "cli/load_runs.h"
#include "cli/output_word.h"
#include "cli/peak_args.h"
#include "cli/read_options.h"
#include "cli/step_warnings.h"
#include "report/report.h"

#include <stdint.h>
#include <string.h>

static const struct {
    const char *ending;
    enum report_format format;
} formats[] = {
    {".html", REPORT_HTML},
    {".md", REPORT_MARKDOWN},
    {".json", REPORT_JSON},
};

static enum status format_of(const char *path, enum report_format *out, struct err *err)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t len = strlen(path), end = strlen(formats[i].ending);
        if (len > end && !strcmp(path + len - end, formats[i].ending)) {
            *out = formats[i].format;
            return STATUS_OK;
        }
    }
    return err_set(
        err, STATUS_USAGE,
        "the report's format is told by its name; end \"%s\" with .html, .md or "
        ".json",
        path);
}

static enum status write_report(const struct run *run, const char *path,
                                enum report_format format,
                                const struct report_options *options, struct err *err)
{
    struct strbuf out;
    strbuf_init(&out);
    struct analysis *a = analysis_new(run);
    struct findings *f = findings_new(run, a);
    struct report_options o = *options;
    o.findings = f;
    report_render(&out, a, format, &o);
    const char *wrote = output_word(path);
    enum status st = file_write(path, out.s, out.len, err);
    if (!st)
        log_line("%s %s (%s)", wrote, path, unit_bytes((double)out.len).s);
    findings_free(f);
    analysis_free(a);
    strbuf_release(&out);
    return st;
}

static enum status cmd_report(const struct args *args, struct err *err)
{
    const char *path = args_value(args, "output");
    enum report_format format = REPORT_HTML;
    if (!path)
        return err_set(err, STATUS_USAGE,
                       "report needs -o FILE; for example: gait report trace.json.gz -o "
                       "report.html");
    struct report_options o = {.subject = args_only_operand(args)};
    enum status st = format_of(path, &format, err);
    if (!st)
        st = peak_args(&o.peak, args, err);
    for (size_t i = 0; i < args->n_operands && !st; i++)
        if (file_is_same(path, args->operands[i]) && !file_is_dir(path))
            st = err_set(err, STATUS_USAGE,
                         "-o %s would replace the file that is read; choose another name",
                         path);
    if (st)
        return st;
    struct run run;
    struct load_result loaded;
    struct load_options load = load_for_findings;
    st = read_options(&load, args, err);
    if (!st)
        st = read_steps(&load, args, err);
    if (st)
        return st;
    o.steps = load.keep_steps;
    o.n_steps = load.n_keep_steps;
    run_init(&run);
    st = load_runs(&run, &loaded, args->operands, args->n_operands, &load, err);
    if (!st)
        st = write_report(&run, path, format, &o, err);
    if (!st) {
        damage_warnings(&run);
        step_warnings(&run, &load);
        st = load_status(&loaded, err);
    }
    run_release(&run);
    return st;
}

static const struct option options[] = {
    {"output", 'o', "FILE", "*.html, *.md or *.json"},
    PEAK_OPTIONS,
    READ_STEPS_OPTION,
    READ_OPTIONS,
};

const struct command command_report = {
    .name = "report",
    .run = cmd_report,
    .summary = "the analysis as one HTML, Markdown or JSON file",
    .operands = "RUN|TRACE…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "The HTML file needs no network and nothing beside it. A folder stands for the\n"
        "runs and traces in it, a quoted pattern for what it matches, @LIST for the "
        "files\n"
        "that a text file names, - for standard input.",
    .example = "report trace.json.gz -o report.html",
};
