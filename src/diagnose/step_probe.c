#include "diagnose/step_probe.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/units.h"
#include "machine/ceiling.h"
#include "probe/probe.h"
#include "run/op_family.h"
#include "train/run_record.h"
#include "train/save.h"

#include <math.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)

/* Of the settings' own steps; three are the least that a median says anything about. */
enum { LEAST_STEPS = 3, WARM_UP_STEPS = 3 };
static const int64_t steps_budget_ns = 8 * SECOND_NS;
/* Steps whose operators are recorded: shares differ little from step to step. */
enum { RECORDED_STEPS = 5 };
static const int64_t recorded_budget_ns = 5 * SECOND_NS;
/* An evaluation that would take longer is timed in part. */
static const int64_t evaluation_budget_ns = 3 * SECOND_NS;
/* Of a step's forward passes: a diagnosis of many minutes is none. */
static const double step_most_ns = 60e9;

static enum status warm_up(struct trainer *t, int64_t *next,
                           const struct step_limits *limits, struct step_report *last,
                           struct err *err)
{
    int64_t begin_ns = clock_now_ns();
    enum status s = STATUS_OK;
    for (int64_t i = 0; i < limits->warm_up && s == STATUS_OK; i++) {
        if (i && clock_now_ns() - begin_ns > limits->budget_ns / 4)
            break;
        s = trainer_step(t, (*next)++, last, err);
    }
    return s;
}

enum status steps_time(struct median_interval *out, struct trainer *t, int64_t *next,
                       const struct step_limits *limits, struct step_report *last,
                       struct err *err)
{
    *out = (struct median_interval){0};
    enum status s = warm_up(t, next, limits, last, err);
    /* From here on: what the phases take belongs to the timed steps. */
    memset(t->phase_ns, 0, sizeof t->phase_ns);
    double *ns = mem_alloc((size_t)limits->steps * sizeof *ns);
    int64_t n = 0, first_ns = clock_now_ns(), begin_ns = first_ns;
    while (
        s == STATUS_OK && n < limits->steps &&
        (!n || begin_ns - first_ns < limits->budget_ns * (n < limits->least ? 3 : 1))) {
        s = trainer_step(t, (*next)++, last, err);
        int64_t now_ns = clock_now_ns();
        ns[n++] = (double)(now_ns - begin_ns);
        begin_ns = now_ns;
    }
    if (s == STATUS_OK)
        *out = stats_median_interval(ns, (size_t)n);
    mem_free(ns);
    return s;
}

static double tokens_of(const struct trainer *t)
{
    return (double)t->model.M * (double)t->config->gradient_accumulation;
}

static enum status probe_steps(struct training_facts *f, struct trainer *t, int64_t *next,
                               int64_t steps, struct err *err)
{
    struct step_report last = {0};
    struct step_limits limits = {steps, steps < LEAST_STEPS ? steps : LEAST_STEPS,
                                 steps_budget_ns, WARM_UP_STEPS};
    struct noise_mark quiet = noise_begin();
    enum status s = steps_time(&f->step.ns, t, next, &limits, &last, err);
    f->noise = noise_since(&quiet);
    if (s != STATUS_OK)
        return s;
    f->step.known = true;
    f->step.skipped = last.skipped;
    f->step.tokens = tokens_of(t);
    f->step.data_frac = trainer_phase_share(t, PHASE_DATA);
    f->step.optimizer_frac = trainer_phase_share(t, PHASE_OPTIMIZER);
    return STATUS_OK;
}

/* --- the products --- */

/* Linears and attention: where the multiply-adds are. */
static bool is_product(const char *op)
{
    return op_family_is_product(trainer_op_family(op));
}

static void sum_products(struct step_facts *out, const struct run *run)
{
    double products_ns = 0, flop = 0, steps_ns = 0;
    for (size_t i = 0; i < run->ops.table.n; i++) {
        struct op op = ops_get(&run->ops, i);
        if (op.kind == SPAN_KIND_STEP)
            steps_ns += (double)op.total_ns;
        if (op.kind != SPAN_KIND_OP || !is_product(run_name(run, op.name)))
            continue;
        products_ns += (double)op.self_ns;
        flop += (double)op.flop;
    }
    if (steps_ns <= 0 || products_ns <= 0)
        return;
    out->products_frac = products_ns / steps_ns;
    out->products_flop_per_s = flop / (products_ns / 1e9);
}

/* As many as fit into the time, by the step's median; 0: not even one. */
static int64_t steps_to_record(const struct step_facts *s)
{
    int64_t n = (int64_t)((double)recorded_budget_ns / s->ns.median);
    return n > RECORDED_STEPS ? RECORDED_STEPS : n;
}

