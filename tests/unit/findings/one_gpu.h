/*
 * Two steps of 1,000 us on one GPU. In each the host fetches 200 us, launches a kernel of
 * 400 us at 250 (it begins at 260), calls an operator of 100 us at 300, and waits for the
 * device until 665; then it works on.
 */
#ifndef GAIT_TESTS_ONE_GPU_H
#define GAIT_TESTS_ONE_GPU_H

#include "reduced.h"

#include <string.h>

enum { US = 1000 };

static inline int32_t gpu_lane(struct reduce_shard *s, enum lane_kind kind, int64_t tid)
{
    bool device = kind == LANE_KIND_DEVICE;
    struct lane lane = {.kind = kind, .device = device ? 0 : -1, .pid = 1, .tid = tid};
    return shard_lane(s, lane);
}

static inline void gpu_span(struct reduce_shard *s, int32_t lane, enum span_kind kind,
                            const char *name, int64_t begin_us, int64_t dur_us,
                            int64_t correlation)
{
    struct span span = {.lane = lane,
                        .kind = kind,
                        .name = shard_name(s, name, strlen(name)),
                        .begin_ns = begin_us * US,
                        .dur_ns = dur_us * US,
                        .step = -1,
                        .correlation = correlation,
                        .seq = kind == SPAN_KIND_STEP ? begin_us / 1000 : 0};
    shard_add(s, &span);
}

static inline void one_gpu(struct run *run)
{
    run_init(run);
    struct reducer *r = reducer_new(NULL, 1);
    struct reduce_shard *s = reducer_shard(r, 0);
    int32_t host = gpu_lane(s, LANE_KIND_CPU, 11);
    int32_t stream = gpu_lane(s, LANE_KIND_DEVICE, 7);
    for (int64_t i = 0; i < 2; i++) {
        int64_t t = 1000 * (i + 1);
        gpu_span(s, host, SPAN_KIND_STEP, "ProfilerStep", t, 1000, 0);
        gpu_span(s, host, SPAN_KIND_OP,
                 "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", t, 200,
                 0);
        gpu_span(s, host, SPAN_KIND_RUNTIME, "cudaLaunchKernel", t + 250, 8, 10 + i);
        gpu_span(s, host, SPAN_KIND_OP, "aten::relu", t + 300, 100, 0);
        gpu_span(s, host, SPAN_KIND_SYNC, "cudaStreamSynchronize", t + 450, 215, 20 + i);
        gpu_span(s, stream, SPAN_KIND_KERNEL, "sgemm", t + 260, 400, 10 + i);
    }
    reduced(r, run,
            (struct rank){.rank = 0,
                          .world = 1,
                          .source = RUN_SOURCE_KINETO,
                          .complete = 1,
                          .step_method = STEP_METHOD_PROFILER_STEP});
    reducer_free(r);
}

#endif
