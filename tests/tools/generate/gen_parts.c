#include "gen_parts.h"

#include "base/status.h"

/* The weights of a linear layer and what it keeps for the backward pass. */
static const int64_t ACTIVATION_BYTES = 25165824;
static const int64_t BATCH_BYTES = 1572864;

void part_before_first_step(struct plan *p)
{
    frame_begin(p, SPAN_PY_STEP, -1);
    op_begin(p, LANE_MAIN, SPAN_ZEROS);
    op_leaf(p, LANE_MAIN, SPAN_EMPTY, 300, 4000);
    op_begin(p, LANE_MAIN, SPAN_ZERO);
    op_begin(p, LANE_MAIN, SPAN_FILL);
    launch_kernel(p, LANE_MAIN, SPAN_FILL_KERNEL, 2000, 9000);
    op_end(p, LANE_MAIN);
    op_end(p, LANE_MAIN);
    op_end(p, LANE_MAIN);
    wait_for_device(p, LANE_MAIN, SPAN_DEVICE_SYNC);
    frame_end(p);
}

/* --- data --- */

static void copy_pageable(struct plan *p)
{
    op_begin(p, LANE_MAIN, SPAN_COPY);
    int64_t called_ns = launch_call(p, LANE_MAIN, SPAN_MEMCPY_ASYNC);
    device_idle_until(p, called_ns + LATENCY_NS);
    launch_tie(
        p, device_alone(p, SPAN_COPY_PAGEABLE, plan_pick(p, 80000, 200000), BATCH_BYTES));
    wait_for_device(p, LANE_MAIN, SPAN_STREAM_SYNC);
    op_end(p, LANE_MAIN);
}

/* On a stream of its own, beside the first kernels. */
static void copy_pinned(struct plan *p)
{
    op_begin(p, LANE_MAIN, SPAN_COPY);
    int64_t called_ns = launch_call(p, LANE_MAIN, SPAN_MEMCPY_ASYNC);
    device_idle_until(p, called_ns + LATENCY_NS);
    int64_t begin_ns = p->device.now_ns;
    launch_tie(p, device_beside(p, SPAN_COPY_PINNED, LANE_COPY, begin_ns,
                                begin_ns + plan_pick(p, 60000, 150000), BATCH_BYTES / 2));
    op_end(p, LANE_MAIN);
}

void part_data(struct plan *p, int64_t extra_ns)
{
    annotation_begin(p, LANE_MAIN, SPAN_DATALOADER);
    host_spend(p, LANE_MAIN, plan_pick(p, 200000, 600000) + extra_ns);
    op_begin(p, LANE_MAIN, SPAN_STACK);
    op_leaf(p, LANE_MAIN, SPAN_CAT, 5000, 20000);
    op_end(p, LANE_MAIN);
    annotation_end(p, LANE_MAIN);
    for (int i = 0; i < 2; i++) {
        op_begin(p, LANE_MAIN, SPAN_TO);
        op_begin(p, LANE_MAIN, SPAN_TO_COPY);
        op_leaf(p, LANE_MAIN, SPAN_EMPTY, 300, 4000);
        if (i == 0)
            copy_pageable(p);
        else
            copy_pinned(p);
        op_end(p, LANE_MAIN);
        op_end(p, LANE_MAIN);
    }
}

/* --- forward --- */

/* Ties the operator on top to its backward one. */
static void begin_sequence(struct plan *p)
{
    const struct host_clock *h = &p->host[LANE_MAIN];
    p->event[h->open[h->depth - 1].event].sequence = ++p->sequences;
}

static void forward_linear(struct plan *p)
{
    frame_begin(p, SPAN_PY_LINEAR, -1);
    op_begin(p, LANE_MAIN, SPAN_LINEAR);
    op_begin(p, LANE_MAIN, SPAN_T);
    op_begin(p, LANE_MAIN, SPAN_TRANSPOSE);
    op_leaf(p, LANE_MAIN, SPAN_AS_STRIDED, 0, 900);
    op_end(p, LANE_MAIN);
    op_end(p, LANE_MAIN);
    op_begin(p, LANE_MAIN, SPAN_ADDMM);
    begin_sequence(p);
    host_memory(p, LANE_MAIN, ACTIVATION_BYTES);
    launch_kernel(p, LANE_MAIN, SPAN_GEMM, 8000, 60000);
    op_end(p, LANE_MAIN);
    op_end(p, LANE_MAIN);
    frame_end(p);
}

