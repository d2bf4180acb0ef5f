/* Did the change work, and is it still the same model? */
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "cli/args.h"
#include "cli/load_pair.h"
#include "cli/show_analysis.h"
#include "cli/two_jobs.h"
#include "cli/verify_history.h"
#include "verify/verify.h"
#include "verify/verify_files.h"
#ifdef GAIT_TRAIN
#include "cli/settings_args.h"
#include "machine/noise.h"
#include "verify/equal_time.h"
#include "verify/proof.h"
#endif

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- what is printed, and written into files */

static const struct file_option {
    const char *name;
    void (*print)(struct strbuf *, const struct verify_result *,
                  const struct verify_shown *);
} file_options[] = {
    {"junit", verify_print_junit},
    {"markdown", verify_print_markdown},
};
enum { FILE_OPTIONS = sizeof file_options / sizeof *file_options };

/* "-" is stdout, in place of the table. */
static bool is_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

/* By its end: runs, traces and configs. */
static bool names_input(const char *path)
{
    static const char *const ends[] = {".gait", ".json", ".gz", ".zst", ".yaml", ".yml"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(dot, ends[i]))
            return true;
    return false;
}

/* "--markdown a.gait b.gait c.gait" forgets the file, and would cost a recording. */
static enum status check_file(const struct args *args, const char *option,
                              struct err *err)
{
    const char *path = args_value(args, option);
    if (!path || is_stdout(path))
        return STATUS_OK;
    bool input = names_input(path);
    for (size_t i = 0; i < args->n_operands; i++)
        input = input || (file_is_same(path, args->operands[i]) && !file_is_dir(path));
    if (input)
        return err_set(err, STATUS_USAGE,
                       "--%s %s would replace a recording, a trace or a config; choose "
                       "another name",
                       option, path);
    return file_check_writable(path, err);
}

/* Before the work, whose result would be lost. */
static enum status check_files_written(const struct args *args, struct err *err)
{
    int on_stdout = args_has(args, "json") + args_has(args, "brief");
    enum status st = STATUS_OK;
    for (int i = 0; i < FILE_OPTIONS && !st; i++) {
        on_stdout += is_stdout(args_value(args, file_options[i].name));
        st = check_file(args, file_options[i].name, err);
    }
    if (!st && on_stdout > 1)
        st = err_set(err, STATUS_USAGE,
                     "--json, --brief, --junit - and --markdown - exclude each other; "
                     "give one, and a file to the others");
    return st;
}

static enum status write_file(const struct args *args, const struct file_option *o,
                              const struct verify_result *r,
                              const struct verify_shown *shown, struct err *err)
{
    const char *path = args_value(args, o->name);
    struct strbuf text;
    enum status st = STATUS_OK;
    if (!path)
        return STATUS_OK;
    strbuf_init(&text);
    o->print(&text, r, shown);
    if (is_stdout(path))
        fwrite(text.s, 1, text.len, stdout);
    else
        st = file_write(path, text.s, text.len, err);
    strbuf_release(&text);
    return st;
}

static void print_screen(const struct verify_result *result, const struct args *args,
                         const struct verify_shown *shown)
{
    struct strbuf out;
    for (int i = 0; i < FILE_OPTIONS; i++)
        if (is_stdout(args_value(args, file_options[i].name)))
            return;
    strbuf_init(&out);
    if (args_has(args, "json"))
        verify_print_json(&out, result, shown->unread);
    else if (args_has(args, "brief"))
        verify_print_brief(&out, result, shown);
    else
        verify_print(&out, result);
    fwrite(out.s, 1, out.len, stdout);
    strbuf_release(&out);
}

static enum status print_result(const struct verify_result *result,
                                const struct args *args, bool recordings, size_t unread,
                                struct err *err)
{
    struct verify_shown shown = {.recordings = recordings, .unread = unread};
    bool two = args->n_operands == 2; /* else a config against a baseline */
    shown.subject[0] = two ? args->operands[0] : args_value(args, "baseline");
    shown.subject[1] = args->operands[two ? 1 : 0];
    enum status st = STATUS_OK;
    print_screen(result, args, &shown);
    for (int i = 0; i < FILE_OPTIONS && !st; i++)
        st = write_file(args, &file_options[i], result, &shown, err);
    return st ? st : verify_status(result, err);
}

static enum status verify_recordings(const struct args *args, struct err *err)
{
    const struct load_options options = {.parts = RUN_PARTS_AGGREGATES};
    struct run run[2];
    struct load_result loaded;
    struct verify_result result;
    run_init(&run[0]);
    run_init(&run[1]);
    enum status st = load_pair(run, &loaded, args->operands, &options, err);
    if (!st) {
        verify_runs(&result, &run[0], &run[1]);
        st = print_result(&result, args, true, loaded.failed, err);
        if (loaded.failed) /* a part of a run proves nothing, whatever the gates say */
            st = load_status(&loaded, err);
        st = verify_keep_runs(st, args, &run[1], &result, loaded.failed, err);
    }
    run_release(&run[0]);
    run_release(&run[1]);
    return st;
}

