#include "gen_parts.h"

static uint64_t mix3(int64_t a, int64_t b, int64_t c)
{
    uint64_t x = (uint64_t)a * 0x9e3779b97f4a7c15u ^ (uint64_t)b * 0xbf58476d1ce4e5b9u ^
                 (uint64_t)c * 0x94d049bb133111ebu;
    x = (x ^ (x >> 31)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

static int64_t whole_units(const struct gen_options *o, int64_t ns)
{
    return ns / gen_unit_ns(o) * gen_unit_ns(o);
}

int64_t job_extra_ns(const struct gen_options *o, int64_t rank, int64_t step)
{
    if (rank == o->straggler)
        return whole_units(o, o->slow_ns);
    uint64_t random = mix3(o->seed, rank + 1, step + 1);
    return whole_units(o, (int64_t)(random % (uint64_t)(o->jitter_ns + 1)));
}

int64_t job_clock_offset_ns(const struct gen_options *o, int64_t rank)
{
    uint64_t random = mix3(o->seed, rank + 1, -1);
    return whole_units(o,
                       (int64_t)(random % (uint64_t)(2 * o->skew_ns + 1)) - o->skew_ns);
}

void job_init(struct job *j, const struct gen_options *o, int64_t rank,
              const int64_t *slowest_ns, struct answers *sum)
{
    *j = (struct job){.o = o, .rank = rank, .slowest_ns = slowest_ns};
    plan_init(&j->plan, o, sum);
}

void job_release(struct job *j)
{
    plan_release(&j->plan);
}

static void plan_before_first(struct job *j)
{
    struct plan *p = &j->plan;
    p->in_window = j->o->marks != MARKS_PROFILER;
    if (j->o->python) {
        host_open(p, LANE_MAIN, SPAN_PY_MAIN, -1);
        host_spend(p, LANE_MAIN, plan_pick(p, 1000, 4000));
    }
    part_before_first_step(p);
}

/* The kernel that still runs from the step before covers the gap and the step's
 * beginning. */
static void begin_device_step(struct job *j, struct step_answer *s)
{
    struct plan *p = &j->plan;
    int64_t begin_ns = host_now_ns(p, LANE_MAIN);
    if (j->overhang_until_ns)
        device_go_on(p, begin_ns);
    else
        device_idle_until(p, begin_ns);
    p->device.step = s;
    device_go_on(p, j->overhang_until_ns);
    j->overhang_until_ns = 0;
}

static void open_marks(struct plan *p)
{
    if (p->o->marks == MARKS_PROFILER) {
        host_open(p, LANE_MAIN, SPAN_PROFILER_STEP, -1);
        host_spend(p, LANE_MAIN, plan_pick(p, 2000, 9000));
    }
    frame_begin(p, SPAN_PY_STEP, -1);
}

static void close_marks(struct plan *p, struct step_answer *s)
{
    frame_end(p);
    host_spend(p, LANE_MAIN, plan_pick(p, 1000, 5000));
    if (p->o->marks != MARKS_PROFILER)
        return;
    s->self_ns = host_self_ns(p, LANE_MAIN);
    host_close(p, LANE_MAIN);
}

static void plan_work(struct job *j, int64_t *late_kernel)
{
    struct plan *p = &j->plan;
    bool lightning = j->o->marks == MARKS_LIGHTNING;
    int64_t extra_ns = job_extra_ns(j->o, j->rank, p->step);
    bool input = j->o->cause == CAUSE_INPUT;
    if (lightning)
        annotation_begin(p, LANE_MAIN, SPAN_LIGHTNING_NEXT);
    part_data(p, input ? extra_ns : 0);
    if (lightning) {
        annotation_end(p, LANE_MAIN);
        annotation_begin(p, LANE_MAIN, SPAN_LIGHTNING_BATCH);
    }
    part_forward(p);
    part_head(p, input ? 0 : extra_ns);
    part_backward(p, j->slowest_ns[p->step] - extra_ns);
    part_clip(p);
    *late_kernel = part_optimizer(p);
    if (lightning)
        annotation_end(p, LANE_MAIN);
}

/* The last kernel began in this step and ends in the next. */
static void let_overhang(struct job *j, int64_t late_kernel)
{
    struct plan *p = &j->plan;
    device_go_on(p, host_now_ns(p, LANE_MAIN));
    j->overhang_until_ns = host_now_ns(p, LANE_MAIN) + plan_pick(p, 30000, 80000);
    device_stretch(p, late_kernel, j->overhang_until_ns);
}

static void plan_step(struct job *j, struct step_answer *s)
{
    struct plan *p = &j->plan;
    int64_t late_kernel;
    s->extra_ns = job_extra_ns(j->o, j->rank, p->step);
    s->wait_ns = j->o->no_comm ? 0 : j->slowest_ns[p->step] - s->extra_ns;
    s->begin_ns = host_now_ns(p, LANE_MAIN);
    begin_device_step(j, s);
    p->in_window = true;
    open_marks(p);
    plan_work(j, &late_kernel);
    if (late_kernel >= 0) /* it must begin inside the step */
        host_spend(p, LANE_MAIN,
                   plan_pick(p, 10000, 15000) +
                       (p->device.now_ns > host_now_ns(p, LANE_MAIN)
                            ? p->device.now_ns - host_now_ns(p, LANE_MAIN)
                            : 0));
    close_marks(p, s);
    s->end_ns = host_now_ns(p, LANE_MAIN);
    if (late_kernel >= 0)
        let_overhang(j, late_kernel);
    else
        device_idle_until(p, s->end_ns);
    p->device.step = NULL;
    host_spend(p, LANE_MAIN, plan_pick(p, 2000, 6000)); /* between steps */
}

void job_plan_step(struct job *j, int64_t step)
{
    plan_begin_step(&j->plan, step);
    if (step < 0) {
        plan_before_first(j);
        return;
    }
    struct step_answer *s = &j->plan.sum->step[step];
    *s = (struct step_answer){0};
    plan_step(j, s);
}

void job_finish(struct job *j)
{
    struct plan *p = &j->plan;
    if (j->overhang_until_ns)
        device_go_on(p, j->overhang_until_ns);
    if (!j->o->python)
        return;
    host_spend(p, LANE_MAIN, plan_pick(p, 1000, 4000));
    host_close(p, LANE_MAIN);
}
