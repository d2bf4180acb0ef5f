/*
 * A training job of PyTorch as its trace would have it, operator by operator: steps on
 * one thread, forward operators with autograd's numbers, the nodes of the backward pass,
 * and a device where a test wants one. Times are in microseconds.
 *
 * Legal order: script_init, script_step_begin … script_step_end, script_find,
 * script_release.
 */
#ifndef GAIT_TESTS_OPS_FIXTURE_H
#define GAIT_TESTS_OPS_FIXTURE_H

#include "cmocka_setup.h"
#include "reduced.h"

#include "findings/findings.h"

#include <stdio.h>
#include <string.h>

enum { SCRIPT_DEPTH = 8 };

struct script {
    struct run run;
    struct reducer *reducer;
    struct reduce_shard *shard;
    int32_t cpu, gpu;
    int64_t now_us, step_us, steps;
    int64_t number;                 /* autograd's next */
    struct span open[SCRIPT_DEPTH]; /* (depth) */
    size_t depth;
    int64_t launches;
    struct analysis *analysis;
    struct findings *findings;
};

static inline void script_init(struct script *j)
{
    *j = (struct script){.number = 1};
    run_init(&j->run);
    struct reduce_options o = {.keep_spans = SIZE_MAX};
    j->reducer = reducer_new(&o, 1);
    j->shard = reducer_shard(j->reducer, 0);
    j->cpu = shard_lane(
        j->shard, (struct lane){.kind = LANE_KIND_CPU, .device = -1, .pid = 1, .tid = 1});
    j->gpu = shard_lane(j->shard, (struct lane){.kind = LANE_KIND_DEVICE, .tid = 7});
}

static inline name_id script_name(struct script *j, const char *text)
{
    return text && *text ? shard_name(j->shard, text, strlen(text)) : 0;
}

static inline void script_open(struct script *j, enum span_kind kind, const char *name,
                               const char *shapes)
{
    assert_true(j->depth < SCRIPT_DEPTH);
    j->now_us += j->depth > 0; /* what is called begins after its caller */
    j->open[j->depth++] = (struct span){.lane = j->cpu,
                                        .kind = kind,
                                        .name = script_name(j, name),
                                        .shapes = script_name(j, shapes),
                                        .begin_ns = j->now_us * 1000};
}

static inline void script_close(struct script *j)
{
    struct span *s = &j->open[--j->depth];
    s->dur_ns = j->now_us * 1000 - s->begin_ns;
    shard_add(j->shard, s);
}

/* An operator that calls nothing, and a microsecond of the host after it. */
static inline void script_op(struct script *j, const char *name, const char *shapes,
                             int64_t us)
{
    script_open(j, SPAN_KIND_OP, name, shapes);
    j->now_us += us;
    script_close(j);
    j->now_us++;
}

/* The same with a gradient: returns its number. */
static inline int64_t script_trained(struct script *j, const char *name,
                                     const char *shapes, int64_t us)
{
    script_open(j, SPAN_KIND_OP, name, shapes);
    j->open[j->depth - 1].correlation = j->number;
    j->now_us += us;
    script_close(j);
    j->now_us++;
    return j->number++;
}

/* An operator that copies: "aten::clone" calls "aten::copy_". */
static inline void script_copy(struct script *j, const char *name, const char *shapes,
                               int64_t bytes, int64_t us)
{
    script_open(j, SPAN_KIND_OP, name, shapes);
    j->open[j->depth - 1].correlation = j->number++;
    script_open(j, SPAN_KIND_OP, "aten::copy_", shapes);
    j->open[j->depth - 1].bytes = bytes;
    j->now_us += us;
    script_close(j);
    script_close(j);
    j->now_us++;
}

static inline void script_node_open(struct script *j, const char *node, int64_t number)
{
    char name[128];
    snprintf(name, sizeof name, "autograd::engine::evaluate_function: %s", node);
    script_open(j, SPAN_KIND_OP, name, "");
    j->open[j->depth - 1].correlation = number;
}

/* The node of the backward pass for a number; of AccumulateGrad it is 0. */
static inline void script_node(struct script *j, const char *node, int64_t number,
                               int64_t us)
{
    script_node_open(j, node, number);
    j->now_us += us;
    script_close(j);
    j->now_us++;
}

/* Nodes for all numbers from `first` on, the last one first. */
static inline void script_backward(struct script *j, int64_t first, int64_t us)
{
    for (int64_t n = j->number - 1; n >= first; n--)
        script_node(j, "SomeBackward0", n, us);
}

static inline void script_step_begin(struct script *j)
{
    j->step_us = j->now_us;
}

static inline void script_step_end(struct script *j)
{
    assert_int_equal(j->depth, 0);
    struct span s = {.lane = j->cpu,
                     .kind = SPAN_KIND_STEP,
                     .name = script_name(j, "ProfilerStep#"),
                     .begin_ns = j->step_us * 1000,
                     .dur_ns = (j->now_us - j->step_us) * 1000,
                     .seq = j->steps++};
    shard_add(j->shard, &s);
}

static inline void script_close_recording(struct script *j)
{
    reduced(j->reducer, &j->run,
            (struct rank){.rank = 0,
                          .source = RUN_SOURCE_KINETO,
                          .complete = 1,
                          .step_method = STEP_METHOD_PROFILER_STEP});
    reducer_free(j->reducer);
    j->reducer = NULL;
}

/* Ask all rules. */
static inline void script_find(struct script *j)
{
    if (j->reducer)
        script_close_recording(j);
    j->analysis = analysis_new(&j->run);
    j->findings = findings_new(&j->run, j->analysis);
    assert_true(j->findings->possible);
}

static inline void script_release(struct script *j)
{
    findings_free(j->findings);
    analysis_free(j->analysis);
    run_release(&j->run);
}

/* NULL: it is not told. */
static inline const struct finding *script_told(const struct script *j, const char *rule)
{
    for (size_t i = 0; i < j->findings->n; i++)
        if (!strcmp(j->findings->finding[i].rule->name, rule))
            return &j->findings->finding[i];
    return NULL;
}

static inline const struct finding *script_must_tell(const struct script *j,
                                                     const char *rule)
{
    const struct finding *f = script_told(j, rule);
    if (!f)
        fail_msg("%s is not told", rule);
    return f;
}

#define SCRIPT_RULE_NAME(function, name, ...) name,

/* Of the rules about operators, none tells anything: scripts are too short for a step, so
 * that rules about the job around it may. */
static inline void script_is_silent(const struct script *j)
{
    static const char *const rules[] = {RULE_LIST_OPS(SCRIPT_RULE_NAME)};
    for (size_t i = 0; i < j->findings->n; i++)
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
            if (!strcmp(rules[k], j->findings->finding[i].rule->name))
                fail_msg("told: %s: %s", rules[k], j->findings->finding[i].evidence);
}

static inline double script_gain_us(const struct finding *f)
{
    return f->gain_ns / 1000;
}

#endif
