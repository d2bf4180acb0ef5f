/* Did the change work, and is it still the same model? */
#include "base/file.h"
#include "cli/args.h"
#include "cli/load_pair.h"
#include "verify/verify.h"
#include "verify/verify_files.h"
#ifdef GAIT_TRAIN
#include "cli/settings_args.h"
#include "verify/equal_time.h"
#include "verify/proof.h"
#endif

#include <stdio.h>
#include <string.h>

static enum status write_file(const struct args *args, const char *option,
                              void (*put)(struct strbuf *, const struct verify_result *),
                              const struct verify_result *r, struct err *err)
{
    struct strbuf text;
    if (!args_value(args, option))
        return STATUS_OK;
    strbuf_init(&text);
    put(&text, r);
    enum status st = file_write(args_value(args, option), text.s, text.len, err);
    strbuf_release(&text);
    return st;
}

static enum status print_result(const struct verify_result *result,
                                const struct args *args, size_t unread, struct err *err)
{
    struct strbuf out;
    strbuf_init(&out);
    if (args_has(args, "json"))
        verify_print_json(&out, result, unread);
    else
        verify_print(&out, result);
    fwrite(out.s, 1, out.len, stdout);
    strbuf_release(&out);
    enum status st = write_file(args, "junit", verify_print_junit, result, err);
    if (!st)
        st = write_file(args, "markdown", verify_print_markdown, result, err);
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
        st = print_result(&result, args, loaded.failed, err);
        if (loaded.failed) /* a part of a run proves nothing, whatever the gates say */
            st = load_status(&loaded, err);
    }
    run_release(&run[0]);
    run_release(&run[1]);
    return st;
}

static bool is_config(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

#ifdef GAIT_TRAIN
static const double BUDGET_S = 60;

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
    struct targets targets = targets_default();
    struct proof_options o = {.budget_s = BUDGET_S};
    double equal_s = 0;
    enum status st = args_real(args, "budget", 1, 1e6, &o.budget_s, err);
    if (!st)
        st = args_real(args, "equal-time", 0.1, 1e6, &equal_s, err);
    if (!st && args_value(args, "targets"))
        st = targets_read(&targets, args_value(args, "targets"), err);
    o.decides = targets_slowdown(&targets);
    if (st)
        return st;
    st = settings_from_args(&config[0], args->operands[0], args, err);
    config_init(&config[1]);
    if (!st) {
        config_release(&config[1]);
        st = settings_from_args(&config[1], args->operands[1], args, err);
    }
    if (!st)
        st = proof_measure(&proof, &config[0], &config[1], &o, err);
    if (!st) {
        proof_gates(&result, &proof, &targets);
        st = proof_gate_bits(&result, &proof, &config[1], err);
    }
    if (!st)
        st = add_equal_time(&result, config, equal_s, err);
    if (!st)
        st = print_result(&result, args, 0, err);
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

static enum status cmd_verify(const struct args *args, struct err *err)
{
    bool before = is_config(args->operands[0]), after = is_config(args->operands[1]);
    const char *config = args->operands[before ? 0 : 1];
    if (before != after)
        return err_set(err, STATUS_USAGE,
                       "%s is a config and %s is none: give two configs, or record a run "
                       "of it: gait profile %s -o run.gait",
                       config, args->operands[before ? 1 : 0], config);
    if (!before && (args_has(args, "targets") || args_has(args, "budget") ||
                    args_has(args, "equal-time")))
        return err_set(err, STATUS_USAGE,
                       "--targets, --budget and --equal-time are for two configs, which "
                       "are trained here; recordings are compared as they are");
    return before ? verify_configs(args, err) : verify_recordings(args, err);
}

static const struct option options[] = {
    {"targets", 0, "FILE", "configs: what must be reached (docs/verify.md)"},
    {"budget", 0, "SECONDS", "configs: for timing, at most [60]"},
    {"equal-time", 0, "SECONDS", "configs: which loss is lower after so long?"},
    {"junit", 0, "FILE", "write the gates as JUnit XML too"},
    {"markdown", 0, "FILE", "write them as Markdown too"},
    {"json", 0, NULL, "the gates as JSON (docs/verify.md)"},
};

const struct command command_verify = {
    .name = "verify",
    .run = cmd_verify,
    .summary = "faster, and still the same model? two runs, or two configs",
    .operands = "BEFORE AFTER",
    .min_operands = 2,
    .max_operands = 2,
    OPTIONS(options),
    .trains = true,
    .about =
        "Two recordings are compared as they are. Two configs (.yaml) are trained here, "
        "in turns.\nExit code 1 where a gate failed, 3 where none could be applied or "
        "a file could not\nbe read.",
    .example = "verify before.gait after.gait",
};
