/* Where the time of a run goes. */
#include "base/log.h"
#include "cli/args.h"
#include "cli/load_runs.h"
#include "cli/peak_args.h"
#include "cli/show_analysis.h"

#include <stdint.h>

enum { TOP_MAX = 10000 };

static enum status cmd_analyze(const struct args *args, struct err *err)
{
    int64_t top = 0;
    enum status st = args_int(args, "top", 1, TOP_MAX, &top, err);
    struct given_peak peak = {0};
    if (!st)
        st = peak_args(&peak, args, err);
    if (st)
        return st;
    bool json = args_has(args, "json"), markdown = args_has(args, "markdown");
    if (json && markdown)
        return err_set(err, STATUS_USAGE,
                       "--json and --markdown exclude each other; give one");
    struct run run;
    struct load_result loaded;
    run_init(&run);
    st = load_runs(&run, &loaded, args->operands, args->n_operands,
                   &(struct load_options){.parts = RUN_PARTS_AGGREGATES}, err);
    if (!st) {
        struct report_options o = {
            .top = (int)top, .subject = args_only_operand(args), .peak = peak};
        if (!json && !markdown && log_on_terminal())
            o.read_ns = loaded.read_ns;
        show_analysis(&run,
                      json       ? REPORT_JSON
                      : markdown ? REPORT_MARKDOWN
                                 : REPORT_TERMINAL,
                      &o);
        st = load_status(&loaded, err);
    }
    run_release(&run);
    return st;
}

static const struct option options[] = {
    {"json", 0, NULL, "the figures as JSON (docs/analyze.md)"},
    {"markdown", 0, NULL, "as Markdown"},
    {"top", 0, "N", "how many operators to show"},
    PEAK_OPTIONS,
};

const struct command command_analyze = {
    .name = "analyze",
    .run = cmd_analyze,
    .summary = "where the time of a run or a PyTorch trace goes",
    .operands = "RUN|TRACE…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "Reads run files (*.gait) and PyTorch profiler traces (*.json, *.json.gz); a\n"
        "folder stands for those in it, - for standard input. Several are the ranks of\n"
        "one job; to compare two runs: gait verify. A file that cannot be read is a\n"
        "warning and exit code 3; the others are still answered.",
    .example = "analyze trace.json.gz",
};
