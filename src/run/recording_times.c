/*
 * Where time goes, by interval union (docs/run-format.md, "Where time goes").
 *
 * Device: compute covers first, communication is what it adds to that, copies what they
 * add to both, idle the rest; so the four sum to the span. Host lane: waiting covers
 * first, busy is what operators and calls add to it, unattributed the rest. Containers
 * (steps, phases, annotations, Python frames) say nothing about work and do not count.
 */
#include "run/cover.h"
#include "run/recording.h"

/* A process drives no more; a damaged trace may name any number. */
enum { DEVICES_MAX = 64 };

/* Some warm-up before the first mark is ordinary; a third of all work is not. */
#define OUTSIDE_STEPS_NOTED_FRAC (1.0 / 3)

struct device_cover {
    struct cover compute, communication, copies; /* each alone */
    struct cover compute_or_communication, any;
};

struct host_cover {
    struct cover waiting, any;
};

struct window {
    int64_t begin_ns, end_ns;
    int32_t step, device, lane;
};

static void add_time(struct recording *rec, const struct window *w, enum time_class what,
                     int64_t ns)
{
    times_add(&rec->run->times, (struct class_time){.rank = rec->rank,
                                                    .step = w->step,
                                                    .device = w->device,
                                                    .lane = w->lane,
                                                    .what = what,
                                                    .ns = ns,
                                                    .origin = ORIGIN_MEASURED});
}

static void add_device_times(struct recording *rec, const struct device_cover *c,
                             const struct window *w)
{
    int64_t b = w->begin_ns, e = w->end_ns;
    int64_t compute = cover_within_ns(&c->compute, b, e);
    int64_t either = cover_within_ns(&c->compute_or_communication, b, e);
    int64_t any = cover_within_ns(&c->any, b, e);
    add_time(rec, w, TIME_CLASS_SPAN, e - b);
    add_time(rec, w, TIME_CLASS_COMPUTE, compute);
    add_time(rec, w, TIME_CLASS_COMMUNICATION, either - compute);
    add_time(rec, w, TIME_CLASS_COPIES, any - either);
    add_time(rec, w, TIME_CLASS_IDLE, e - b - any);
    add_time(rec, w, TIME_CLASS_COMMUNICATION_TOTAL,
             cover_within_ns(&c->communication, b, e));
    add_time(rec, w, TIME_CLASS_COPIES_TOTAL, cover_within_ns(&c->copies, b, e));
}

static void add_host_times(struct recording *rec, const struct host_cover *c,
                           const struct window *w)
{
    int64_t b = w->begin_ns, e = w->end_ns;
    int64_t waiting = cover_within_ns(&c->waiting, b, e);
    int64_t any = cover_within_ns(&c->any, b, e);
    add_time(rec, w, TIME_CLASS_SPAN, e - b);
    add_time(rec, w, TIME_CLASS_BUSY, any - waiting);
    add_time(rec, w, TIME_CLASS_WAITING, waiting);
    add_time(rec, w, TIME_CLASS_UNATTRIBUTED, e - b - any);
}

static bool device_of(const struct recording *rec, const struct span *s, int32_t *device)
{
    if (rec->run->lanes.kind[s->lane] != LANE_KIND_DEVICE || !span_is_device_work(s))
        return false;
    *device = rec->run->lanes.device[s->lane];
    return true;
}

/* The work of one device, or of all (device < 0). */
static void device_cover_fill(struct device_cover *c, const struct recording *rec,
                              int32_t device)
{
    *c = (struct device_cover){0};
    for (size_t i = 0; i < rec->n; i++) {
        const struct span *s = &rec->span[i];
        int32_t on;
        if (!device_of(rec, s, &on) || (device >= 0 && on != device))
            continue;
        struct cover *to = s->kind == SPAN_KIND_KERNEL       ? &c->compute
                           : s->kind == SPAN_KIND_COLLECTIVE ? &c->communication
                                                             : &c->copies;
        cover_add(to, s->begin_ns, span_end_ns(s));
    }
    cover_finish(&c->compute);
    cover_finish(&c->communication);
    cover_finish(&c->copies);
    cover_add_all(&c->compute_or_communication, &c->compute);
    cover_add_all(&c->compute_or_communication, &c->communication);
    cover_finish(&c->compute_or_communication);
    cover_add_all(&c->any, &c->compute_or_communication);
    cover_add_all(&c->any, &c->copies);
    cover_finish(&c->any);
}

