/*
 * Runs to render: two ranks of a GPU job, one run of the trainer, and one whose every
 * name is hostile. Small round numbers, so that a reader can check a golden text by hand.
 */
#ifndef GAIT_TESTS_REPORT_FIXTURES_H
#define GAIT_TESTS_REPORT_FIXTURES_H

#include "reduce/reduce.h"
#include "reduced.h"
#include "report/report.h"

#include <string.h>

enum { US = 1000, MS = 1000 * US };

/* One lane of a shard, and spans on it in microseconds. */
struct fixture_lane {
    struct reduce_shard *shard;
    int32_t lane;
};

static struct fixture_lane fixture_lane(struct reduce_shard *s, enum lane_kind kind,
                                        int32_t device, int64_t tid, const char *name)
{
    struct lane lane = {.kind = kind, .device = device, .pid = 1, .tid = tid};
    lane.name = shard_name(s, name, strlen(name));
    return (struct fixture_lane){s, shard_lane(s, lane)};
}

static void fixture_span(struct fixture_lane l, enum span_kind kind, const char *name,
                         int64_t begin_us, int64_t dur_us, int64_t flop, int64_t seq)
{
    struct span span = {.lane = l.lane,
                        .kind = kind,
                        .name = shard_name(l.shard, name, strlen(name)),
                        .begin_ns = begin_us * US,
                        .dur_ns = dur_us * US,
                        .step = -1,
                        .flop = flop,
                        .seq = seq};
    shard_add(l.shard, &span);
}

/* A step of 100 ms on the host; the device computes 60 ms, communicates 20 ms of which 10
 * are hidden, copies 5 ms; rank 1 takes `extra_us` longer before it begins to compute. */
static void fixture_gpu_step(struct reduce_shard *s, int64_t begin_us, int64_t number,
                             int64_t extra_us)
{
    struct fixture_lane host = fixture_lane(s, LANE_KIND_CPU, -1, 11, "python");
    struct fixture_lane main_stream = fixture_lane(s, LANE_KIND_DEVICE, 0, 7, "stream 7");
    struct fixture_lane net_stream =
        fixture_lane(s, LANE_KIND_DEVICE, 0, 13, "stream 13");
    int64_t t = begin_us, work = begin_us + 5000 + extra_us;
    fixture_span(host, SPAN_KIND_STEP, "ProfilerStep", t, 100000 + extra_us, 0, number);
    fixture_span(host, SPAN_KIND_OP, "aten::linear", t + 1000, 30000, 0, 0);
    fixture_span(host, SPAN_KIND_OP, "aten::addmm", t + 2000, 20000, 0, 0);
    fixture_span(host, SPAN_KIND_RUNTIME, "cudaLaunchKernel", t + 3000, 4000, 0, 0);
    fixture_span(host, SPAN_KIND_SYNC, "cudaStreamSynchronize", t + 40000, 50000, 0, 0);
    fixture_span(main_stream, SPAN_KIND_COPY, "Memcpy HtoD (Pinned -> Device)", t, 5000,
                 0, 0);
    fixture_span(main_stream, SPAN_KIND_KERNEL, "ampere_sgemm_128x64_tn", work, 40000, 0,
                 0);
    fixture_span(
        main_stream, SPAN_KIND_KERNEL,
        "void at::native::vectorized_elementwise_kernel<4, at::native::GeluFunctor"
        "<float>, std::array<char*, 2> >(int, float, std::array<char*, 2>)",
        work + 40000, 20000, 0, 0);
    fixture_span(net_stream, SPAN_KIND_COLLECTIVE,
                 "ncclDevKernel_AllReduce_Sum_f32_RING_LL", work + 50000, 20000, 0, 0);
}

static void fixture_gpu_rank(struct run *run, int32_t rank, int64_t extra_us)
{
    struct reducer *r = reducer_new(NULL, 1);
    struct reduce_shard *s = reducer_shard(r, 0);
    for (int i = 0; i < 4; i++)
        fixture_gpu_step(s, 1000000 + i * (100000 + extra_us), 10 + i, extra_us);
    struct rank row = {.rank = rank,
                       .world = 2,
                       .source = RUN_SOURCE_KINETO,
                       .path = names_add_z(&run->names, rank ? "/data/rank1.json.gz"
                                                             : "/data/rank0.json.gz"),
                       .host = names_add_z(&run->names, "node1"),
                       .device = names_add_z(&run->names, "NVIDIA A100"),
                       .text_bytes = 1300000,
                       .events = 4321,
                       .events_skipped = rank ? 3 : 0,
                       .complete = 1,
                       .step_method = STEP_METHOD_PROFILER_STEP};
    reduced(r, run, row);
    reducer_free(r);
}

