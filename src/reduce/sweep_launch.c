#include "reduce/sweep_launch.h"

#include "base/mem.h"
#include "reduce/delay_buckets.h"
#include "reduce/sweep.h"
#include "spans/span_facts.h"

enum { ASKED_NOWHERE = -2 }; /* -1: outside of any step */

void sweep_launch_init(struct sweep *sw)
{
    struct sweep_launch *l = &sw->launch;
    size_t steps = sw->clock.n;
    *l =
        (struct sweep_launch){.steps = steps < DELAY_STEPS_MAX ? steps : DELAY_STEPS_MAX};
    recent_init(&l->launches, LAUNCHES_MAX);
    recent_init(&l->works, WAITING_WORK_MAX);
    l->step = mem_zalloc(l->steps, sizeof *l->step);
    l->queued_ns = mem_zalloc(sw->clock.borders + 2, sizeof *l->queued_ns);
    l->lasting = mem_zalloc(sw->clock.borders + 2, sizeof *l->lasting);
}

void sweep_launch_release(struct sweep_launch *l)
{
    recent_release(&l->launches);
    recent_release(&l->works);
    mem_free(l->launch);
    mem_free(l->work);
    mem_free(l->step);
    mem_free(l->queued_ns);
    mem_free(l->lasting);
    *l = (struct sweep_launch){0};
}

/* --- delays and the queue --- */

static void delay_add(struct delay_sums *d, int64_t ns)
{
    d->count++;
    d->sum_ns = sum_saturated(d->sum_ns, ns);
    d->bucket[delay_bucket(ns, DELAY_BUCKETS)]++;
}

/* [begin, end) in the queue, cut by the borders of steps; each costs the same, however
 * many borders lie between. */
static void queue_time_add(struct sweep *sw, int64_t begin_ns, int64_t end_ns)
{
    struct sweep_launch *l = &sw->launch;
    const struct step_clock *c = &sw->clock;
    size_t from = step_clock_stretch(c, begin_ns), to = step_clock_stretch(c, end_ns);
    if (from == to) {
        l->queued_ns[from] = sum_saturated(l->queued_ns[from], end_ns - begin_ns);
        return;
    }
    l->queued_ns[from] = sum_saturated(l->queued_ns[from], c->border_ns[from] - begin_ns);
    l->queued_ns[to] = sum_saturated(l->queued_ns[to], end_ns - c->border_ns[to - 1]);
    l->lasting[from + 1]++;
    l->lasting[to]--;
}

/* The first work of a launch has begun. */
static void first_answer(struct sweep *sw, struct launch *launch, int64_t begin_ns)
{
    struct sweep_launch *l = &sw->launch;
    int64_t delay_ns = begin_ns > launch->begin_ns ? begin_ns - launch->begin_ns : 0;
    launch->answered = true;
    delay_add(&l->whole, delay_ns);
    if (launch->step >= 0 && (size_t)launch->step < l->steps)
        delay_add(&l->step[launch->step], delay_ns);
    if (!l->any || launch->begin_ns < l->first_ns)
        l->first_ns = launch->begin_ns;
    if (!l->any || begin_ns > l->last_ns)
        l->last_ns = begin_ns;
    l->any = true;
    if (!delay_ns)
        return;
    queue_time_add(sw, launch->begin_ns, begin_ns);
    launch->queue_change++; /* in the queue at this launch, and not at the next one */
    l->next_change--;
}

/* A launch that nothing can answer any more: the queue's length then is known now. */
static void forget_launch(struct sweep_launch *l, const struct launch *launch)
{
    l->queue += launch->queue_change;
    if (l->queue > l->whole.peak_queue)
        l->whole.peak_queue = l->queue;
    if (launch->step < 0 || (size_t)launch->step >= l->steps)
        return;
    struct delay_sums *step = &l->step[launch->step];
    if (l->queue > step->peak_queue)
        step->peak_queue = l->queue;
}

/* --- the join --- */

/* Copies and sets may run far ahead of a step's computing, or behind it. */
static bool is_kernel(const struct waiting_work *work)
{
    return work->kind == SPAN_KIND_KERNEL || work->kind == SPAN_KIND_COLLECTIVE;
}

static bool steps_are_the_devices(const struct sweep *sw)
{
    return sw->run->ranks.step_method[sw->rank] == STEP_METHOD_KERNEL_PERIOD;
}

/* Work belongs to the step that asked for it; where nothing is known of that, or steps
 * are the device's own, to the one in which it begins. */
