#include "gen_plan.h"

#include "base/mem.h"
#include "base/status.h"

void plan_init(struct plan *p, const struct gen_options *o, struct answers *sum)
{
    *p = (struct plan){.o = o, .sum = sum, .unit_ns = gen_unit_ns(o)};
    p->ids_per_step = o->layers * 128 + 1024;
    p->first_work_ns = -1;
}

void plan_release(struct plan *p)
{
    mem_free(p->event);
}

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void plan_begin_step(struct plan *p, int64_t step)
{
    p->step = step;
    p->n = 0;
    p->random = mix((uint64_t)p->o->seed * 1000003 + (uint64_t)(step + 1));
    int64_t first = (step + 1) * p->ids_per_step;
    p->numbers = p->externals = p->correlations = p->sequences = first;
}

int64_t plan_pick(struct plan *p, int64_t low_ns, int64_t high_ns)
{
    int64_t low = low_ns / p->unit_ns, high = high_ns / p->unit_ns;
    p->random = mix(p->random);
    return (low + (int64_t)(p->random % (uint64_t)(high - low + 1))) * p->unit_ns;
}

int64_t plan_add(struct plan *p, enum gen_span span, enum gen_lane lane, int64_t begin_ns)
{
    vec_grow(p->event, p->cap, p->n + 1);
    p->event[p->n] = (struct gen_event){.span = (uint8_t)span,
                                        .lane = (uint8_t)lane,
                                        .suffix = -1,
                                        .number = ++p->numbers,
                                        .begin_ns = begin_ns};
    if (p->numbers - (p->step + 1) * p->ids_per_step > p->ids_per_step)
        BUG("a step of %lld layers has more events than thought",
            (long long)p->o->layers);
    return (int64_t)p->n++;
}

static struct gen_event *event_at(struct plan *p, int64_t i)
{
    return i == MAIN_FRAME ? &p->main_frame : &p->event[i];
}

static void count_span(struct plan *p, const struct gen_event *e)
{
    p->sum->spans++;
    p->sum->lane[e->lane].spans++;
}

/* --- host --- */

int64_t host_now_ns(const struct plan *p, enum gen_lane lane)
{
    return p->host[lane].now_ns;
}

static void note_work(struct plan *p, const struct gen_event *e)
{
    if (p->first_work_ns < 0 || e->begin_ns < p->first_work_ns)
        p->first_work_ns = e->begin_ns;
    if (e->begin_ns + e->dur_ns > p->last_work_ns)
        p->last_work_ns = e->begin_ns + e->dur_ns;
}

int64_t host_open(struct plan *p, enum gen_lane lane, enum gen_span span, int suffix)
{
    struct host_clock *h = &p->host[lane];
    enum gen_kind kind = gen_span_kind(span);
    int64_t i = MAIN_FRAME;
    if (span == SPAN_PY_MAIN)
        p->main_frame =
            (struct gen_event){.span = SPAN_PY_MAIN, .suffix = -1, .begin_ns = h->now_ns};
    else
        i = plan_add(p, span, lane, h->now_ns);
    event_at(p, i)->suffix = (int16_t)suffix;
    if (kind != KIND_PYTHON)
        event_at(p, i)->external_id = ++p->externals;
    h->open[h->depth++] = (struct open_span){.event = i};
    if (h->depth == OPEN_MAX)
        BUG("%d spans open", h->depth);
    h->work_depth += gen_kind_is_host_work(p->o, kind);
    h->wait_depth += kind == KIND_SYNC;
    return i;
}

void host_spend(struct plan *p, enum gen_lane lane, int64_t ns)
{
    struct host_clock *h = &p->host[lane];
    if (ns < 0)
        BUG("time goes back by %lld ns", (long long)-ns);
    h->now_ns += ns;
    if (h->depth)
        h->open[h->depth - 1].self_ns += ns;
    if (p->in_window && h->wait_depth)
        p->sum->lane[lane].waiting_ns += ns;
    else if (p->in_window && h->work_depth)
        p->sum->lane[lane].busy_ns += ns;
}

/* Is a span of this name open below the top? Then its time is in that one's total. */
static bool is_recursive(struct plan *p, const struct host_clock *h,
                         const struct gen_event *e)
{
    for (int i = 0; i < h->depth; i++) {
        const struct gen_event *below = event_at(p, h->open[i].event);
        if (below->span == e->span && below->suffix == e->suffix)
            return true;
    }
    return false;
}

int64_t host_self_ns(const struct plan *p, enum gen_lane lane)
{
    const struct host_clock *h = &p->host[lane];
    return h->open[h->depth - 1].self_ns;
}

void host_close(struct plan *p, enum gen_lane lane)
{
    struct host_clock *h = &p->host[lane];
    struct open_span top = h->open[--h->depth];
    struct gen_event *e = event_at(p, top.event);
    struct op_answer *op = answers_op(p->sum, (enum gen_span)e->span, e->suffix);
    enum gen_kind kind = gen_span_kind((enum gen_span)e->span);
    e->dur_ns = h->now_ns - e->begin_ns;
    op->count++;
    op->self_ns += top.self_ns;
    if (!is_recursive(p, h, e))
        op->total_ns += e->dur_ns;
    if (e->dur_ns > op->max_ns)
        op->max_ns = e->dur_ns;
    h->wait_depth -= kind == KIND_SYNC;
    if (gen_kind_is_host_work(p->o, kind)) {
        h->work_depth--;
        note_work(p, e);
    }
    count_span(p, e);
}

void host_memory(struct plan *p, enum gen_lane lane, int64_t bytes)
{
    if (!p->o->memory)
        return;
    p->allocated_bytes += bytes;
    int64_t i = plan_add(p, SPAN_MEMORY, lane, host_now_ns(p, lane));
    p->event[i].bytes = bytes;
    p->event[i].sequence = p->allocated_bytes;
    if (p->allocated_bytes > p->sum->peak_allocated_bytes)
        p->sum->peak_allocated_bytes = p->allocated_bytes;
}
