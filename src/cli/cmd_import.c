/* Traces to a run file, for whoever wants to keep, query or merge them. */
#include "base/log.h"
#include "base/units.h"
#include "cli/args.h"
#include "cli/damage_warnings.h"
#include "cli/output_word.h"
#include "cli/read_options.h"
#include "cli/save_recording.h"
#include "cli/step_warnings.h"
#include "config/number_text.h"
#include "load/load_runs.h"
#include "record/record_folder.h"
#include "run/run_file.h"

#include <stdint.h>
#include <string.h>

static enum status keep_spans_of(const struct args *args, size_t *out, struct err *err)
{
    const char *text = args_value(args, "keep-spans");
    int64_t n;
    *out = 0; /* the reducer's default */
    if (!text)
        return STATUS_OK;
    if (!strcmp(text, "all"))
        *out = SIZE_MAX;
    else if (number_parse_int(&n, text) && n >= 1)
        *out = (size_t)n;
    else
        return err_set(err, STATUS_USAGE,
                       "--keep-spans is \"%s\"; allowed: a whole number from 1, or all",
                       text);
    return STATUS_OK;
}

static int64_t spans_seen(const struct run *run)
{
    int64_t n = 0;
    for (size_t i = 0; i < run->ranks.table.n; i++)
        n += run->ranks.spans_seen[i];
    return n;
}

static enum status check_output(const char *path, struct err *err)
{
    if (!path)
        return err_set(err, STATUS_USAGE,
                       "import needs -o RUN; for example: gait import trace.json.gz -o "
                       "trace.gait");
    if (!strcmp(path, "-"))
        return err_set(err, STATUS_USAGE,
                       "-o - is not a file: a run is a database and cannot go through a "
                       "pipe; name a file, like run.gait");
    return STATUS_OK;
}

/* The recorder chose the steps and kept all their spans: only -o is left to say. */
static enum status import_recording(const struct args *args, const char *folder,
                                    const char *path, struct err *err)
{
    bool saved;
    for (size_t i = 0; i < args->n_options; i++)
        if (strcmp(args->options[i].name, "output") != 0)
            return err_set(err, STATUS_USAGE,
                           "%s is a recording, and --%s is for traces; leave it out",
                           folder, args->options[i].name);
    enum status st = save_recording(folder, path, 0, &saved, err);
    if (!st && !saved)
        st = err_set(err, STATUS_INPUT, "%s holds no recorded steps: no run was written",
                     folder);
    return st;
}

static enum status cmd_import(const struct args *args, struct err *err)
{
    const char *path = args_value(args, "output");
    struct load_options options = {.parts = RUN_PARTS_ALL};
    enum status st = keep_spans_of(args, &options.keep_spans, err);
    if (!st)
        st = read_options(&options, args, err);
    if (!st)
        st = read_steps(&options, args, err);
    if (!st)
        st = check_output(path, err);
    if (st)
        return st;
    if (args->n_operands == 1 && record_folder_is(args->operands[0]))
        return import_recording(args, args->operands[0], path, err);
    struct run run;
    struct load_result loaded;
    const char *wrote = output_word(path);
    run_init(&run);
    st = load_runs(&run, &loaded, args->operands, args->n_operands, &options, err);
    if (!st)
        st = run_save(&run, path, err);
    if (!st) {
        log_line("%s %s: %s of %s spans in full", wrote, path,
                 unit_thousands((int64_t)run.spans.table.n).s,
                 unit_thousands(spans_seen(&run)).s);
        damage_warnings(&run);
        step_warnings(&run, &options);
        st = load_status(&loaded, err);
    }
    run_release(&run);
    return st;
}

static const struct option options[] = {
    {"output", 'o', "RUN", "the run file to write, *.gait"},
    {"keep-spans", 0, "N|all",
     "keep all spans where there are at most N of them,\n"
     "                          else those of a few typical steps"},
    READ_STEPS_OPTION,
    READ_OPTIONS,
};

const struct command command_import = {
    .name = "import",
    .run = cmd_import,
    .summary = "traces to one run file, an SQLite database",
    .operands = "TRACE…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "The sums in the run cover everything that was recorded, whatever is kept.\n"
        "Import each rank where its trace lies, then analyze the run files together.\n"
        "A folder stands for the traces in it, a quoted pattern for what it matches,\n"
        "@LIST for the files that a text file names, - for standard input. The folder\n"
        "of gait record --traces, or one that it kept, becomes its run.",
    .example = "import trace.json.gz -o trace.gait",
};
