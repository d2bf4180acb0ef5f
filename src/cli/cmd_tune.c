/* Which settings make the same training fastest here. */
#include "cli/args.h"

static const struct option options[] = {
    {"output", 'o', "FILE", "write the tuned config; FILE.trials keeps what was tried"},
    {"budget", 0, "SECONDS", "for all comparisons together [180]"},
    {"keep", 0, "KEY,…", "settings that stay as they are"},
    {"overhead", 0, "PERCENT",
     "choose eval and checkpoint intervals for this share, each"},
    {"json", 0, NULL, "all that was tried as JSON"},
};

#ifdef GAIT_TRAIN
#include "base/file.h"
#include "base/mem.h"
#include "cli/settings_args.h"
#include "machine/noise.h"
#include "tune/tune_print.h"

#include <stdio.h>

static const double BUDGET_S = 180;

struct tuning {
    struct config config;
    struct tune_result result;
    struct tune_intervals intervals;
    double overhead; /* percent; 0: not asked for */
};

static const struct tune_intervals *asked(const struct tuning *t)
{
    return t->overhead > 0 ? &t->intervals : NULL;
}

static enum status search(struct tuning *t, const struct tune_options *o, struct err *err)
{
    struct config best;
    struct noise_mark begin = noise_begin();
    enum status st = tune_run(&t->result, &t->config, o, err);
    snprintf(t->result.busy, sizeof t->result.busy, "%s", noise_text_since(&begin).s);
    if (st || !(t->overhead > 0))
        return st;
    tune_best_config(&best, &t->result, &t->config);
    st = intervals_measure(&t->intervals, &best, t->overhead / 100, err);
    config_release(&best);
    return st;
}

static enum status show(const struct tuning *t, const struct args *args, struct err *err)
{
    const char *output = args_value(args, "output");
    struct strbuf out;
    enum status st = STATUS_OK;
    strbuf_init(&out);
    if (output) {
        tune_print_yaml(&out, &t->result, &t->config, asked(t));
        st = file_write(output, out.s, out.len, err);
        strbuf_clear(&out);
    }
    if (args_has(args, "json"))
        tune_print_json(&out, &t->result, &t->config, asked(t));
    else
        tune_print(&out, &t->result, &t->config, asked(t));
    if (!args_has(args, "json") && output)
        strbuf_printf(&out, "\nWritten: %s\n", output);
    fwrite(out.s, 1, out.len, stdout);
    strbuf_release(&out);
    return st;
}

static enum status cmd_tune(const struct args *args, struct err *err)
{
    struct tuning *t = mem_zalloc(1, sizeof *t);
    struct strbuf trials;
    struct tune_options o = {.budget_s = BUDGET_S, .keep = args_value(args, "keep")};
    const char *output = args_value(args, "output");
    strbuf_init(&trials);
    enum status st = settings_from_args(&t->config, args->operands[0], args, err);
    if (!st)
        st = args_real(args, "budget", 1, 1e6, &o.budget_s, err);
    if (!st)
        st = args_real(args, "overhead", 0.01, 50, &t->overhead, err);
    if (!st && output)
        st = file_check_writable(output, err);
    if (!st && output) {
        strbuf_printf(&trials, "%s.trials", output);
        o.path = trials.s;
    }
    if (!st)
        st = search(t, &o, err);
    if (!st)
        st = show(t, args, err);
    tune_release(&t->result);
    config_release(&t->config);
    strbuf_release(&trials);
    mem_free(t);
    return st;
}
#endif

const struct command command_tune = {
    .name = "tune",
    .run = OF_TRAINER(cmd_tune),
    .summary = "the settings that make the same training fastest here, by running them",
    .operands = "CONFIG",
    .min_operands = 1,
    .max_operands = 1,
    OPTIONS(options),
    .trains = true,
    .takes_settings = true,
    .about =
        "Each value is tried alone, what promises most is tried together, and what "
        "does not pay\ngoes back. Only what trains the same model is taken. With -o, "
        "a search that was\nstopped goes on where it was.",
    .example = "tune examples/tiny.yaml -o tuned.yaml",
};
