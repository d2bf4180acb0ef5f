/* A few training steps with every span recorded: a run file and its analysis. */
#include "cli/args.h"

static const struct option options[] = {
    {"output", 'o', "RUN", "the run file to write [profile.gait]"},
    {"json", 0, NULL, "the figures as JSON"},
};

#ifdef GAIT_TRAIN
#include "base/file.h"
#include "cli/save_rank.h"
#include "cli/settings_args.h"
#include "cli/show_analysis.h"
#include "train/train.h"

static enum status cmd_profile(const struct args *args, struct err *err)
{
    const char *path = args_value(args, "output");
    struct config config;
    struct run run;
    struct strbuf name;
    if (!path)
        path = "profile.gait";
    strbuf_init(&name);
    run_init(&run);
    enum status st = settings_from_args(&config, args->operands[0], args, err);
    if (!st)
        st = file_check_writable(path, err);
    if (!st)
        st = train_profile(&config, &run, err);
    if (!st)
        st = save_rank(&name, &run, path, err);
    if (!st && is_first_rank(&run)) {
        struct report_options o = {.subject = name.s};
        show_analysis(&run, args_has(args, "json") ? REPORT_JSON : REPORT_TERMINAL, &o);
    }
    strbuf_release(&name);
    run_release(&run);
    config_release(&config);
    return st;
}
#endif

const struct command command_profile = {
    .name = "profile",
#ifdef GAIT_TRAIN
    .run = cmd_profile,
#else
    .run = command_needs_trainer,
#endif
    .summary = "record a few training steps and say where their time goes",
    .operands = "CONFIG",
    .min_operands = 1,
    .max_operands = 1,
    OPTIONS(options),
    .takes_settings = true,
    .about = "Records profile_steps steps after profile_warmup others. With several\n"
             "processes each rank writes a file of its own: RUN becomes RUN.rank0.gait …",
    .example = "profile my.yaml -o before.gait",
};
