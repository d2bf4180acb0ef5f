/* Operators, frames, launches and waits: the small parts. */
#include "gen_parts.h"

void op_begin(struct plan *p, enum gen_lane lane, enum gen_span span)
{
    host_open(p, lane, span, -1);
    host_spend(p, lane, plan_pick(p, 1000, 3000));
}

void op_end(struct plan *p, enum gen_lane lane)
{
    host_spend(p, lane, plan_pick(p, 300, 2000));
    host_close(p, lane);
}

void op_leaf(struct plan *p, enum gen_lane lane, enum gen_span span, int64_t low_ns,
             int64_t high_ns)
{
    host_open(p, lane, span, -1);
    host_spend(p, lane, plan_pick(p, low_ns, high_ns));
    host_close(p, lane);
}

void frame_begin(struct plan *p, enum gen_span span, int suffix)
{
    if (!p->o->python)
        return;
    host_open(p, LANE_MAIN, span, suffix);
    host_spend(p, LANE_MAIN, plan_pick(p, 1000, 4000));
}

void frame_end(struct plan *p)
{
    if (!p->o->python)
        return;
    host_spend(p, LANE_MAIN, plan_pick(p, 1000, 2000));
    host_close(p, LANE_MAIN);
}

bool annotation_begin(struct plan *p, enum gen_lane lane, enum gen_span span)
{
    if (p->o->marks == MARKS_NONE)
        return false;
    host_open(p, lane, span, -1);
    host_spend(p, lane, plan_pick(p, 1000, 2000));
    return true;
}

void annotation_end(struct plan *p, enum gen_lane lane)
{
    if (p->o->marks == MARKS_NONE)
        return;
    host_spend(p, lane, plan_pick(p, 300, 1000));
    host_close(p, lane);
}

/* The operator inside which the thread is, for the arguments of calls and kernels. */
static int64_t external_of(const struct plan *p, enum gen_lane lane)
{
    const struct host_clock *h = &p->host[lane];
    for (int i = h->depth - 1; i >= 0; i--) {
        int64_t event = h->open[i].event;
        if (event == MAIN_FRAME)
            break;
        if (gen_span_kind((enum gen_span)p->event[event].span) == KIND_OP)
            return p->event[event].external_id;
    }
    return 0;
}

/* A call of the runtime of this length. */
static int64_t call(struct plan *p, enum gen_lane lane, enum gen_span span, int64_t ns)
{
    int64_t external = external_of(p, lane);
    int64_t i = host_open(p, lane, span, -1);
    p->event[i].external_id = external;
    p->event[i].correlation = ++p->correlations;
    host_spend(p, lane, ns);
    host_close(p, lane);
    return i;
}

int64_t launch_call(struct plan *p, enum gen_lane lane, enum gen_span runtime)
{
    int64_t i = call(p, lane, runtime, plan_pick(p, 3000, 9000));
    p->sum->launches++;
    return p->event[i].begin_ns;
}

void launch_tie(struct plan *p, int64_t event)
{
    struct gen_event *e = &p->event[event];
    e->correlation = p->correlations;
    for (int64_t i = event - 1; i >= 0; i--)
        if (p->event[i].correlation == e->correlation) {
            e->external_id = p->event[i].external_id;
            return;
        }
}

/* Every 16th kernel was launched before the recording began, as far as one can see. */
static bool is_orphan(struct plan *p)
{
    return p->o->orphans && ++p->kernels % 16 == 0;
}

int64_t launch_kernel_exactly(struct plan *p, enum gen_lane lane, enum gen_span kernel,
                              int64_t dur_ns, int64_t *called_ns)
{
    *called_ns = host_now_ns(p, lane);
    if (is_orphan(p)) {
        host_spend(p, lane, plan_pick(p, 3000, 9000));
        p->correlations++;
    } else {
        launch_call(p, lane, SPAN_LAUNCH);
    }
    device_idle_until(p, *called_ns + LATENCY_NS);
    int64_t event = device_compute(p, kernel, dur_ns);
    launch_tie(p, event);
    return event;
}

void launch_kernel(struct plan *p, enum gen_lane lane, enum gen_span kernel,
                   int64_t low_ns, int64_t high_ns)
{
    int64_t called_ns;
    launch_kernel_exactly(p, lane, kernel, plan_pick(p, low_ns, high_ns), &called_ns);
}

void wait_for_device(struct plan *p, enum gen_lane lane, enum gen_span sync)
{
    int64_t now_ns = host_now_ns(p, lane);
    int64_t until_ns = p->device.now_ns + SYNC_RETURN_NS;
    if (p->device.copy_until_ns > p->device.now_ns)
        until_ns = p->device.copy_until_ns + SYNC_RETURN_NS;
    call(p, lane, sync, until_ns > now_ns + 1000 ? until_ns - now_ns : 1000);
}

void read_item(struct plan *p, enum gen_lane lane)
{
    op_begin(p, lane, SPAN_ITEM);
    op_begin(p, lane, SPAN_LOCAL_SCALAR);
    int64_t called_ns = launch_call(p, lane, SPAN_MEMCPY_ASYNC);
    device_idle_until(p, called_ns + LATENCY_NS);
    launch_tie(p, device_alone(p, SPAN_COPY_BACK, plan_pick(p, 1000, 2000), 4));
    wait_for_device(p, lane, SPAN_STREAM_SYNC);
    op_end(p, lane);
    op_end(p, lane);
}