static void forward_block(struct plan *p, int block)
{
    frame_begin(p, SPAN_PY_BLOCK, block);
    op_begin(p, LANE_MAIN, SPAN_LAYER_NORM);
    op_begin(p, LANE_MAIN, SPAN_NATIVE_LAYER_NORM);
    op_leaf(p, LANE_MAIN, SPAN_EMPTY, 0, 2000);
    launch_kernel(p, LANE_MAIN, SPAN_NORM_KERNEL, 0, 9000);
    op_end(p, LANE_MAIN);
    op_end(p, LANE_MAIN);
    forward_linear(p);
    op_begin(p, LANE_MAIN, SPAN_ATTENTION);
    op_begin(p, LANE_MAIN, SPAN_FLASH);
    launch_kernel(p, LANE_MAIN, SPAN_FLASH_KERNEL, 5000, 40000);
    op_end(p, LANE_MAIN);
    op_end(p, LANE_MAIN);
    forward_linear(p);
    forward_linear(p);
    op_begin(p, LANE_MAIN, SPAN_GELU);
    begin_sequence(p);
    launch_kernel(p, LANE_MAIN, SPAN_GELU_KERNEL, 2000, 12000);
    op_end(p, LANE_MAIN);
    forward_linear(p);
    frame_end(p);
}

/* One call, one correlation, many kernels with small gaps between them. */
static void forward_graph(struct plan *p)
{
    static const enum gen_span kernels[] = {SPAN_NORM_KERNEL,  SPAN_GEMM,
                                            SPAN_FLASH_KERNEL, SPAN_GEMM,
                                            SPAN_GELU_KERNEL,  SPAN_GEMM};
    int64_t nodes = p->o->layers * 6;
    int64_t called_ns = launch_call(p, LANE_MAIN, SPAN_GRAPH_LAUNCH);
    p->sum->launches--; /* each kernel counts below */
    device_idle_until(p, called_ns + LATENCY_NS);
    for (int64_t i = 0; i < nodes; i++) {
        device_idle_until(p, p->device.now_ns + plan_pick(p, 0, 1000));
        int64_t event = device_compute(p, kernels[i % 6], plan_pick(p, 3000, 30000));
        launch_tie(p, event);
        p->event[event].is_graph_node = true;
        p->event[event].sequence = i + 1;
        p->sum->launches++;
    }
}

void part_forward(struct plan *p)
{
    frame_begin(p, SPAN_PY_FORWARD, -1);
    for (int i = 0; i < p->o->layers && !p->o->graphs; i++)
        forward_block(p, i);
    if (p->o->graphs)
        forward_graph(p);
    frame_end(p);
}

void part_head(struct plan *p, int64_t extra_ns)
{
    enum { KERNELS = 4 };
    static const int64_t LONG_NS = 300000; /* covers the launches behind it */
    op_begin(p, LANE_MAIN, SPAN_LINEAR);
    for (int64_t i = 0; i < KERNELS; i++) {
        int64_t share_ns = extra_ns / p->unit_ns / KERNELS * p->unit_ns;
        share_ns = i < KERNELS - 1 ? share_ns : extra_ns - share_ns * (KERNELS - 1);
        int64_t dur_ns = (i ? plan_pick(p, 20000, 80000) : LONG_NS) + share_ns, called_ns;
        int64_t busy_until_ns = p->device.now_ns;
        op_begin(p, LANE_MAIN, SPAN_ADDMM);
        launch_kernel_exactly(p, LANE_MAIN, SPAN_HEAD_GEMM, dur_ns, &called_ns);
        if (i && called_ns + LATENCY_NS > busy_until_ns)
            BUG("a gap between the head's kernels: an extra length would be lost in it");
        op_end(p, LANE_MAIN);
    }
    op_end(p, LANE_MAIN);
    /* recursion: its inclusive time counts once */
    op_begin(p, LANE_MAIN, SPAN_SUM);
    op_begin(p, LANE_MAIN, SPAN_SUM);
    launch_kernel(p, LANE_MAIN, SPAN_REDUCE_KERNEL, 2000, 6000);
    op_end(p, LANE_MAIN);
    op_end(p, LANE_MAIN);
    read_item(p, LANE_MAIN);
}

