#include "tune/tune.h"

#include "base/content_hash.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/mem.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "run/run.h"
#include "tune/tuner.h"

#include <math.h>
#include <string.h>

/* Of a step: below, the gain would be lost in the noise of a shared machine. */
static const double WORTH = 0.01;
/* Units of the budget: race() has 4 of 1 and 2 of 2. */
static const double RACE_UNITS = 8, LAST_UNITS = 4, BATCH_UNITS = 3;
enum { BATCH_DOUBLINGS = 3, TRIALS_VERSION = 1 };
/* More samples a second than before: less is the knee. */
static const double KNEE = 0.02;

static void put_cpu(struct strbuf *out)
{
    struct run run;
    run_init(&run);
    machine_describe(&run, -1);
    strbuf_puts(out, run_fact_text(&run, -1, "machine.cpu"));
    run_release(&run);
}

/* What the trials hold for: the config, the CPU, this version, the time of each. */
static char *make_header(const struct config *config, const struct tune_options *o)
{
    struct strbuf yaml, header, cpu;
    struct json_writer w;
    strbuf_init(&cpu);
    put_cpu(&cpu);
    strbuf_init(&yaml);
    strbuf_init(&header);
    config_print_yaml(config, &yaml);
    json_init(&w, &header);
    w.compact = true;
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-trials");
    json_field_int(&w, "version", TRIALS_VERSION);
    json_field_string(&w, "config", content_hash_of(yaml.s, yaml.len).s);
    json_field_string(&w, "keep", o->keep ? o->keep : "");
    json_field_string(&w, "cpu", cpu.s);
    json_field_int(&w, "cores", cpu_usable_cores());
    json_field_string(&w, "gait", GAIT_VERSION);
    json_end(&w);
    strbuf_release(&yaml);
    strbuf_release(&cpu);
    char *text = strbuf_detach(&header);
    strbuf_release(&header);
    return text;
}

static enum status open_trials(struct tuner *t, const struct tune_options *o,
                               struct err *err)
{
    struct tune_result *out = t->out;
    char *header = make_header(t->config, o);
    enum status s = trials_open(&out->trials, o->path, header, err);
    mem_free(header);
    out->baseline = out->trials.baseline;
    if (s != STATUS_OK || out->baseline.step_ns > 0)
        return s;
    s = baseline_record(&out->baseline, t->config, err);
    return s == STATUS_OK ? trials_keep_baseline(&out->trials, &out->baseline, err) : s;
}

static enum status prepare(struct tuner *t, const struct tune_options *o, struct err *err)
{
    struct tune_result *out = t->out;
    enum status s = space_of(&out->space, t->config, cpu_usable_cores(), o->keep, err);
    if (s == STATUS_OK)
        s = open_trials(t, o, err);
    if (s != STATUS_OK)
        return s;
    baseline_bound(&out->baseline, &out->space);
    space_split(&out->space, &out->dropped, WORTH);
    size_t singles = space_singles(&out->space);
    t->time.parts_left = 2 * (double)singles + RACE_UNITS + LAST_UNITS + BATCH_UNITS;
    log_line("%zu settings, %.0f plans; %zu comparisons, then those that promise most",
             out->space.n, space_plans(&out->space), singles);
    if (out->trials.known)
        log_line("%zu comparisons are known from an earlier search", out->trials.known);
    return s;
}

static const struct tune_plan as_given;

static enum status prove(struct tuner *t, struct err *err)
{
    struct tune_result *out = t->out;
    const struct trial *trial;
    struct match m = {
        .stage = TRIAL_LAST, .after = out->best, .predicted = NAN, .units = LAST_UNITS};
    if (plan_equal(out->best, as_given))
        return STATUS_OK;
    enum status s = match_run(t, &m, &trial, err);
    if (s != STATUS_OK)
        return s;
    out->faster = !*trial->why_not && trial_tells(trial) < 0;
    if (!out->faster)
        out->best = as_given;
    return STATUS_OK;
}

