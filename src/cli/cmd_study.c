/* All of it, into one folder: measure, advise, change, prove, report. */
#include "cli/args.h"

static const struct option options[] = {
    {"output", 'o', "FOLDER", "where all of it goes [study]"},
    {"budget", 0, "TIME", "for what is not done yet: 10m, 90s, 1h [10m]"},
};

#ifdef GAIT_TRAIN
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/word_list.h"
#include "cli/settings_args.h"
#include "cli/study_stages.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct study_plan_stage stages[] = {
    {.name = "bench",
     .answers = "what this machine can do, and the model's parts against it",
     .file = "bench.json",
     .from_output = true,
     .words = {"bench", "config.yaml", "--json"}},
    {.name = "diagnose",
     .answers = "what is wrong before training, and how long it takes",
     .file = "diagnose.json",
     .gates = true,
     .from_output = true,
     .words = {"diagnose", "config.yaml", "--json"}},
    {.name = "profile",
     .answers = "where the time of the config as given goes",
     .file = "baseline.gait",
     .words = {"profile", "config.yaml", "-o", "baseline.gait", "--profile-dir",
               "baseline"}},
    {.name = "findings",
     .answers = "the causes, and what each fix would gain (predicted)",
     .file = "findings.json",
     .from_output = true,
     .words = {"analyze", "baseline.gait", "--json"}},
    {.name = "tune",
     .answers = "the settings that make the same training fastest",
     .file = "tune.json",
     .searches = true,
     .from_output = true,
     .share = 0.55,
     .words = {"tune", "config.yaml", "-o", "tuned.yaml", "--json"}},
    {.name = "verify",
     .answers = "faster, and still the same model?",
     .file = "verify.json",
     .of_tuned = true,
     .of_change = true,
     .gates = true,
     .from_output = true,
     .share = 0.2,
     .words = {"verify", "config.yaml", "tuned.yaml", "--json", "--markdown", "verify.md",
               "--junit", "verify.xml"}},
    {.name = "ablate",
     .answers = "what each optimisation is worth",
     .file = "ablation.json",
     .of_tuned = true,
     .from_output = true,
     .share = 0.25,
     .words = {"ablate", "tuned.yaml", "--json"}},
    {.name = "profile tuned",
     .answers = "where the time of the tuned config goes",
     .file = "tuned.gait",
     .of_tuned = true,
     .of_change = true,
     .words = {"profile", "tuned.yaml", "-o", "tuned.gait"}},
    {.name = "report",
     .answers = "all of it on one page",
     .file = "report.html",
     .always = true,
     .words = {"report", ".", "-o", "report.html"}},
};

static enum status read_budget(double *out, const char *text, struct err *err)
{
    char *end;
    if (!text)
        return STATUS_OK;
    double n = strtod(text, &end);
    double unit = !*end || !strcmp(end, "s") ? 1
                  : !strcmp(end, "m")        ? 60
                  : !strcmp(end, "h")        ? 3600
                                             : 0;
    *out = n * unit;
    if (!(*out >= 10 && *out <= 1e6) || end == text)
        return err_set(
            err, STATUS_USAGE,
            "--budget %.40s: give a time of at least 10 s, like 90s, 10m or 1h", text);
    return STATUS_OK;
}

/* "batch_size (12, now 16)": the first that differs; "" where only what is said of them
 * does. */
static void put_other_setting(struct strbuf *out, const struct config *old,
                              const struct config *now)
{
    struct strbuf was, is;
    strbuf_init(&was);
    strbuf_init(&is);
    for (size_t i = 0; i < config_count() && !out->len; i++) {
        strbuf_clear(&was);
        strbuf_clear(&is);
        config_value(&was, old, i);
        config_value(&is, now, i);
        if (strcmp(was.s, is.s) != 0)
            strbuf_printf(out, "%s (%s, now %s)", config_key(i),
                          *was.s ? was.s : "nothing", *is.s ? is.s : "nothing");
    }
    strbuf_release(&was);
    strbuf_release(&is);
}

/* A folder of other settings is not mixed with this one. */
static enum status check_same(const char *path, const char *folder,
                              const struct config *config, struct err *err)
{
    struct config old;
    struct strbuf other;
    config_init(&old);
    strbuf_init(&other);
    enum status st = config_read_yaml(&old, path, err);
    if (!st && !config_equal(&old, config)) {
        put_other_setting(&other, &old, config);
        st = err_set(err, STATUS_USAGE,
                     "%s holds a study of other settings: %s; give another folder with "
                     "-o, or remove it",
                     folder, other.s);
    }
    strbuf_release(&other);
    config_release(&old);
    return st;
}