/* --- backward --- */

static void end_sequence(struct plan *p)
{
    const struct host_clock *h = &p->host[LANE_AUTOGRAD];
    p->event[h->open[h->depth - 1].event].sequence = p->sequences--;
}

static void backward_linear(struct plan *p)
{
    op_begin(p, LANE_AUTOGRAD, SPAN_EVALUATE_ADDMM);
    op_begin(p, LANE_AUTOGRAD, SPAN_ADDMM_BACKWARD);
    if (!p->o->graphs)
        end_sequence(p);
    for (int i = 0; i < 2; i++) {
        op_begin(p, LANE_AUTOGRAD, SPAN_MM);
        launch_kernel(p, LANE_AUTOGRAD, SPAN_GRAD_GEMM, 8000, 50000);
        op_end(p, LANE_AUTOGRAD);
    }
    op_end(p, LANE_AUTOGRAD);
    if (!p->o->graphs)
        host_memory(p, LANE_AUTOGRAD, -ACTIVATION_BYTES);
    op_end(p, LANE_AUTOGRAD);
}

static void backward_block(struct plan *p)
{
    backward_linear(p);
    op_begin(p, LANE_AUTOGRAD, SPAN_EVALUATE_GELU);
    op_begin(p, LANE_AUTOGRAD, SPAN_GELU_BACKWARD);
    if (!p->o->graphs)
        end_sequence(p);
    op_begin(p, LANE_AUTOGRAD, SPAN_ATEN_GELU_BACKWARD);
    launch_kernel(p, LANE_AUTOGRAD, SPAN_GELU_GRAD_KERNEL, 2000, 12000);
    op_end(p, LANE_AUTOGRAD);
    op_end(p, LANE_AUTOGRAD);
    op_end(p, LANE_AUTOGRAD);
    for (int i = 0; i < 3; i++)
        backward_linear(p);
    op_leaf(p, LANE_AUTOGRAD, SPAN_ACCUMULATE, 500, 3000);
}

/* Ends for all ranks at once: when the slowest has come and the data has gone round. */
static void all_reduce(struct plan *p, int64_t late_ns, int64_t transfer_ns)
{
    op_begin(p, LANE_AUTOGRAD, SPAN_ALLREDUCE_OP);
    op_begin(p, LANE_AUTOGRAD, SPAN_PARAM_COMMS);
    annotation_begin(p, LANE_AUTOGRAD, SPAN_NCCL_MARK);
    op_leaf(p, LANE_AUTOGRAD, SPAN_EMPTY, 0, 1000);
    int64_t called_ns = launch_call(p, LANE_AUTOGRAD, SPAN_LAUNCH_EX);
    device_idle_until(p, called_ns + LATENCY_NS);
    int64_t ready_ns = p->device.now_ns, before_ns = p->device.comm_until_ns;
    int64_t begin_ns = before_ns > ready_ns ? before_ns : ready_ns;
    int64_t all_there_ns =
        ready_ns + late_ns > before_ns ? ready_ns + late_ns : before_ns;
    int64_t end_ns = all_there_ns + transfer_ns;
    int64_t event = device_beside(p, SPAN_ALLREDUCE_KERNEL, LANE_COMM, begin_ns, end_ns,
                                  transfer_ns / 10);
    launch_tie(p, event);
    if (p->o->marks != MARKS_NONE && !p->o->old)
        device_mark(p, SPAN_NCCL_ON_DEVICE, LANE_COMM, begin_ns, end_ns);
    annotation_end(p, LANE_AUTOGRAD);
    op_end(p, LANE_AUTOGRAD);
    op_end(p, LANE_AUTOGRAD);
}