static void probe_products(struct training_facts *f, struct trainer *t, int64_t *next)
{
    struct step_report reports[RECORDED_STEPS];
    int64_t n = steps_to_record(&f->step);
    struct run run;
    int32_t row;
    if (!n)
        return;
    run_init(&run);
    enum status s = record_steps(t, *next, n, reports, NULL, NULL);
    *next += n;
    enum status made = probe_finish(&run, record_rank(&run, t), 0, &row, NULL);
    if (s == STATUS_OK && made == STATUS_OK)
        sum_products(&f->step, &run);
    run_release(&run);
}

static void probe_peak(struct training_facts *f, const struct trainer *t)
{
    struct ceiling c =
        t->engine.bf16 ? ceiling_bf16_flop(t->threads) : ceiling_f32_flop(t->threads);
    f->step.peak_how = reason_of("%s", c.how);
    if (c.repetitions)
        f->step.peak_flop_per_s = c.median;
}

/* --- once each --- */

/* A batch first, then as many as fit into the time: all of them do the same work. */
static void probe_evaluation(struct once_timed *out, struct trainer *t)
{
    struct evaluation e;
    struct err err = ERR_INIT;
    int64_t all = t->eval_batches, begin_ns = clock_now_ns();
    t->eval_batches = 1;
    enum status s = trainer_evaluate(t, &e, &err);
    int64_t one_ns = clock_now_ns() - begin_ns + 1;
    int64_t fit = evaluation_budget_ns / one_ns;
    out->parts = all < fit ? all : fit < 1 ? 1 : fit;
    if (s == STATUS_OK && fit > 0) { /* else the first one has to do */
        t->eval_batches = out->parts;
        begin_ns = clock_now_ns();
        s = trainer_evaluate(t, &e, &err);
    }
    out->known = s == STATUS_OK;
    out->of_all = all;
    out->ns = (double)(clock_now_ns() - begin_ns) * (double)all / (double)out->parts;
    if (s != STATUS_OK)
        out->why_not = reason_of("%s", err.text);
    t->eval_batches = all;
}

static bool has_room(const struct disk_facts *d)
{
    return !(d->checkpoint_bytes >= d->free_bytes);
}

/* Written where training would write, or into the nearest folder that exists. */
static void probe_checkpoint(struct training_facts *f, struct trainer *t)
{
    struct once_timed *out = &f->checkpoint;
    struct strbuf beginning;
    struct err err = ERR_INIT;
    double seconds = 0;
    if (!f->disk.wanted || *f->disk.unwritable.text || !has_room(&f->disk)) {
        out->why_not = !f->disk.wanted ? reason_of("checkpoint_dir is not set")
                       : *f->disk.unwritable.text
                           ? f->disk.unwritable
                           : reason_of("there is no room for one on the disk");
        return;
    }
    strbuf_init(&beginning);
    strbuf_printf(&beginning, "%s/.gait-diagnose-", f->disk.folder);
    if (save_timed(&seconds, t, beginning.s, &err))
        out->why_not = f->disk.unwritable = reason_of("%s", err.text);
    else
        *out = (struct once_timed){
            .known = true, .ns = seconds * 1e9, .parts = 1, .of_all = 1};
    strbuf_release(&beginning);
}

/* A batch of many parts may take hours for one step. What its forward passes take is known
 * before: the step takes longer. */
static bool is_too_long(struct training_facts *f, const struct trainer *t)
{
    if (!f->evaluation.known)
        return false;
    double one_ns = f->evaluation.ns / (double)f->evaluation.of_all;
    double all_ns = one_ns * (double)t->config->gradient_accumulation;
    f->step.too_long = all_ns > step_most_ns;
    if (f->step.too_long)
        f->step.why_not = f->checkpoint.why_not =
            reason_of("the forward passes of one step alone take %s, by one that was "
                      "measured",
                      unit_ns_of(all_ns).s);
    return f->step.too_long;
}

void probe_training(struct training_facts *f, struct trainer *t, int64_t steps)
{
    int64_t next = t->first_step;
    struct err err = ERR_INIT;
    log_status("measuring an evaluation");
    probe_evaluation(&f->evaluation, t);
    log_status_clear();
    if (is_too_long(f, t))
        return;
    log_status("measuring a step");
    enum status s = probe_steps(f, t, &next, steps, &err);
    log_status_clear();
    if (s) {
        f->step.why_not = reason_of("%s", err.text);
        f->checkpoint.why_not = reason_of("the training step fails");
        return;
    }
    log_status("measuring operators, the peak and both precisions");
    probe_products(f, t, &next);
    probe_peak(f, t);
    trainer_time_precision(t);
    f->precision = t->precision;
    log_status("measuring a checkpoint");
    probe_checkpoint(f, t);
    log_status_clear();
}