static void device_cover_release(struct device_cover *c)
{
    cover_release(&c->compute);
    cover_release(&c->communication);
    cover_release(&c->copies);
    cover_release(&c->compute_or_communication);
    cover_release(&c->any);
}

/* Widen the window so that it holds s; *any says whether it held something before. */
static void window_extend(struct window *w, const struct span *s, bool *any)
{
    if (!*any || s->begin_ns < w->begin_ns)
        w->begin_ns = s->begin_ns;
    if (!*any || span_end_ns(s) > w->end_ns)
        w->end_ns = span_end_ns(s);
    *any = true;
}

/* From the first to the last work on the device; spans of no length count. */
static bool device_window(const struct recording *rec, int32_t device, struct window *w)
{
    bool any = false;
    *w = (struct window){.step = -1, .device = device, .lane = -1};
    for (size_t i = 0; i < rec->n; i++) {
        const struct span *s = &rec->span[i];
        int32_t on;
        if (!device_of(rec, s, &on) || (device >= 0 && on != device))
            continue;
        window_extend(w, s, &any);
    }
    return any;
}

static struct window step_window(const struct recording *rec, size_t row)
{
    return (struct window){.begin_ns = rec->run->steps.begin_ns[row],
                           .end_ns = rec->run->steps.end_ns[row],
                           .step = (int32_t)row,
                           .device = -1,
                           .lane = -1};
}

/* Work outside the steps (before the first mark, after the last) is in no step's split:
 * where it is much, the steps tell less than the whole, and the reader must know. */
static void note_work_outside_steps(struct recording *rec, const struct cover *any)
{
    const struct steps *steps = &rec->run->steps;
    if (steps->table.n == rec->first_step)
        return;
    int64_t all_ns = cover_total_ns(any);
    double inside_ns = 0; /* hostile steps may overlap beyond what an int64_t holds */
    for (size_t row = rec->first_step; row < steps->table.n; row++)
        inside_ns +=
            (double)cover_within_ns(any, steps->begin_ns[row], steps->end_ns[row]);
    double outside_ns = (double)all_ns - inside_ns;
    if (outside_ns <= OUTSIDE_STEPS_NOTED_FRAC * (double)all_ns)
        return;
    run_add_note(
        rec->run, rec->rank, -1,
        "%.1f of %.1f ms of device work lie outside the marked steps: what is told of "
        "a step leaves them out",
        outside_ns / 1e6, (double)all_ns / 1e6);
}

static void split_all_devices(struct recording *rec, const struct window *whole)
{
    struct device_cover c;
    device_cover_fill(&c, rec, -1);
    add_device_times(rec, &c, whole);
    for (size_t row = rec->first_step; row < rec->run->steps.table.n; row++) {
        struct window w = step_window(rec, row);
        add_device_times(rec, &c, &w);
    }
    note_work_outside_steps(rec, &c.any);
    device_cover_release(&c);
}

/* The numbers of the devices that did work, at most DEVICES_MAX of them; returns how
 * many. */
static int devices_that_worked(const struct recording *rec, int32_t *device)
{
    int n = 0;
    for (size_t from = 0, to; from < rec->n; from = to) {
        int32_t on = -1;
        to = recording_lane_end(rec, from);
        for (size_t i = from; i < to && on < 0; i++)
            if (!device_of(rec, &rec->span[i], &on))
                on = -1;
        for (int k = 0; k < n; k++)
            if (device[k] == on)
                on = -1;
        if (on >= 0 && n < DEVICES_MAX)
            device[n++] = on;
    }
    return n;
}