void part_backward(struct plan *p, int64_t late_ns)
{
    enum { BUCKETS = 4 };
    static const int64_t LAST_TRANSFER_NS =
        400000; /* the host is at part_clip() before */
    int64_t layers = p->o->layers;
    frame_begin(p, SPAN_PY_BACKWARD, -1);
    p->host[LANE_AUTOGRAD].now_ns = host_now_ns(p, LANE_MAIN) + plan_pick(p, 4000, 9000);
    for (int64_t i = 0; i < layers; i++) {
        backward_block(p);
        bool last = i == layers - 1;
        if (!p->o->no_comm && (last || (i + 1) * BUCKETS / layers > i * BUCKETS / layers))
            all_reduce(p, late_ns,
                       last ? LAST_TRANSFER_NS : plan_pick(p, 100000, 300000));
    }
    int64_t end_ns = host_now_ns(p, LANE_AUTOGRAD) + plan_pick(p, 2000, 6000);
    host_spend(p, LANE_MAIN, end_ns - host_now_ns(p, LANE_MAIN));
    frame_end(p);
}

void part_clip(struct plan *p)
{
    int64_t comm_until_ns = p->device.comm_until_ns;
    op_begin(p, LANE_MAIN, SPAN_FOREACH_NORM);
    if (comm_until_ns > p->device.now_ns) {
        if (host_now_ns(p, LANE_MAIN) > comm_until_ns)
            BUG("the host comes later than the last collective ends: ranks would differ");
        device_idle_until(p, comm_until_ns + LATENCY_NS);
    }
    launch_kernel(p, LANE_MAIN, SPAN_REDUCE_KERNEL, 4000, 9000);
    op_end(p, LANE_MAIN);
    read_item(p, LANE_MAIN);
}

/* --- optimizer --- */

static void zero_grad(struct plan *p)
{
    annotation_begin(p, LANE_MAIN, SPAN_ZERO_GRAD);
    op_begin(p, LANE_MAIN, SPAN_ZERO);
    op_begin(p, LANE_MAIN, SPAN_FILL);
    int64_t called_ns = launch_call(p, LANE_MAIN, SPAN_MEMSET_ASYNC);
    device_idle_until(p, called_ns + LATENCY_NS);
    launch_tie(p, device_alone(p, SPAN_MEMSET, plan_pick(p, 2000, 9000), BATCH_BYTES));
    op_end(p, LANE_MAIN);
    op_end(p, LANE_MAIN);
    annotation_end(p, LANE_MAIN);
}

int64_t part_optimizer(struct plan *p)
{
    enum { KERNELS = 4 };
    int64_t first = 0, last = 0, called_ns;
    zero_grad(p);
    bool marked = annotation_begin(p, LANE_MAIN, SPAN_OPTIMIZER_STEP);
    op_begin(p, LANE_MAIN, SPAN_FUSED_ADAM);
    for (int i = 0; i < KERNELS; i++) {
        bool open_end = p->o->overhang && i == KERNELS - 1;
        int64_t dur_ns = open_end ? 0 : plan_pick(p, 30000, 90000);
        last = launch_kernel_exactly(p, LANE_MAIN, SPAN_ADAM_KERNEL, dur_ns, &called_ns);
        first = i ? first : last;
    }
    op_end(p, LANE_MAIN);
    annotation_end(p, LANE_MAIN);
    if (p->device.step)
        p->device.step->optimizer_end_ns = host_now_ns(p, LANE_MAIN);
    if (p->o->overhang)
        return last;
    if (marked && !p->o->old)
        device_mark(p, SPAN_OPTIMIZER_ON_DEVICE, LANE_COMPUTE, p->event[first].begin_ns,
                    p->event[last].begin_ns + p->event[last].dur_ns);
    int64_t wait_ns = host_now_ns(p, LANE_MAIN);
    wait_for_device(p, LANE_MAIN, SPAN_DEVICE_SYNC);
    if (p->o->sync_events)
        device_mark(p, SPAN_CONTEXT_SYNC, LANE_COMPUTE, wait_ns, p->device.now_ns);
    return -1;
}