static inline void fixture_gpu(struct run *run)
{
    run_init(run);
    fixture_gpu_rank(run, 0, 0);
    fixture_gpu_rank(run, 1, 10000);
    for (int i = 0; i < 3; i++)
        run_add_note(run, 1, 12345, "an event has no \"dur\"");
}

static void fixture_trainer_spans(struct reduce_shard *s)
{
    struct fixture_lane l = fixture_lane(s, LANE_KIND_CPU, -1, 1, "main");
    for (int64_t i = 0; i < 3; i++) {
        int64_t t = i * 10000;
        fixture_span(l, SPAN_KIND_STEP, "step", t, 10000, 0, i + 1);
        fixture_span(l, SPAN_KIND_PHASE, "data", t, 500, 0, 0);
        fixture_span(l, SPAN_KIND_PHASE, "forward", t + 500, 3000, 0, 0);
        fixture_span(l, SPAN_KIND_OP, "matmul", t + 600, 2000, 200000000, 0);
        fixture_span(l, SPAN_KIND_OP, "gelu", t + 2700, 500, 0, 0);
        fixture_span(l, SPAN_KIND_PHASE, "backward", t + 3500, 5000, 0, 0);
        fixture_span(l, SPAN_KIND_OP, "matmul_backward", t + 3600, 4000, 400000000, 0);
        fixture_span(l, SPAN_KIND_PHASE, "optimizer", t + 8500, 1000, 0, 0);
        fixture_span(l, SPAN_KIND_OP, "adamw", t + 8600, 800, 0, 0);
    }
}

static void fixture_trainer_tables(struct run *run)
{
    static const int64_t mib = 1024 * 1024;
    static const struct memory memory[] = {
        {0, -1, 0, MEMORY_CLASS_PARAMETERS, 3 * mib, ORIGIN_MODELLED},
        {0, -1, 0, MEMORY_CLASS_GRADIENTS, 3 * mib, ORIGIN_MODELLED},
        {0, -1, 0, MEMORY_CLASS_MOMENTS, 6 * mib, ORIGIN_MODELLED},
        {0, -1, 0, MEMORY_CLASS_ACTIVATIONS, 12 * mib, ORIGIN_MODELLED},
        {0, -1, 9000, MEMORY_CLASS_PROCESS, 80 * mib, ORIGIN_MEASURED},
    };
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        memories_add(&run->memories, memory[i]);
    for (int64_t i = 1; i <= 3; i++)
        losses_add(&run->losses, (struct loss){.rank = 0,
                                               .step = i,
                                               .split = SPLIT_TRAIN,
                                               .loss = 4.25 - 0.25 * (double)i});
    losses_add(&run->losses, (struct loss){.rank = 0,
                                           .step = 3,
                                           .split = SPLIT_VALIDATION,
                                           .loss = 3.75,
                                           .standard_error = 0.0125});
    run_add_fact(run, -1, "ceiling.f32_flop_per_s", 2.5e11, "flop/s", ORIGIN_MEASURED,
                 "fused multiply-adds in registers, 2 threads");
    run_add_fact(run, -1, "ceiling.memory_bytes_per_s", 1.25e10, "B/s", ORIGIN_MEASURED,
                 "triad over 256 MiB");
    run_add_fact(run, 0, "config.batch_size", 12, "", ORIGIN_GIVEN, "");
    run_add_fact_text(run, -1, "machine.cpu", "Example CPU", ORIGIN_LISTED);
}

static inline void fixture_trainer(struct run *run)
{
    run_init(run);
    struct reducer *r = reducer_new(NULL, 1);
    fixture_trainer_spans(reducer_shard(r, 0));
    struct rank row = {.rank = 0,
                       .world = 1,
                       .source = RUN_SOURCE_TRAINER,
                       .path = names_add_z(&run->names, "tiny.gait"),
                       .complete = 1,
                       .step_method = STEP_METHOD_TRAINER};
    reduced(r, run, row);
    reducer_free(r);
    fixture_trainer_tables(run);
}

/* A training of `gait train`: a rank without steps and spans. */
static inline void fixture_train_alone(struct run *run)
{
    run_init(run);
    ranks_add(&run->ranks, (struct rank){.rank = 0,
                                         .world = 1,
                                         .source = RUN_SOURCE_TRAINER,
                                         .path = names_add_z(&run->names, "t.gait"),
                                         .complete = 1});
    losses_add(&run->losses, (struct loss){.rank = 0,
                                           .step = 3,
                                           .split = SPLIT_VALIDATION,
                                           .loss = 3.75}); /* of a single batch */
}

/* Facts of a machine and nothing else, as `gait bench -o` writes. */
static inline void fixture_machine(struct run *run)
{
    run_init(run);
    run_add_fact(run, -1, "ceiling.f32_flop_per_s", 2.5e11, "FLOP/s", ORIGIN_MEASURED,
                 "best of 9 repetitions, 2 threads");
    run_add_fact(run, -1, "machine.cache_l2_bytes", 2097152, "bytes", ORIGIN_LISTED, "");
    run_add_fact_text(run, -1, "machine.cpu", "Example CPU", ORIGIN_LISTED);
}

