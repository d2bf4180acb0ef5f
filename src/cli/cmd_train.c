/* Trains a model; progress on stderr, the result on stdout. */
#include "cli/args.h"

static const struct option options[] = {
    {"output", 'o', "RUN", "write losses, memory and settings as a run, *.gait"},
    {"json", 0, NULL, "the result as JSON"},
    {"print-config", 0, NULL, "only print the settings in effect, as YAML"},
};

#ifdef GAIT_TRAIN
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "cli/save_rank.h"
#include "cli/settings_args.h"
#include "cli/train_summary.h"
#include "run/run_file.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRAIN_JSON_VERSION = 1 };

/* A single batch says nothing about its own error. */
static bool has_standard_error(const struct train_result *r)
{
    return isfinite(r->validation_standard_error) && r->validation_standard_error > 0;
}

static void print_result_json(const struct train_result *r,
                              const struct measured_peak *peak)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-train");
    json_field_int(&w, "version", TRAIN_JSON_VERSION);
    json_field_int(&w, "steps", r->steps);
    json_field_int(&w, "parameters", r->parameters);
    json_field_double(&w, "loss", r->loss, 9);
    json_field_double(&w, "validation_loss", r->validation_loss, 9);
    json_field_double(&w, "validation_standard_error",
                      has_standard_error(r) ? r->validation_standard_error : NAN, 9);
    json_field_int(&w, "validation_tokens", r->validation_tokens);
    json_field_double(&w, "entropy", r->entropy, 9);
    json_field_double(&w, "validation_text_nats", r->validation_text_nats, 9);
    json_field_double(&w, "wall_s", r->wall_s, 6);
    train_summary_json(&w, &r->usage, peak);
    json_end(&w);
    fputs(out.s, stdout);
    strbuf_release(&out);
}

static void print_result(const struct train_result *r, const struct measured_peak *peak)
{
    char error[32] = "N/A";
    bool known = has_standard_error(r);
    if (known)
        snprintf(error, sizeof error, "%.4f", r->validation_standard_error);
    char when[96];
    if (r->resumed == r->steps)
        snprintf(when, sizeof when,
                 "; all %lld steps were done before: raise steps to go on",
                 (long long)r->steps);
    else if (r->resumed)
        snprintf(when, sizeof when, " after %lld steps, %lld of them now in %s",
                 (long long)r->steps, (long long)(r->steps - r->resumed),
                 unit_ns_of(r->wall_s * 1e9).s);
    else
        snprintf(when, sizeof when, " after %lld step%s in %s", (long long)r->steps,
                 r->steps == 1 ? "" : "s", unit_ns_of(r->wall_s * 1e9).s);
    printf("validation loss %.4f ± %s nats a token (%s scored%s)%s\n", r->validation_loss,
           error, unit_count((double)r->validation_tokens).s,
           known ? "" : " in a single batch", when);
    if (isfinite(r->entropy))
        printf("the source's entropy is %.4f (exact): the model is %s from what none can "
               "beat\n",
               r->entropy, unit_signed(r->validation_loss - r->entropy, 4).s);
    train_summary_print(&r->usage, peak);
}

static void say_next(const struct config *config)
{
    if (*config->checkpoint_dir)
        log_line("saved to %s   next: gait sample %s \"…\", gait export %s --hf DIR",
                 config->checkpoint_dir, config->checkpoint_dir, config->checkpoint_dir);
    else
        log_line("nothing was saved: --checkpoint-dir DIR keeps what was learned");
}

static enum status train_and_save(const struct config *config, const struct args *args,
                                  struct err *err)
{
    struct train_result result = {0};
    struct run run;
    const char *path = args_value(args, "output");
    struct strbuf name;
    strbuf_init(&name);
    run_init(&run);
    enum status st = path ? file_check_writable(path, err) : STATUS_OK;
    if (!st && path)
        st = run_file_check_target(path, err);
    if (!st)
        st = train_run(config, &result, &run, err);
    if (result.complete && is_first_rank(&run)) {
        struct measured_peak peak = measure_peak(&result.usage);
        (args_has(args, "json") ? print_result_json : print_result)(&result, &peak);
        if (!st)
            say_next(config);
    }
    if (result.complete && path) {
        enum status wrote = save_rank(&name, &run, path, st ? NULL : err);
        st = st ? st : wrote;
    }
    strbuf_release(&name);
    run_release(&run);
    return st;
}

/* Metrics tell trainings apart by their configs, unless the user names them. */
static void name_run(struct config *c, const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');
    char *stem = mem_strndup(name, dot > name ? (size_t)(dot - name) : strlen(name));
    bool shown = c->metrics_port >= 0 || *c->metrics_file || *c->metrics_otlp;
    if (shown && !*c->run_name)
        config_set(c, "run_name", stem, NULL); /* a name that is no text stays away */
    mem_free(stem);
}

static enum status cmd_train(const struct args *args, struct err *err)
{
    struct config config;
    enum status st = settings_from_args(&config, args->operands[0], args, err);
    if (!st && args_has(args, "print-config"))
        print_settings(&config, false);
    else if (!st) {
        name_run(&config, args->operands[0]);
        st = train_and_save(&config, args, err);
    }
    config_release(&config);
    return st;
}
#endif

const struct command command_train = {
    .name = "train",
    .run = OF_TRAINER(cmd_train),
    .summary = "train a model on this machine's CPUs",
    .operands = "CONFIG",
    .min_operands = 1,
    .max_operands = 1,
    OPTIONS(options),
    .trains = true,
    .takes_settings = true,
    .about = "CONFIG is a YAML file; `gait config` prints one to start from. Several\n"
             "processes: mpirun -n N gait train CONFIG.",
    .example = "train my.yaml --steps 100 --warmup-steps 10",
};