static void count_work(struct sweep *sw, int32_t asked_in,
                       const struct waiting_work *work)
{
    int32_t step = asked_in;
    if (asked_in == ASKED_NOWHERE || steps_are_the_devices(sw))
        step = work->step;
    if (step >= 0)
        sw->run->steps.device_spans[sweep_step_window(sw, (size_t)step).step]++;
}

/* When the device did what the host asked for in a step. A kernel of no length is none
 * as long as it is the only one. */
static void extend_step(struct sweep *sw, int32_t step, const struct waiting_work *work)
{
    struct steps *s = &sw->run->steps;
    size_t row = (size_t)sweep_step_window(sw, (size_t)step).step;
    int64_t end_ns = work->begin_ns + work->dur_ns;
    bool first = s->device_begin_ns[row] == s->device_end_ns[row];
    s->device_ns[row] = sum_saturated(s->device_ns[row], work->dur_ns);
    if (!is_kernel(work))
        return;
    if (first || work->begin_ns < s->device_begin_ns[row])
        s->device_begin_ns[row] = work->begin_ns;
    if (first || end_ns > s->device_end_ns[row])
        s->device_end_ns[row] = end_ns;
}

static void answer(struct sweep *sw, struct launch *launch,
                   const struct waiting_work *work)
{
    bool from_op = launch->around.op != OP_NONE;
    uint32_t op = from_op ? launch->around.op : launch->call;
    struct op *sum = &sw->ops.sum[op].op;
    sum->device_ns = sum_saturated(sum->device_ns, work->dur_ns);
    uint32_t site = from_op ? launch->around.site
                            : sweep_site(&sw->sites, launch->call, launch->around.module,
                                         launch->around.line);
    if (site != SITE_NONE) {
        struct site_sum *at = &sw->sites.sum[site];
        at->device_ns = sum_saturated(at->device_ns, work->dur_ns);
        at->count += !from_op && !launch->answered;
    }
    count_work(sw, launch->step, work);
    if (launch->step >= 0 && !steps_are_the_devices(sw))
        extend_step(sw, launch->step, work);
    if (!launch->answered)
        first_answer(sw, launch, work->begin_ns);
    if (work->idle_from_ns != IDLE_NO)
        sweep_idle_add(sw, work->idle_from_ns, work->begin_ns, launch,
                       work->kind == SPAN_KIND_COLLECTIVE);
}

static void answer_from_waiting(struct sweep *sw, int64_t correlation,
                                struct launch *launch)
{
    struct sweep_launch *l = &sw->launch;
    int64_t i = recent_find(&l->works, correlation), before;
    for (; i >= 0; i = before) {
        struct waiting_work *work = &l->work[recent_place(&l->works, (uint64_t)i)];
        before = recent_find_before(&l->works, correlation, (uint64_t)i);
        answer(sw, launch, work);
        work->found = true;
        recent_hide(&l->works, (uint64_t)i); /* no later launch walks over it again */
    }
}

/* The driver's call inside the runtime's has the same number: the outer one counts. */
static bool is_repeated(const struct sweep_launch *l, const struct span *s)
{
    int64_t known = recent_find(&l->launches, s->correlation);
    if (known < 0)
        return false;
    const struct launch *old = &l->launch[recent_place(&l->launches, (uint64_t)known)];
    return !old->answered || old->end_ns > s->begin_ns;
}

void sweep_launch_add(struct sweep *sw, const struct span *s, int64_t step, uint32_t call,
                      const struct op_context *around)
{
    struct sweep_launch *l = &sw->launch;
    if (is_repeated(l, s))
        return;
    if (recent_is_full(&l->launches))
        forget_launch(l, &l->launch[recent_place(&l->launches, l->launches.n)]);
    size_t cap = l->launches.cap;
    uint64_t i = recent_add(&l->launches, s->correlation);
    if (l->launches.cap != cap)
        l->launch = mem_resize(l->launch, l->launches.cap, sizeof *l->launch);
    struct launch *launch = &l->launch[recent_place(&l->launches, i)];
    *launch = (struct launch){.begin_ns = s->begin_ns,
                              .end_ns = span_end_ns(s),
                              .step = (int32_t)step,
                              .lane = s->lane,
                              .queue_change = l->next_change,
                              .call = call & INT32_MAX,
                              .around = *around};
    l->next_change = 0;
    answer_from_waiting(sw, s->correlation, launch);
}

/* Work whose launch was not recorded. */
static void give_up(struct sweep *sw, const struct waiting_work *work)
{
    int64_t *all_ns = &sw->run->ranks.unlaunched_ns[sw->rank];
    if (work->found)
        return;
    *all_ns = sum_saturated(*all_ns, work->dur_ns);
    count_work(sw, ASKED_NOWHERE, work);
    if (work->idle_from_ns != IDLE_NO)
        sweep_idle_add(sw, work->idle_from_ns, work->begin_ns, NULL,
                       work->kind == SPAN_KIND_COLLECTIVE);
}

