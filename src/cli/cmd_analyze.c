/* Where the time of a run goes. */
#include "base/log.h"
#include "cli/args.h"
#include "cli/graph_option.h"
#include "cli/load_pair.h"
#include "cli/peak_args.h"
#include "cli/read_options.h"
#include "cli/show_analysis.h"
#include "load/load_runs.h"

#include <stdint.h>

enum { TOP_MAX = 10000 };

struct request {
    struct load_options load;
    struct report_options report;
    enum report_format format;
};

static enum status read_request(struct request *r, const struct args *args,
                                struct err *err)
{
    int64_t top = 0;
    bool markdown = args_has(args, "markdown");
    *r = (struct request){
        .load = load_for_findings,
        .report = {.subject = args_only_operand(args), .graph = graph_option(args)}};
    enum status st = args_int(args, "top", 1, TOP_MAX, &top, err);
    if (!st)
        st = read_options(&r->load, args, err);
    if (!st)
        st = peak_args(&r->report.peak, args, err);
    if (st)
        return st;
    st = json_or_brief(&r->format, args, err);
    if (st)
        return st;
    if (r->format != REPORT_TERMINAL && markdown)
        return err_set(err, STATUS_USAGE,
                       "--%s and --markdown exclude each other; give one",
                       r->format == REPORT_JSON ? "json" : "brief");
    if (r->format == REPORT_BRIEF && args_has(args, "compare"))
        return err_set(err, STATUS_USAGE,
                       "--compare has no --brief; gait verify --brief compares two runs");
    if (graph_option(args) && args_has(args, "compare"))
        return err_set(err, STATUS_USAGE,
                       "--graph is about one trace, and --compare about two; give one");
    r->report.top = (int)top;
    r->format = markdown ? REPORT_MARKDOWN : r->format;
    return STATUS_OK;
}

static enum status analyze_together(const struct args *args, struct request *r,
                                    struct err *err)
{
    struct run run;
    struct load_result loaded;
    run_init(&run);
    enum status st =
        load_runs(&run, &loaded, args->operands, args->n_operands, &r->load, err);
    if (!st)
        st = graph_option_add(&run, args, err);
    if (!st) {
        if (r->format == REPORT_TERMINAL && log_on_terminal())
            r->report.read_ns = loaded.read_ns;
        show_analysis(&run, r->format, &r->report);
        st = load_status(&loaded, err);
    }
    run_release(&run);
    return st;
}

static enum status analyze_apart(const struct args *args, const struct request *r,
                                 struct err *err)
{
    struct run run[2];
    struct load_result loaded;
    enum status st = load_pair_check(args, err);
    if (st)
        return st;
    struct load_options load = r->load;
    load.parts = RUN_PARTS_AGGREGATES;
    run_init(&run[0]);
    run_init(&run[1]);
    st = load_pair(run, &loaded, args->operands, &load, err);
    if (!st) {
        show_comparison(&run[0], &run[1], r->format, &r->report);
        st = load_status(&loaded, err);
    }
    run_release(&run[0]);
    run_release(&run[1]);
    return st;
}

static enum status cmd_analyze(const struct args *args, struct err *err)
{
    struct request r;
    enum status st = read_request(&r, args, err);
    if (st)
        return st;
    return args_has(args, "compare") ? analyze_apart(args, &r, err)
                                     : analyze_together(args, &r, err);
}

static const struct option options[] = {
    JSON_OPTIONS("the figures as JSON (docs/analyze.md)"),
    {"markdown", 0, NULL, "as Markdown"},
    {"compare", 0, NULL, "two runs side by side: what became slower, faster, …"},
    {"top", 0, "N", "how many operators to show"},
    GRAPH_OPTION,
    PEAK_OPTIONS,
    READ_OPTIONS,
};

const struct command command_analyze = {
    .name = "analyze",
    .run = cmd_analyze,
    .summary = "where the time of a run or a PyTorch trace goes, what to fix",
    .operands = "RUN|TRACE…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "Reads run files (*.gait) and PyTorch profiler traces (*.json, *.json.gz,\n"
        "*.json.zst); a folder stands for those in it, a quoted pattern for what it\n"
        "matches, @LIST for the files that a text file names, - for standard input.\n"
        "Several are the ranks of one job; to compare two runs: --compare. A file "
        "that\n"
        "cannot be read is a warning and exit code 3; the others are still answered.\n"
        "--graph reads what torch.profiler.ExecutionTraceObserver wrote beside a trace.",
    .example = "analyze trace.json.gz",
};