/* The settings of a study are a file of its folder, which all stages read. */
static enum status put_config(const char *folder, const struct config *config,
                              struct err *err)
{
    struct strbuf yaml;
    char *path = path_join(folder, "config.yaml");
    strbuf_init(&yaml);
    config_print_yaml(config, &yaml);
    enum status st = file_make_folders(folder, err);
    if (!st)
        st = file_exists(path) ? check_same(path, folder, config, err)
                               : file_write(path, yaml.s, yaml.len, err);
    strbuf_release(&yaml);
    mem_free(path);
    return st;
}

/* Paths in the config are of the folder that the user is in; the stages run in another.
 * Names that are no paths stay: `known` are those of the setting, with | between. */
static void make_absolute(char **path, const char *known)
{
    char *cwd, *full;
    if (!**path || **path == '/' || word_list_has(known, '|', *path))
        return;
    cwd = getcwd(NULL, 0);
    if (!cwd)
        return; /* a folder that is gone: the stages say so */
    full = path_join(cwd, *path);
    mem_free(*path);
    *path = full;
    free(cwd);
}

static void make_paths_absolute(struct config *config)
{
    char *data = getenv("GAIT_DATA");
    make_absolute(&config->dataset, "builtin|shakespeare");
    make_absolute(&config->data_dir, "");
    make_absolute(&config->tokenizer, "auto|bytes|chars|gpt2");
    make_absolute(&config->init_from, "");
    make_absolute(&config->checkpoint_dir, "");
    make_absolute(&config->log_dir, "");
    make_absolute(&config->metrics_file, "");
    if (data && *data && *data != '/') {
        char *full = mem_strdup(data);
        make_absolute(&full, "");
        setenv("GAIT_DATA", full, 1);
        mem_free(full);
    }
}

/* Which files there are; a stage that failed makes the study fail. */
static enum status say_files(const char *folder, const struct study *s, struct err *err)
{
    static const struct {
        const char *file, *what;
    } files[] = {{"report.html", "the page"},
                 {"tuned.yaml", "the settings"},
                 {STUDY_FILE, "the commands"}};
    size_t missing = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = path_join(folder, files[i].file);
        if (file_exists(path))
            printf("%s: %s\n", files[i].what, path);
        mem_free(path);
    }
    for (size_t i = 0; i < s->stages; i++)
        missing += *s->stage[i].reason != '\0';
    if (!missing)
        return STATUS_OK;
    return err_set(err, STATUS_FAILED,
                   "%zu of %zu stages have no result: %s/%s says why; the same command "
                   "goes on",
                   missing, s->stages, folder, STUDY_FILE);
}

/* The page's own first figures, and where it is. */
static enum status say_result(const char *folder, struct err *err)
{
    struct study s;
    enum status st = study_read(&s, folder, err);
    if (st)
        return st;
    const struct study_gate *time = study_gate_of(&s, "step time");
    if (s.faster && time) {
        struct strbuf verdict;
        strbuf_init(&verdict);
        study_put_verdict(&verdict, &s);
        printf("A step takes %s instead of %s: %s\nIt is %s.\n", time->after,
               time->before, time->remark, verdict.s);
        strbuf_release(&verdict);
    } else if (s.searched)
        printf("Nothing that was run is faster than the config as given.\n");
    st = say_files(folder, &s, err);
    study_release(&s);
    return st;
}

static enum status study(const char *name, const char *folder, struct config *config,
                         double budget_s, bool quiet, struct err *err)
{
    const struct study_plan plan = {.stage = stages,
                                    .n = sizeof stages / sizeof *stages,
                                    .config = name,
                                    .folder = folder,
                                    .budget_s = budget_s,
                                    .quiet = quiet};
    make_paths_absolute(config);
    enum status st = put_config(folder, config, err);
    if (!st)
        st = study_stages_run(&plan, err);
    return st ? st : say_result(folder, err);
}

static enum status cmd_study(const struct args *args, struct err *err)
{
    struct config config;
    double budget_s = 600;
    const char *folder =
        args_value(args, "output") ? args_value(args, "output") : "study";
    enum status st = settings_from_args(&config, args->operands[0], args, err);
    if (!st)
        st = read_budget(&budget_s, args_value(args, "budget"), err);
    if (!st)
        st = study(args->operands[0], folder, &config, budget_s, args->quiet, err);
    config_release(&config);
    return st;
}
#endif

const struct command command_study = {
    .name = "study",
    .run = OF_TRAINER(cmd_study),
    .summary = "all of it into one folder: measure, advise, change, prove, report",
    .operands = "CONFIG",
    .min_operands = 1,
    .max_operands = 1,
    OPTIONS(options),
    .takes_settings = true,
    .about = "Runs bench, diagnose, profile, analyze, tune, ablate, verify and report. A "
             "study that\nwas stopped goes on where it was: give the same command again.",
    .example = "study examples/tiny.yaml --budget 10m",
};