/* What was measured of the plan that was taken in the end, and of no other. */
static double going_back(const struct tuner *t, size_t setting)
{
    struct tune_plan back = t->out->best;
    char before[TRIAL_PLAN_BYTES], after[TRIAL_PLAN_BYTES];
    double change = NAN;
    back.value[setting] = 0;
    trial_put_plan(before, &t->out->space, t->out->best);
    trial_put_plan(after, &t->out->space, back);
    for (int pass = 0; pass < TUNE_AROUND_PASSES; pass++) {
        const struct trial *trial =
            trials_find(&t->out->trials, TRIAL_AROUND, pass, before, after);
        if (trial && !*trial->why_not)
            change = trial->time.change;
    }
    return change;
}

static void note_changes(struct tuner *t)
{
    for (size_t i = 0; i < t->out->space.n; i++) {
        const struct trial *trial = alone_of(t, i, t->out->best.value[i]);
        t->out->alone[i] = trial ? trial->time.change : NAN;
        t->out->going_back[i] = t->out->best.value[i] ? going_back(t, i) : NAN;
    }
}

void tune_best_config(struct config *out, const struct tune_result *r,
                      const struct config *config)
{
    struct err err = ERR_INIT;
    if (plan_config(out, config, &r->space, r->best, &err))
        BUG("a plan that ran is not valid");
}

double tune_batch_gain(const struct tune_batch *b, const struct config *config)
{
    if (*b->trial.why_not)
        return NAN;
    return (double)b->size / (double)config->batch_size / (1 + b->trial.time.change);
}

/* Another batch is another training: told, never taken. */
static enum status try_batch(struct tuner *t, int64_t size, struct tune_batch *batch,
                             struct err *err)
{
    struct config side[2];
    const struct trial *trial;
    tune_best_config(&side[0], t->out, t->config);
    tune_best_config(&side[1], t->out, t->config);
    side[1].batch_size = size;
    *batch = (struct tune_batch){.size = size,
                                 .trial = {.stage = TRIAL_BATCH, .predicted = NAN}};
    trial_put_plan(batch->trial.before, &t->out->space, t->out->best);
    snprintf(batch->trial.after, TRIAL_PLAN_BYTES, "batch_size=%lld", (long long)size);
    enum status s = match_configs(t, &batch->trial, side, 1, &trial, err);
    if (s == STATUS_OK)
        batch->trial = *trial;
    config_release(&side[0]);
    config_release(&side[1]);
    return s;
}

enum status search_batches(struct tuner *t, struct err *err)
{
    struct tune_result *out = t->out;
    double last = 1;
    for (int i = 1; i <= BATCH_DOUBLINGS && !tuner_out_of_time(t); i++) {
        struct tune_batch *b = &out->batch[out->batches];
        enum status s = try_batch(t, t->config->batch_size << i, b, err);
        if (s != STATUS_OK)
            return s;
        out->batches++;
        double gain = tune_batch_gain(b, t->config);
        if (!(gain > last * (1 + KNEE)))
            break;
        last = gain;
    }
    return STATUS_OK;
}

enum status tune_run(struct tune_result *out, const struct config *config,
                     const struct tune_options *options, struct err *err)
{
    struct tuner t = {.out = out,
                      .config = config,
                      .measure =
                          options->measure ? options->measure : measure_by_training,
                      .context = options->context,
                      .time = time_share_begin(options->budget_s, 1)};
    *out = (struct tune_result){.prediction_error = NAN};
    for (int i = 0; i < TUNE_SETTINGS_MAX; i++)
        out->going_back[i] = out->alone[i] = NAN;
    enum status s = prepare(&t, options, err);
    if (s == STATUS_OK)
        s = search_alone(&t, err);
    if (s == STATUS_OK)
        s = search_together(&t, err);
    if (s == STATUS_OK)
        s = search_around(&t, err);
    if (s == STATUS_OK)
        s = prove(&t, err);
    if (s == STATUS_OK) {
        note_changes(&t);
        s = search_batches(&t, err);
    }
    return s;
}

void tune_release(struct tune_result *r)
{
    trials_close(&r->trials);
}
