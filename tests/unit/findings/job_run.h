/*
 * Runs of a job written down by hand: steps of one main thread, with what stands in them,
 * and what is found in them. Times are in µs from the begin of a step.
 */
#ifndef GAIT_TESTS_JOB_RUN_H
#define GAIT_TESTS_JOB_RUN_H

#include "cmocka_setup.h"

#include "findings/findings.h"

#include <stdio.h>
#include <string.h>

enum { STEP_US = 100000, STEPS = 4 };

struct job_run {
    struct run run;
    int32_t lane[8]; /* by rank: its main thread */
    int32_t steps;   /* of a rank */
};

static inline name_id job_name(struct job_run *j, const char *text)
{
    return names_add_z(&j->run.names, text);
}

static inline int64_t job_ns(int32_t step, int64_t us)
{
    return 1000 * (step * (int64_t)STEP_US + us);
}

static inline size_t job_span(struct job_run *j, int32_t rank, int32_t lane,
                              enum span_kind kind, const char *name, int32_t step,
                              int64_t begin_us, int64_t dur_us)
{
    return spans_add(&j->run.spans, (struct span){.lane = lane,
                                                  .kind = kind,
                                                  .name = job_name(j, name),
                                                  .begin_ns = job_ns(step, begin_us),
                                                  .dur_ns = 1000 * dur_us,
                                                  .step = rank * j->steps + step,
                                                  .shapes = job_name(j, ""),
                                                  .line = job_name(j, "")});
}

/* An operator of every rank's main thread, in every step. */
static inline void job_op(struct job_run *j, const char *name, int64_t begin_us,
                          int64_t dur_us)
{
    for (int32_t rank = 0; rank < (int32_t)j->run.ranks.table.n; rank++)
        for (int32_t s = 0; s < j->steps; s++)
            job_span(j, rank, j->lane[rank], SPAN_KIND_OP, name, s, begin_us, dur_us);
}

static inline void job_mark(struct job_run *j, const char *name, int64_t begin_us,
                            int64_t dur_us)
{
    for (int32_t rank = 0; rank < (int32_t)j->run.ranks.table.n; rank++)
        for (int32_t s = 0; s < j->steps; s++)
            job_span(j, rank, j->lane[rank], SPAN_KIND_ANNOTATION, name, s, begin_us,
                     dur_us);
}

static inline void job_add_rank_of(struct job_run *j, enum run_source source, int32_t n)
{
    int32_t rank =
        (int32_t)ranks_add(&j->run.ranks, (struct rank){.rank = n,
                                                        .source = source,
                                                        .host = job_name(j, "here"),
                                                        .last_ns = job_ns(j->steps, 0),
                                                        .complete = 1});
    j->lane[rank] =
        (int32_t)lanes_add(&j->run.lanes, (struct lane){.rank = rank,
                                                        .kind = LANE_KIND_CPU,
                                                        .device = -1,
                                                        .name = job_name(j, "main")});
    for (int32_t s = 0; s < j->steps; s++) {
        steps_add(&j->run.steps, (struct step){.rank = rank,
                                               .number = s + 1,
                                               .begin_ns = job_ns(s, 0),
                                               .end_ns = job_ns(s + 1, 0),
                                               .kept = 1});
        job_span(j, rank, j->lane[rank], SPAN_KIND_STEP, "step", s, 0, STEP_US);
    }
}

static inline void job_begin(struct job_run *j, enum run_source source)
{
    *j = (struct job_run){.steps = STEPS};
    run_init(&j->run);
    job_add_rank_of(j, source, 0);
}

/* A step that nothing is wrong with: forward, backward and a short optimizer. */
static inline void job_healthy(struct job_run *j)
{
    job_op(j, "aten::linear", 500, 39000);
    job_op(j, "autograd::engine::evaluate_function: AddmmBackward0", 39600, 58000);
    job_mark(j, "Optimizer.step#AdamW.step", 97700, 2200);
    job_op(j, "aten::_fused_adamw_", 97800, 2000);
}

static inline void job_fact(struct job_run *j, const char *key, double value)
{
    run_add_fact(&j->run, 0, key, value, "", ORIGIN_MEASURED, "");
}

static inline void job_timing_of(struct job_run *j, int32_t rank, enum timing_kind what,
                                 int64_t number, int64_t us)
{
    timings_add(&j->run.timings,
                (struct timing){
                    .rank = rank, .what = what, .number = number, .dur_ns = 1000 * us});
}

static inline void job_timing(struct job_run *j, enum timing_kind what, int64_t number,
                              int64_t us)
{
    job_timing_of(j, 0, what, number, us);
}

/* What is found; release with job_done(). */
struct job_found {
    struct analysis *analysis;
    struct findings *findings;
};

static inline struct job_found job_find(struct job_run *j)
{
    struct job_found f;
    f.analysis = analysis_new(&j->run);
    f.findings = findings_new(&j->run, f.analysis);
    assert_true(f.findings->possible);
    return f;
}

/* NULL: this rule found nothing. */
static inline const struct finding *job_finding(const struct job_found *f,
                                                const char *rule)
{
    for (size_t i = 0; i < f->findings->n; i++)
        if (!strcmp(f->findings->finding[i].rule->name, rule))
            return &f->findings->finding[i];
    return NULL;
}

static inline const struct finding *job_expect(const struct job_found *f,
                                               const char *rule)
{
    const struct finding *x = job_finding(f, rule);
    if (!x)
        fail_msg("%s is not among %zu findings", rule, f->findings->n);
    assert_true(x->evidence[0]);
    return x;
}

static inline void job_expect_silence(const struct job_found *f)
{
    if (f->findings->n)
        fail_msg("%s: %s", f->findings->finding[0].rule->name,
                 f->findings->finding[0].evidence);
}

static inline void job_done(struct job_run *j, struct job_found *f)
{
    findings_free(f->findings);
    analysis_free(f->analysis);
    run_release(&j->run);
}

/* Of a step, in µs; to 1 %. */
#define assert_gain_us(x, us) assert_float_equal((x)->gain_ns / 1e3, us, 0.01 * (us))

#endif