/* --- two that are timed here --- */

static const double BUDGET_S = 60;

static enum status read_limits(struct targets *targets, double *budget_s,
                               const struct args *args, struct err *err)
{
    *targets = targets_default();
    *budget_s = BUDGET_S;
    enum status st = args_real(args, "budget", 1, 1e6, budget_s, err);
    if (!st && args_value(args, "targets"))
        st = targets_read(targets, args_value(args, "targets"), err);
    return st;
}

#ifdef GAIT_TRAIN
/* After the other gates: it may take long, and they tell whether it is worth it. */
static enum status add_equal_time(struct verify_result *out, const struct config *config,
                                  double seconds, struct err *err)
{
    struct equal_time e;
    if (!(seconds > 0))
        return STATUS_OK;
    enum status st = equal_time_measure(&e, &config[0], &config[1], seconds, err);
    if (!st)
        equal_time_gate(out, &e);
    return st;
}

static enum status verify_configs(const struct args *args, struct err *err)
{
    struct config config[2];
    struct verify_result result;
    struct proof proof;
    struct targets targets;
    struct proof_options o = {0};
    enum status st = read_limits(&targets, &o.budget_s, args, err);
    double equal_s = 0;
    if (!st)
        st = args_real(args, "equal-time", 0.1, 1e6, &equal_s, err);
    if (st)
        return st;
    o.decides = targets_slowdown(&targets);
    struct verify_baseline baseline = {0};
    st = verify_read_configs(config, &baseline, args, err);
    struct noise_mark begin = noise_begin();
    if (!st)
        st = proof_measure(&proof, &config[0], &config[1], &o, err);
    struct noise_text busy = noise_text_since(&begin);
    if (!st) {
        proof_gates(&result, &proof, &targets);
        snprintf(result.busy, sizeof result.busy, "%s", busy.s);
        result.baseline = baseline;
        st = proof_gate_bits(&result, &proof, &config[1], err);
    }
    if (!st)
        proof_gate_files(&result, &config[1]);
    if (!st)
        st = add_equal_time(&result, config, equal_s, err);
    if (!st) {
        st = print_result(&result, args, false, 0, err);
        st = verify_keep_configs(st, args, config, &result, err);
    }
    config_release(&config[0]);
    config_release(&config[1]);
    return st;
}
#else
static enum status verify_configs(const struct args *args, struct err *err)
{
    return command_needs_trainer(args, err);
}
#endif

/* --- two jobs --- */

static const double PATIENCE_S = 600;

/* Gates that need the trainer's own figures. */
static enum status check_targets(const struct targets *x, struct err *err)
{
    const char *name = !isnan(x->max_logit_error)   ? "max_logit_error"
                       : !isnan(x->max_loader_wait) ? "max_loader_wait"
                                                    : NULL;
    if (!name)
        return STATUS_OK;
    return err_set(err, STATUS_INPUT,
                   "the target %s is of two configs; jobs have no such gate", name);
}

/* A run or a config would be taken for a program, with an odd message. */
static enum status check_commands(const struct args *args, struct err *err)
{
    for (size_t i = 0; i < 2; i++) {
        const char *word = args->operands[i];
        if (!word[strspn(word, " ")])
            return err_set(err, STATUS_USAGE, "--ab: the %s command is empty",
                           i ? "second" : "first");
        if (names_input(word) && !strchr(word, ' '))
            return err_set(err, STATUS_USAGE,
                           "--ab takes two commands, as in --ab 'python before.py' "
                           "'python after.py'; %s is a file: leave --ab out",
                           word);
    }
    return STATUS_OK;
}

static void say_who_ended(const struct two_jobs *t, struct verify_result *r)
{
    if (!t->ended_by)
        return;
    log_line("gait verify: the training of the %s job was over, and the timing with it",
             t->ended_by->named.which);
    r->if_unsure = "let both jobs train longer";
}

static enum status measure_jobs(struct two_jobs *t, struct ab_measured *m,
                                struct run run[2], const struct ab_options *o,
                                struct err *err)
{
    enum status st = two_jobs_time(t, m, o, err);
    if (!st)
        st = two_jobs_finish(t, err);
    return st ? st : two_jobs_read(t, run, err);
}

