/*
 * The device's clock. At each moment compute runs or not, and beside it perhaps a
 * collective and a copy that were given their ends when they began; so what a stretch of
 * time is, is known when it passes.
 */
#include "gen_plan.h"

#include "base/status.h"

static void book(struct time_answer *t, int64_t ns, bool compute, bool comm, bool copy)
{
    if (compute)
        t->compute_ns += ns;
    else if (comm)
        t->communication_ns += ns;
    else if (copy)
        t->copies_ns += ns;
    else
        t->idle_ns += ns;
    t->communication_total_ns += comm ? ns : 0;
    t->copies_total_ns += copy ? ns : 0;
}

/* Work begins: the idle time before it lies inside the recording. */
static void touch(struct plan *p)
{
    struct device_clock *d = &p->device;
    if (d->any)
        p->sum->time.idle_ns += d->pending_idle_ns;
    d->any = true;
    d->pending_idle_ns = 0;
}

static void pass(struct plan *p, int64_t ns, bool compute, bool copy_alone)
{
    struct device_clock *d = &p->device;
    bool comm = d->comm_until_ns > d->now_ns;
    bool copy = copy_alone || d->copy_until_ns > d->now_ns;
    if (compute || comm || copy) {
        touch(p);
        book(&p->sum->time, ns, compute, comm, copy);
    } else {
        d->pending_idle_ns += ns;
    }
    if (d->step)
        book(&d->step->time, ns, compute, comm, copy);
    d->now_ns += ns;
}

static int64_t earlier(int64_t a_ns, int64_t b_ns, int64_t now_ns)
{
    return b_ns > now_ns && b_ns < a_ns ? b_ns : a_ns;
}

static void pass_until(struct plan *p, int64_t until_ns, bool compute, bool copy_alone)
{
    struct device_clock *d = &p->device;
    while (d->now_ns < until_ns) {
        int64_t to_ns = earlier(until_ns, d->comm_until_ns, d->now_ns);
        to_ns = earlier(to_ns, d->copy_until_ns, d->now_ns);
        pass(p, to_ns - d->now_ns, compute, copy_alone);
    }
}

void device_idle_until(struct plan *p, int64_t until_ns)
{
    pass_until(p, until_ns, false, false);
}

void device_go_on(struct plan *p, int64_t until_ns)
{
    pass_until(p, until_ns, true, false);
}

/* Sums of a name; the event has its length. */
static void book_length(struct plan *p, const struct gen_event *e)
{
    struct op_answer *op = answers_op(p->sum, (enum gen_span)e->span, e->suffix);
    op->self_ns += e->dur_ns;
    op->total_ns = op->self_ns;
    if (e->dur_ns > op->max_ns)
        op->max_ns = e->dur_ns;
}

static int64_t add_span(struct plan *p, enum gen_span span, enum gen_lane lane,
                        int64_t begin_ns, int64_t dur_ns, int64_t bytes)
{
    int64_t i = plan_add(p, span, lane, begin_ns);
    struct gen_event *e = &p->event[i];
    e->dur_ns = dur_ns;
    e->bytes = bytes;
    book_length(p, e);
    struct op_answer *op = answers_op(p->sum, span, -1);
    op->count++;
    enum gen_kind kind = gen_span_kind(span);
    op->bytes += kind == KIND_COPY || kind == KIND_SET ? bytes : 0;
    p->sum->spans++;
    p->sum->lane[lane].spans++;
    return i;
}

static int64_t add_work(struct plan *p, enum gen_span span, enum gen_lane lane,
                        int64_t begin_ns, int64_t dur_ns, int64_t bytes)
{
    touch(p);
    p->sum->device_spans++;
    p->sum->lane[lane].busy_ns += dur_ns;
    if (p->device.step)
        p->device.step->device_spans++;
    return add_span(p, span, lane, begin_ns, dur_ns, bytes);
}

int64_t device_compute(struct plan *p, enum gen_span span, int64_t dur_ns)
{
    int64_t begin_ns = p->device.now_ns;
    int64_t i = add_work(p, span, LANE_COMPUTE, begin_ns, dur_ns, 0);
    pass_until(p, begin_ns + dur_ns, true, false);
    return i;
}

int64_t device_alone(struct plan *p, enum gen_span span, int64_t dur_ns, int64_t bytes)
{
    int64_t begin_ns = p->device.now_ns;
    int64_t i = add_work(p, span, LANE_COMPUTE, begin_ns, dur_ns, bytes);
    pass_until(p, begin_ns + dur_ns, false, true);
    return i;
}

int64_t device_beside(struct plan *p, enum gen_span span, enum gen_lane lane,
                      int64_t begin_ns, int64_t end_ns, int64_t bytes)
{
    struct device_clock *d = &p->device;
    int64_t *until_ns = lane == LANE_COMM ? &d->comm_until_ns : &d->copy_until_ns;
    if (begin_ns != d->now_ns && begin_ns != *until_ns)
        BUG("what runs beside compute must begin now or behind its like");
    *until_ns = end_ns;
    return add_work(p, span, lane, begin_ns, end_ns - begin_ns, bytes);
}

void device_mark(struct plan *p, enum gen_span span, enum gen_lane lane, int64_t begin_ns,
                 int64_t end_ns)
{
    add_span(p, span, lane, begin_ns, end_ns - begin_ns, 0);
}

void device_stretch(struct plan *p, int64_t event, int64_t end_ns)
{
    struct gen_event *e = &p->event[event];
    if (e->dur_ns)
        BUG("an event is stretched twice");
    e->dur_ns = end_ns - e->begin_ns;
    book_length(p, e);
    p->sum->lane[e->lane].busy_ns += e->dur_ns;
}
