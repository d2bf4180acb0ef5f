/*
 * An unedited PyTorch job, recorded. The job is started with a hook on its PYTHONPATH
 * (hook/), which writes into a private folder; when the job has ended, the folder becomes
 * a run. The exit code is the job's; where that is 0 and the run could not be saved, it
 * says so, and the folder is kept.
 */
#include "base/file.h"
#include "base/folder_reader.h"
#include "base/leftover.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cli/args.h"
#include "cli/record_files.h"
#include "cli/record_job.h"
#include "cli/record_plans.h"
#include "cli/save_recording.h"
#include "run/run_file.h"

#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_MAX = 32, VARIABLES_MAX = 16 };

/* Options that are numbers, and the variable through which the hook gets them. */
static const struct number_option {
    const char *option, *variable;
    double min, max;
    bool whole;
} number_options[] = {
    {"warmup", "GAIT_RECORD_WARMUP", 0, 1e6, true},
    {"rounds", "GAIT_RECORD_ROUNDS", 1, 1000, true},
    {"untraced", "GAIT_RECORD_UNTRACED", 1, 10000, true},
    {"traced", "GAIT_RECORD_TRACED", 1, 1000, true},
    {"seconds", "GAIT_RECORD_SECONDS", 0, 1e6, false},
    {"replacements", "GAIT_RECORD_REPLACEMENTS", 0, 1e5, false},
};
enum { NUMBER_OPTIONS = sizeof number_options / sizeof *number_options };

struct recording {
    char *hook, *folder, *python_path, *output;
    bool keep_folder;
    struct strbuf
        kept; /* where it is, for the case that memory ends before it is saved */
    struct job_variable variables[VARIABLES_MAX];
    size_t n_variables;
};

static void add_variable(struct recording *r, const char *name, const char *value)
{
    if (r->n_variables == VARIABLES_MAX)
        BUG("more than %d variables", VARIABLES_MAX);
    r->variables[r->n_variables++] = (struct job_variable){name, value};
}

static enum status add_numbers(struct recording *r, const struct args *args,
                               struct err *err)
{
    for (size_t i = 0; i < NUMBER_OPTIONS; i++) {
        const struct number_option *o = &number_options[i];
        int64_t whole = 0;
        double real = 0;
        enum status st =
            o->whole
                ? args_int(args, o->option, (int64_t)o->min, (int64_t)o->max, &whole, err)
                : args_real(args, o->option, o->min, o->max, &real, err);
        if (st)
            return st;
        if (args_has(args, o->option))
            add_variable(r, o->variable, args_value(args, o->option));
    }
    return STATUS_OK;
}

static enum status check_output(const char *path, struct err *err)
{
    enum status st = run_file_check_target(path, err);
    return st ? st : file_check_writable(path, err);
}

/* All that can be wrong is found before the job starts. */
static enum status prepare(struct recording *r, const struct args *args, struct err *err)
{
    const char *output = args_value(args, "output");
    enum status st = add_numbers(r, args, err);
    if (st)
        return st;
    r->output = output ? mem_strdup(output)
                       : record_output_name(args->operands, args->n_operands);
    st = check_output(r->output, err);
    if (!st)
        st = record_find_hook(&r->hook, err);
    if (!st)
        st = record_make_folder(&r->folder, args_value(args, "traces"), err);
    if (st)
        return st;
    r->keep_folder = args_has(args, "traces");
    strbuf_printf(&r->kept,
                  "What was recorded is kept in %s; once that is fixed, run:\n"
                  "    gait import '%s' -o '%s'",
                  r->folder, r->folder, r->output);
    r->python_path = record_python_path(r->hook);
    add_variable(r, "PYTHONPATH", r->python_path);
    add_variable(r, "GAIT_RECORD_DIR", r->folder);
    if (args_has(args, "stop-after"))
        add_variable(r, "GAIT_RECORD_STOP_AFTER", "1");
    if (!getenv("KINETO_LOG_LEVEL")) /* else the tracer prints on the job's stderr */
        add_variable(r, "KINETO_LOG_LEVEL", "99");
    return STATUS_OK;
}

static void recording_release(struct recording *r)
{
    if (r->folder && !r->keep_folder)
        folder_remove(r->folder);
    if (r->folder)
        leftover_forget(r->folder);
    strbuf_release(&r->kept);
    mem_free(r->hook);
    mem_free(r->folder);
    mem_free(r->python_path);
    mem_free(r->output);
}

/* The job ran for its own sake: its exit code stands, unless it is 0 and what was
 * recorded is not where it should be. */
static enum status keep(struct recording *r, int exit_code)
{
    struct err why = ERR_INIT;
    leftover_forget(r->folder); /* it is no longer empty */
    mem_say_if_refused(r->kept.s);
    bool saved = false;
    enum status st = save_recording(r->folder, r->output, exit_code, &saved, &why);
    mem_say_if_refused(NULL);
    if (!st && !saved)
        log_line("gait record: nothing was recorded; the exit code is the job's own");
    if (!st)
        return (enum status)exit_code;
    r->keep_folder = true;
    fprintf(stderr, "gait: %s\n%s\n", why.text, r->kept.s);
    return exit_code ? (enum status)exit_code : why.status;
}

static enum status cmd_record(const struct args *args, struct err *err)
{
    struct recording r = {0};
    int exit_code = 0;
    strbuf_init(&r.kept);
    enum status st = prepare(&r, args, err);
    if (!st) {
        struct record_plans *plans = record_plans_start(r.folder);
        const struct job_command command = {.words = args->operands,
                                            .n = args->n_operands,
                                            .variables = r.variables,
                                            .n_variables = r.n_variables};
        st = record_job_run(&command, &exit_code, err);
        record_plans_stop(plans);
    }
    if (!st)
        st = keep(&r, exit_code);
    recording_release(&r);
    return st;
}

static const struct option options[] = {
    {"output", 'o', "RUN", "the run file to write [the script's name, *.gait]"},
    {"warmup", 0, "N", "steps before the first round [5]"},
    {"rounds", 0, "N", "rounds of untraced and traced steps [5]"},
    {"untraced", 0, "N", "untraced steps of a round [5]"},
    {"traced", 0, "N", "traced steps of a round [5]"},
    {"seconds", 0, "S", "begin no new round after so many seconds [120]"},
    {"replacements", 0, "S",
     "measure faster ways of what the job does for so\n"
     "                          many seconds, in the job, after the rounds [10]; 0: do "
     "not"},
    {"stop-after", 0, NULL, "end a job of one process when it is recorded"},
    {"traces", 0, "DIR", "keep all traces and what was timed in this new folder"},
};

const struct command command_record = {
    .name = "record",
    .run = cmd_record,
    .summary = "run a PyTorch job as it is and record some of its steps",
    .operands = "-- COMMAND…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "The job runs to its own end with its own output; the exit code is the job's.\n"
        "Steps are counted by the optimizer. Some are timed without the tracer, some "
        "are\n"
        "traced; then the hook falls silent. Each process of a torchrun job is a rank.",
    .example = "record -- python train.py --epochs 1",
};
