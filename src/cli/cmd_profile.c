/* A few training steps with every span recorded: a run file and its analysis. */
#include "cli/args.h"

static const struct option options[] = {
    {"output", 'o', "RUN", "the run file to write [profile.gait]"},
    {"top", 0, "N", "how many operators the table lists"},
    {"roofline", 0, NULL, "the operators under the machine's ceilings, as a picture"},
    {"profile-dir", 0, "FOLDER", "write the run, a summary and its figures there"},
    {"sweep", 0, "KEY=A,B,…", "profile each of these values, and fit how a step grows"},
    {"json", 0, NULL, "the figures as JSON"},
};

#ifdef GAIT_TRAIN
#include "base/clock.h"
#include "base/file.h"
#include "cli/profile_folder.h"
#include "cli/profile_sweep.h"
#include "cli/save_rank.h"
#include "cli/settings_args.h"
#include "cli/show_analysis.h"
#include "train/train.h"

enum { TOP_MAX = 1000 };

/* What is asked for. */
struct request {
    const char *folder; /* NULL: none */
    struct strbuf path; /* of the run */
    struct report_options report;
    enum report_format format;
};

static enum status read_request(struct request *r, const struct args *args,
                                struct err *err)
{
    int64_t top = 0;
    const char *path = args_value(args, "output");
    r->folder = args_value(args, "profile-dir");
    r->format = args_has(args, "json") ? REPORT_JSON : REPORT_TERMINAL;
    r->report.roofline = args_has(args, "roofline");
    enum status st = args_int(args, "top", 1, TOP_MAX, &top, err);
    r->report.top = (int)top;
    bool one = args_has(args, "output") || top || r->report.roofline;
    if (!st && args_has(args, "sweep") && one)
        st = err_set(err, STATUS_USAGE,
                     "--sweep profiles several settings: -o, --top and --roofline are of "
                     "one; leave them out");
    if (!st && r->folder)
        st = profile_folder_make(r->folder, err);
    if (path)
        strbuf_puts(&r->path, path);
    else if (r->folder)
        strbuf_printf(&r->path, "%s/profile.gait", r->folder);
    else
        strbuf_puts(&r->path, "profile.gait");
    return st ? st : file_check_writable(r->path.s, err);
}

static enum status show(const struct request *r, const struct run *run, const char *name,
                        double took_s, struct err *err)
{
    struct report_options o = r->report;
    o.subject = name;
    show_analysis(run, r->format, &o);
    return r->folder ? profile_folder_write(r->folder, run, name, took_s, err)
                     : STATUS_OK;
}

static enum status profile(const struct request *r, const struct config *config,
                           struct err *err)
{
    struct run run;
    struct strbuf name;
    int64_t begin_ns = clock_now_ns();
    strbuf_init(&name);
    run_init(&run);
    enum status st = train_profile(config, true, &run, err);
    if (!st)
        st = save_rank(&name, &run, r->path.s, err);
    if (!st && is_first_rank(&run))
        st = show(r, &run, name.s, (double)(clock_now_ns() - begin_ns) / 1e9, err);
    strbuf_release(&name);
    run_release(&run);
    return st;
}

static enum status cmd_profile(const struct args *args, struct err *err)
{
    struct config config;
    struct request r = {0};
    const char *sweep = args_value(args, "sweep");
    strbuf_init(&r.path);
    enum status st = settings_from_args(&config, args->operands[0], args, err);
    if (!st)
        st = read_request(&r, args, err);
    if (!st && sweep)
        st = profile_sweep(&config, sweep, r.folder, r.format == REPORT_JSON, err);
    else if (!st)
        st = profile(&r, &config, err);
    strbuf_release(&r.path);
    config_release(&config);
    return st;
}
#endif

const struct command command_profile = {
    .name = "profile",
    .run = OF_TRAINER(cmd_profile),
    .summary = "record a few training steps and say where their time goes",
    .operands = "CONFIG",
    .min_operands = 1,
    .max_operands = 1,
    OPTIONS(options),
    .trains = true,
    .takes_settings = true,
    .about = "Records profile_steps steps after profile_warmup others. With several\n"
             "processes each rank writes a file of its own: RUN becomes RUN.rank0.gait …",
    .example = "profile examples/tiny.yaml --top 10 --roofline",
};