static enum status verify_commands(const struct args *args, struct err *err)
{
    struct two_jobs jobs;
    struct ab_measured measured;
    struct verify_result result;
    struct targets targets;
    struct run run[2];
    struct ab_options o = {.narrow = AB_NARROW};
    double patience_s = PATIENCE_S;
    enum status st = read_limits(&targets, &o.budget_s, args, err);
    if (!st)
        st = args_real(args, "patience", 1, 1e6, &patience_s, err);
    if (!st)
        st = check_targets(&targets, err);
    if (!st)
        st = check_commands(args, err);
    if (st)
        return st;
    o.decides = targets_slowdown(&targets);
    run_init(&run[0]);
    run_init(&run[1]);
    st = two_jobs_open(&jobs, args->operands, patience_s, err);
    if (!st)
        st = measure_jobs(&jobs, &measured, run, &o, err);
    if (!st) {
        verify_jobs(&result, &measured, &run[0], &run[1], &targets);
        result.subject[0] = args->operands[0];
        result.subject[1] = args->operands[1];
        say_who_ended(&jobs, &result);
    }
    two_jobs_close(&jobs);
    if (!st)
        st = print_result(&result, args, false, 0, err);
    run_release(&run[0]);
    run_release(&run[1]);
    return st;
}

/* --- the command --- */

/* "python a.py" is no file: meant was --ab. */
static bool looks_like_command(const char *word)
{
    return strchr(word, ' ') && !file_exists(word);
}

static enum status check_files(const struct args *args, struct err *err)
{
    if (args_has(args, "patience"))
        return err_set(err, STATUS_USAGE, "--patience is for two commands: --ab");
    if (looks_like_command(args->operands[0]) && looks_like_command(args->operands[1]))
        return err_set(err, STATUS_USAGE,
                       "\"%.160s\" is not a file; to run and compare two commands: gait "
                       "verify --ab '…' '…'",
                       args->operands[0]);
    return STATUS_OK;
}

static enum status cmd_verify(const struct args *args, struct err *err)
{
    enum status st = verify_history_check(args, err);
    if (!st && args_has(args, "trend") && args_has(args, "brief"))
        st = err_set(err, STATUS_USAGE, "--trend has no --brief; give --json");
    if (st || args_has(args, "trend"))
        return st ? st : verify_trend(args, err);
    st = check_files_written(args, err);
    if (st)
        return st;
    if (args_has(args, "ab"))
        return verify_commands(args, err);
    if (args_has(args, "save-baseline"))
        return verify_save_baseline(args, err);
    if (args_has(args, "baseline"))
        return verify_configs(args, err);
    st = check_files(args, err);
    if (st)
        return st;
    bool before = path_is_config(args->operands[0]),
         after = path_is_config(args->operands[1]);
    const char *config = args->operands[before ? 0 : 1];
    if (before != after)
        return err_set(err, STATUS_USAGE,
                       "%s is a config and %s is none: give two configs, or record a run "
                       "of it: gait profile %s -o run.gait",
                       config, args->operands[before ? 1 : 0], config);
    if (!before && (args_has(args, "targets") || args_has(args, "budget") ||
                    args_has(args, "equal-time")))
        return err_set(err, STATUS_USAGE,
                       "--targets and --budget are for two configs or commands (--ab), "
                       "--equal-time is for two configs: they run here; recordings are "
                       "compared as they are");
    return before ? verify_configs(args, err) : verify_recordings(args, err);
}

static const struct option options[] = {
    {"ab", 0, NULL, "BEFORE and AFTER are commands of PyTorch jobs: run both here"},
    {"targets", 0, "FILE", "configs, commands: what must be reached (docs/verify.md)"},
    {"budget", 0, "SECONDS", "configs, commands: for timing, at most [60]"},
    {"patience", 0, "SECONDS", "commands: with a job that takes no step [600]"},
    {"equal-time", 0, "SECONDS", "configs: which loss is lower after so long?"},
    {"junit", 0, "FILE", "write the gates as JUnit XML too; - for stdout"},
    {"markdown", 0, "FILE", "write them as a comment of a pull request; - likewise"},
    JSON_OPTIONS("the gates as JSON (docs/verify.md)"),
    {"history", 0, "FILE", "append the gates to a history (docs/verify.md)"},
    {"trend", 0, NULL, "of a history alone: each step time over time"},
    {"baseline", 0, "NAME", "CONFIG against a baseline of the history"},
    {"save-baseline", 0, "NAME", "keep CONFIG as a baseline in the history"},
    {"replace", 0, NULL, "with --save-baseline: also one that is there"},
};

const struct command command_verify = {
    .name = "verify",
    .run = cmd_verify,
    .summary = "faster, and still the same model? two runs, configs or commands",
    .operands = "BEFORE AFTER",
    .min_operands = 0, /* verify_history_check() knows how many */
    .max_operands = 2,
    OPTIONS(options),
    .trains = true,
    .about =
        "Two recordings are compared as they are. Two configs (.yaml) are trained here, "
        "in turns.\n--ab 'python before.py' 'python after.py' runs two unedited PyTorch "
        "jobs here, step by\nstep in turns, and ends them.\nExit code 1 where a gate "
        "failed, 3 where none could be applied or "
        "a file could not\nbe read. With --trend, 1 where a step became slower.",
    .example = "verify before.gait after.gait",
};