static void wait_for_launch(struct sweep *sw, int64_t correlation,
                            const struct waiting_work *work)
{
    struct sweep_launch *l = &sw->launch;
    if (recent_is_full(&l->works))
        give_up(sw, &l->work[recent_place(&l->works, l->works.n)]);
    size_t cap = l->works.cap;
    uint64_t i = recent_add(&l->works, correlation);
    if (l->works.cap != cap)
        l->work = mem_resize(l->work, l->works.cap, sizeof *l->work);
    l->work[recent_place(&l->works, i)] = *work;
}

void sweep_launch_answer(struct sweep *sw, const struct span *s, int64_t step,
                         int64_t idle_from_ns)
{
    struct sweep_launch *l = &sw->launch;
    struct waiting_work work = {.begin_ns = s->begin_ns,
                                .dur_ns = s->dur_ns,
                                .idle_from_ns = idle_from_ns,
                                .step = (int32_t)step,
                                .kind = s->kind};
    l->work_ns = sum_saturated(l->work_ns, s->dur_ns);
    int64_t i = s->correlation ? recent_find(&l->launches, s->correlation) : -1;
    if (i >= 0)
        answer(sw, &l->launch[recent_place(&l->launches, (uint64_t)i)], &work);
    else if (s->correlation)
        wait_for_launch(sw, s->correlation, &work);
    else
        give_up(sw, &work);
}

bool sweep_launch_knows(const struct sweep *sw, const struct span *work)
{
    return work->correlation && recent_find(&sw->launch.launches, work->correlation) >= 0;
}

/* --- the end --- */

static uint64_t oldest(const struct recent_index *x)
{
    return x->n > x->cap ? x->n - x->cap : 0;
}

void sweep_launch_end(struct sweep *sw)
{
    struct sweep_launch *l = &sw->launch;
    for (uint64_t i = oldest(&l->works); i < l->works.n; i++)
        give_up(sw, &l->work[recent_place(&l->works, i)]);
    for (uint64_t i = oldest(&l->launches); i < l->launches.n; i++)
        forget_launch(l, &l->launch[recent_place(&l->launches, i)]);
}

static void add_row(struct sweep *sw, int32_t step, const struct delay_sums *d,
                    double mean_queue)
{
    struct launch_sum row = {.rank = sw->rank,
                             .step = step,
                             .count = d->count,
                             .mean_queue = mean_queue,
                             .peak_queue = d->peak_queue};
    if (d->count) {
        row.mean_delay_ns = d->sum_ns / d->count;
        row.median_delay_ns = delay_quantile(d->bucket, DELAY_BUCKETS, d->count, 0.5);
        row.p90_delay_ns = delay_quantile(d->bucket, DELAY_BUCKETS, d->count, 0.9);
    }
    launches_add(&sw->run->launches, row);
}

/* Time in the queue before each border, over all launches. The caller frees it. */
static double *queued_before(const struct sweep *sw, double *whole_ns)
{
    const struct sweep_launch *l = &sw->launch;
    const struct step_clock *c = &sw->clock;
    double *before = mem_alloc((c->borders + 1) * sizeof *before), sum = 0;
    int64_t lasting = 0;
    for (size_t i = 0; i <= c->borders; i++) { /* stretch i ends at border i */
        lasting += l->lasting[i];
        sum += (double)l->queued_ns[i];
        if (i && i < c->borders)
            sum += (double)lasting * (double)(c->border_ns[i] - c->border_ns[i - 1]);
        before[i] = sum;
    }
    *whole_ns = sum;
    return before;
}

void sweep_launch_finish(struct sweep *sw)
{
    struct sweep_launch *l = &sw->launch;
    const struct step_clock *c = &sw->clock;
    double whole_ns;
    if (!l->any)
        return;
    double *before = queued_before(sw, &whole_ns);
    double window_ns = (double)(l->last_ns - l->first_ns);
    add_row(sw, -1, &l->whole, window_ns > 0 ? whole_ns / window_ns : 0);
    for (size_t i = 0; i < l->steps; i++) {
        struct time_window w = sweep_step_window(sw, i);
        double queued = before[step_clock_border(c, w.end_ns)] -
                        before[step_clock_border(c, w.begin_ns)];
        double length = (double)(w.end_ns - w.begin_ns);
        add_row(sw, w.step, &l->step[i], length > 0 ? queued / length : 0);
    }
    mem_free(before);
}