/* No device; thread 1 marks three steps of 10, 10 and 40 ms and works 1 ms in each, while
 * thread 2 is busy all the time. */
static inline void fixture_two_threads(struct run *run)
{
    static const int64_t begin_us[] = {0, 10000, 20000, 60000};
    run_init(run);
    struct reducer *r = reducer_new(NULL, 1);
    struct reduce_shard *s = reducer_shard(r, 0);
    struct fixture_lane marks = fixture_lane(s, LANE_KIND_CPU, -1, 1, "marks");
    struct fixture_lane busy = fixture_lane(s, LANE_KIND_CPU, -1, 2, "busy");
    for (int i = 0; i < 3; i++) {
        int64_t t = begin_us[i];
        fixture_span(marks, SPAN_KIND_STEP, "step", t, begin_us[i + 1] - t, 0, i + 1);
        fixture_span(marks, SPAN_KIND_OP, "work", t, 1000, 0, 0);
    }
    fixture_span(busy, SPAN_KIND_OP, "load", 0, 60000, 0, 0);
    reduced(r, run,
            (struct rank){.rank = 0,
                          .world = 1,
                          .source = RUN_SOURCE_KINETO,
                          .complete = 1,
                          .step_method = STEP_METHOD_PROFILER_STEP});
    reducer_free(r);
}

/* One rank with two accelerators. */
static inline void fixture_two_devices(struct run *run)
{
    run_init(run);
    struct reducer *r = reducer_new(NULL, 1);
    struct reduce_shard *s = reducer_shard(r, 0);
    for (int device = 0; device < 2; device++)
        fixture_span(fixture_lane(s, LANE_KIND_DEVICE, device, 7, "stream 7"),
                     SPAN_KIND_KERNEL, "gemm", 0, 1000, 0, 0);
    reduced(r, run, (struct rank){.rank = 0, .world = 1, .complete = 1});
    reducer_free(r);
    run_add_note(run, 0, 7, "a note");
}

/* Names that try to leave their place in every syntax a report is written in. */
static const char *const hostile_names[] = {
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "&lt;b&gt; & <b>",
    "| a | b |\n# heading\n```\n---",
    "[x](javascript:alert(1)) *em* `code` \\| <!--",
    "bad \xff\xfe utf-8 \xc3( \xed\xa0\x80",
    "line\xe2\x80\xa8separator\xe2\x80\xa9paragraph",
    "\033[2J\033]0;title\a\rclear \x7f \xc2\x9b",
    "right\xe2\x80\xaeto left",
};
enum { HOSTILE_NAMES = sizeof hostile_names / sizeof *hostile_names };

static inline void fixture_hostile(struct run *run)
{
    run_init(run);
    struct reducer *r = reducer_new(NULL, 1);
    struct reduce_shard *s = reducer_shard(r, 0);
    struct fixture_lane host = fixture_lane(s, LANE_KIND_CPU, -1, 1, hostile_names[0]);
    struct fixture_lane gpu = fixture_lane(s, LANE_KIND_DEVICE, 0, 7, hostile_names[1]);
    fixture_span(host, SPAN_KIND_STEP, hostile_names[0], 0, 1000 * HOSTILE_NAMES, 0, 1);
    for (int i = 0; i < HOSTILE_NAMES; i++) {
        fixture_span(host, SPAN_KIND_OP, hostile_names[i], i * 1000, 900 - i, 1000, 0);
        fixture_span(gpu, SPAN_KIND_KERNEL, hostile_names[i], i * 1000, 800 - i, 0, 0);
    }
    name_id evil = names_add_z(&run->names, hostile_names[0]);
    struct rank row = {.rank = 0,
                       .world = 1,
                       .source = RUN_SOURCE_KINETO,
                       .path = evil,
                       .device = evil,
                       .framework = evil,
                       .complete = 0,
                       .step_method = STEP_METHOD_PROFILER_STEP};
    reduced(r, run, row);
    reducer_free(r);
    for (int i = 0; i < HOSTILE_NAMES; i++) {
        run_add_note(run, 0, i, "%s", hostile_names[i]);
        run_add_fact_text(run, 0, hostile_names[i], hostile_names[i], ORIGIN_GIVEN);
    }
}

/* Render with these options; the caller releases *out. */
static inline void fixture_render(struct strbuf *out, const struct run *run,
                                  enum report_format format,
                                  const struct report_options *options)
{
    struct analysis *a = analysis_new(run);
    strbuf_init(out);
    report_render(out, a, format, options);
    analysis_free(a);
}

#endif
