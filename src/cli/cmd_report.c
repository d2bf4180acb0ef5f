/* The analysis as a file to send to somebody. */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "cli/args.h"
#include "cli/damage_warnings.h"
#include "cli/graph_option.h"
#include "cli/load_pair.h"
#include "cli/output_word.h"
#include "cli/peak_args.h"
#include "cli/read_options.h"
#include "cli/step_warnings.h"
#include "findings/findings.h"
#include "load/load_runs.h"
#include "report/report.h"
#include "study/study.h"

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

/* What is asked for. */
struct request {
    const char *path;
    enum report_format format;
    struct report_options report;
    struct load_options load;
};

static enum status write_text(const struct strbuf *text, const char *path,
                              struct err *err)
{
    const char *wrote = output_word(path);
    enum status st = file_write(path, text->s, text->len, err);
    if (!st)
        log_line("%s %s (%s)", wrote, path, unit_bytes((double)text->len).s);
    return st;
}

static enum status write_report(const struct run *run, const struct request *r,
                                struct err *err)
{
    struct strbuf out;
    strbuf_init(&out);
    struct analysis *a = analysis_new(run);
    struct findings *f = findings_new(run, a);
    struct report_options o = r->report;
    o.findings = f;
    report_render(&out, a, r->format, &o);
    enum status st = write_text(&out, r->path, err);
    findings_free(f);
    analysis_free(a);
    strbuf_release(&out);
    return st;
}

static enum status write_comparison(const struct run run[2], const struct request *r,
                                    struct err *err)
{
    struct strbuf out;
    strbuf_init(&out);
    struct analysis *before = analysis_new(&run[0]), *after = analysis_new(&run[1]);
    struct comparison *c = comparison_new(before, after);
    report_render_comparison(&out, c, r->format, &r->report);
    enum status st = write_text(&out, r->path, err);
    comparison_free(c);
    analysis_free(before);
    analysis_free(after);
    strbuf_release(&out);
    return st;
}

static enum status read_request(struct request *r, const struct args *args,
                                struct err *err)
{
    *r = (struct request){
        .path = args_value(args, "output"),
        .report = {.subject = args_only_operand(args), .graph = graph_option(args)},
        .load = load_for_findings};
    if (!r->path)
        return err_set(err, STATUS_USAGE,
                       "report needs -o FILE; for example: gait report trace.json.gz -o "
                       "report.html");
    enum status st = format_of(r->path, &r->format, err);
    if (!st)
        st = peak_args(&r->report.peak, args, err);
    for (size_t i = 0; i < args->n_operands && !st; i++)
        if (file_is_same(r->path, args->operands[i]) && !file_is_dir(r->path))
            st = err_set(err, STATUS_USAGE,
                         "-o %s would replace the file that is read; choose another name",
                         r->path);
    if (!st)
        st = read_options(&r->load, args, err);
    return st ? st : read_steps(&r->load, args, err);
}

static enum status report_paths(const char *const *paths, size_t n,
                                const struct args *args, struct request *r,
                                struct err *err)
{
    struct run run;
    struct load_result loaded;
    r->report.steps = r->load.keep_steps;
    r->report.n_steps = r->load.n_keep_steps;
    run_init(&run);
    enum status st = load_runs(&run, &loaded, paths, n, &r->load, err);
    if (!st)
        st = graph_option_add(&run, args, err);
    if (!st)
        st = write_report(&run, r, err);
    if (!st) {
        damage_warnings(&run);
        step_warnings(&run, &r->load);
        st = load_status(&loaded, err);
    }
    run_release(&run);
    return st;
}

/* Is the page in the study's folder, where its links lead to files? */
static bool is_inside(const char *page, const char *folder)
{
    char *of = path_folder(page);
    bool inside = file_is_same(of, folder);
    mem_free(of);
    return inside;
}

/* A study's folder: its baseline, with what the study found. */
static enum status report_study(const struct args *args, struct request *r,
                                struct err *err)
{
    struct study study;
    enum status st = study_read(&study, args->operands[0], err);
    if (st)
        return st;
    char *path = path_join(args->operands[0], "baseline.gait");
    const char *paths[] = {path};
    study.links = is_inside(r->path, args->operands[0]);
    r->report.study = &study;
    r->report.subject = path;
    st = report_paths(paths, 1, args, r, err);
    r->report.study = NULL;
    r->report.subject = NULL;
    mem_free(path);
    study_release(&study);
    return st;
}

static enum status report_together(const struct args *args, struct request *r,
                                   struct err *err)
{
    if (args->n_operands == 1 && study_is_folder(args->operands[0]))
        return report_study(args, r, err);
    return report_paths(args->operands, args->n_operands, args, r, err);
}

static enum status report_apart(const struct args *args, struct request *r,
                                struct err *err)
{
    struct run run[2];
    struct load_result loaded;
    enum status st = load_pair_check(args, err);
    if (!st && graph_option(args))
        st = err_set(err, STATUS_USAGE,
                     "--graph is about one trace, and --compare about two; give one");
    if (!st && r->load.n_keep_steps)
        st = err_set(
            err, STATUS_USAGE,
            "--compare shows no timeline, which --steps is for; give one of them");
    if (st)
        return st;
    r->load.parts = RUN_PARTS_AGGREGATES;
    run_init(&run[0]);
    run_init(&run[1]);
    st = load_pair(run, &loaded, args->operands, &r->load, err);
    if (!st)
        st = write_comparison(run, r, err);
    if (!st)
        st = load_status(&loaded, err);
    run_release(&run[0]);
    run_release(&run[1]);
    return st;
}

static enum status cmd_report(const struct args *args, struct err *err)
{
    struct request r;
    enum status st = read_request(&r, args, err);
    if (st)
        return st;
    return args_has(args, "compare") ? report_apart(args, &r, err)
                                     : report_together(args, &r, err);
}

static const struct option options[] = {
    {"output", 'o', "FILE", "*.html, *.md or *.json"},
    {"compare", 0, NULL, "two runs side by side: what became slower, faster, …"},
    GRAPH_OPTION,
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