/* Rows for each device, where there are several. Returns how many devices did work. */
static int split_each_device(struct recording *rec)
{
    int32_t device[DEVICES_MAX];
    int n = devices_that_worked(rec, device);
    for (int k = 0; k < n && n > 1; k++) {
        struct window w;
        struct device_cover c;
        device_window(rec, device[k], &w);
        device_cover_fill(&c, rec, device[k]);
        add_device_times(rec, &c, &w);
        device_cover_release(&c);
    }
    return n ? n : 1; /* a device without a number is one device */
}

static bool is_host_work(const struct span *s)
{
    switch (s->kind) {
    case SPAN_KIND_STEP:
    case SPAN_KIND_PHASE:
    case SPAN_KIND_ANNOTATION:
    case SPAN_KIND_PYTHON:
        return false;
    default:
        return true;
    }
}

/* From the first to the last step where there are steps, else over all host work of the
 * rank. */
static bool host_window(const struct recording *rec, struct window *w)
{
    const struct steps *steps = &rec->run->steps;
    bool any = steps->table.n > rec->first_step;
    *w = (struct window){.step = -1, .device = -1, .lane = -1};
    if (any) {
        w->begin_ns = steps->begin_ns[rec->first_step];
        w->end_ns = w->begin_ns;
        for (size_t row = rec->first_step; row < steps->table.n; row++)
            if (steps->end_ns[row] > w->end_ns)
                w->end_ns = steps->end_ns[row];
        return true;
    }
    for (size_t i = 0; i < rec->n; i++) {
        const struct span *s = &rec->span[i];
        if (rec->run->lanes.kind[s->lane] == LANE_KIND_DEVICE || !is_host_work(s))
            continue;
        window_extend(w, s, &any);
    }
    return any;
}

static void split_host_lane(struct recording *rec, size_t from, size_t to,
                            struct window w)
{
    struct host_cover c = {0};
    for (size_t i = from; i < to; i++) {
        const struct span *s = &rec->span[i];
        if (!is_host_work(s))
            continue;
        cover_add(&c.any, s->begin_ns, span_end_ns(s));
        if (s->kind == SPAN_KIND_SYNC || s->kind == SPAN_KIND_WAIT)
            cover_add(&c.waiting, s->begin_ns, span_end_ns(s));
    }
    cover_finish(&c.any);
    cover_finish(&c.waiting);
    w.lane = rec->span[from].lane;
    add_host_times(rec, &c, &w);
    for (size_t row = rec->first_step;
         w.lane == rec->main_lane && row < rec->run->steps.table.n; row++) {
        struct window step = step_window(rec, row);
        step.lane = w.lane;
        add_host_times(rec, &c, &step);
    }
    cover_release(&c.any);
    cover_release(&c.waiting);
}

/* How long a stream had work, within the window of all devices. */
static void split_stream(struct recording *rec, size_t from, size_t to, struct window w)
{
    struct cover busy = {0};
    for (size_t i = from; i < to; i++)
        if (span_is_device_work(&rec->span[i]))
            cover_add(&busy, rec->span[i].begin_ns, span_end_ns(&rec->span[i]));
    cover_finish(&busy);
    w.lane = rec->span[from].lane;
    w.device = rec->run->lanes.device[w.lane];
    add_time(rec, &w, TIME_CLASS_SPAN, w.end_ns - w.begin_ns);
    add_time(rec, &w, TIME_CLASS_BUSY, cover_total_ns(&busy));
    add_time(rec, &w, TIME_CLASS_IDLE, w.end_ns - w.begin_ns - cover_total_ns(&busy));
    cover_release(&busy);
}

void recording_split_time(struct recording *rec)
{
    struct window device, host;
    bool has_device = device_window(rec, -1, &device), has_host = host_window(rec, &host);
    if (has_device) {
        split_all_devices(rec, &device);
        rec->run->ranks.devices[rec->rank] = split_each_device(rec);
    }
    for (size_t from = 0, to; from < rec->n; from = to) {
        to = recording_lane_end(rec, from);
        bool on_device = rec->run->lanes.kind[rec->span[from].lane] == LANE_KIND_DEVICE;
        if (on_device && has_device)
            split_stream(rec, from, to, device);
        else if (!on_device && has_host)
            split_host_lane(rec, from, to, host);
    }
}
