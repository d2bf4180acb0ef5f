#include "gen_file.h"

#include "gen_emit.h"

/* Kineto writes thread by thread, then instants, Python, and what the device recorded. */
enum pass {
    PASS_AUTOGRAD,
    PASS_MAIN,
    PASS_MEMORY,
    PASS_PYTHON,
    PASS_DEVICE,
    PASS_DEVICE_MARKS,
    PASS_COUNT
};

struct file {
    const struct gen_options *o;
    int64_t rank;
    const int64_t *slowest_ns;
    struct text_out text;
    struct emit emit;
};

static bool in_pass(const struct gen_event *e, enum pass pass)
{
    enum gen_kind kind = gen_span_kind((enum gen_span)e->span);
    switch (kind) {
    case KIND_OP:
    case KIND_ANNOTATION:
    case KIND_STEP:
        return pass == (e->lane == LANE_AUTOGRAD ? PASS_AUTOGRAD : PASS_MAIN);
    case KIND_MEMORY:
        return pass == PASS_MEMORY;
    case KIND_PYTHON:
        return pass == PASS_PYTHON;
    case KIND_DEVICE_ANNOTATION:
        return pass == PASS_DEVICE_MARKS;
    default:
        return pass == PASS_DEVICE;
    }
}

static void emit_one(struct file *f, const struct gen_event *e, bool has_work)
{
    if (e->span == SPAN_MEMORY)
        emit_memory(&f->emit, e);
    else if (f->o->old)
        emit_event_old(&f->emit, e, has_work);
    else
        emit_event(&f->emit, e, has_work);
}

static bool is_call(const struct gen_event *e)
{
    enum gen_kind kind = gen_span_kind((enum gen_span)e->span);
    return kind == KIND_RUNTIME || kind == KIND_SYNC;
}

/* Device work stands before its launch in the file, but behind it in the plan. */
static void emit_device_pass(struct file *f, const struct plan *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct gen_event *e = &p->event[i];
        if (!in_pass(e, PASS_DEVICE))
            continue;
        size_t last = i;
        while (is_call(e) && last + 1 < p->n &&
               p->event[last + 1].correlation == e->correlation)
            emit_one(f, &p->event[++last], false);
        emit_one(f, e, last > i);
        i = last;
    }
}

static void emit_pass(struct file *f, const struct plan *p, enum pass pass)
{
    f->emit.step = p->step;
    if (pass == PASS_DEVICE) {
        emit_device_pass(f, p);
        return;
    }
    for (size_t i = 0; i < p->n; i++)
        if (in_pass(&p->event[i], pass))
            emit_one(f, &p->event[i], false);
}

static void note_extent(const struct plan *p, struct answers *sum)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct gen_event *e = &p->event[i];
        if (e->span == SPAN_MEMORY)
            continue;
        if (e->begin_ns < sum->first_ns)
            sum->first_ns = e->begin_ns;
        if (e->begin_ns + e->dur_ns > sum->last_ns)
            sum->last_ns = e->begin_ns + e->dur_ns;
    }
}

/* All steps once; what they sum up to goes into *sum. */
static void run_pass(struct file *f, enum pass pass, struct answers *sum)
{
    struct job job;
    job_init(&job, f->o, f->rank, f->slowest_ns, sum);
    sum->first_ns = INT64_MAX;
    for (int64_t step = -1; step < f->o->steps; step++) {
        job_plan_step(&job, step);
        note_extent(&job.plan, sum);
        emit_pass(f, &job.plan, pass);
    }
    job_finish(&job);
    struct plan *p = &job.plan;
    if (f->o->python) {
        sum->first_ns = p->main_frame.begin_ns;
        if (p->main_frame.dur_ns + p->main_frame.begin_ns > sum->last_ns)
            sum->last_ns = p->main_frame.dur_ns + p->main_frame.begin_ns;
        if (pass == PASS_PYTHON)
            emit_one(f, &p->main_frame, false);
    }
    sum->host_window_ns = f->o->marks == MARKS_PROFILER
                              ? sum->step[f->o->steps - 1].end_ns - sum->step[0].begin_ns
                              : p->last_work_ns - p->first_work_ns;
    job_release(&job);
}

static bool pass_has_events(const struct gen_options *o, enum pass pass)
{
    return (pass != PASS_MEMORY || o->memory) && (pass != PASS_PYTHON || o->python) &&
           (pass != PASS_DEVICE_MARKS || (!o->old && o->marks != MARKS_NONE));
}

/* --- head and footer --- */

static void put_distributed(struct file *f)
{
    struct text_out *t = &f->text;
    PUT2(t, "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": ",
         "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":");
    put_number(t, f->rank);
    PUT2(t, ", \"world_size\": ", ",\"world_size\":");
    put_number(t, f->o->world);
    PUT2(t, ", \"nccl_version\": \"2.20.5\"}", ",\"nccl_version\":\"2.20.5\"}");
}

static const int64_t EPOCH_NS = INT64_C(1735689600000000000); /* 2025-01-01 */
static const int64_t UPTIME_NS = INT64_C(4203669604595000);   /* since the base */

static void put_base(struct file *f)
{
    PUT2(&f->text, "  \"baseTimeNanoseconds\": ", "\"baseTimeNanoseconds\":");
    put_number(&f->text, EPOCH_NS);
}

static bool has_base(const struct file *f, enum base_in where)
{
    return f->o->dialect == DIALECT_RELATIVE_NS && f->o->base_in == where;
}

static void put_head(struct file *f)
{
    struct text_out *t = &f->text;
    if (f->o->bare) {
        PUT2(t, "[\n\n", "[");
        return;
    }
    PUT2(t, "\n{\n  \"schemaVersion\": 1,\n", "{\"schemaVersion\":1,");
    if (f->o->vendor == VENDOR_AMD)
        PUT2(t,
             "  \"deviceProperties\": [\n    {\n      \"id\": 2, \"name\": "
             "\"AMD Radeon Graphics\", \"totalGlobalMem\": 68702699520\n    }\n  ],\n",
             "\"deviceProperties\":[{\"id\":2,\"name\":\"AMD Radeon Graphics\"}],");
    else
        PUT2(t,
             "  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": "
             "\"NVIDIA A100-SXM4-80GB\", \"totalGlobalMem\": 85049802752\n    }\n  ],\n",
             "\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA A100-SXM4-80GB\"}],");
    if (f->o->rank_in == RANK_IN_HEAD) {
        put_distributed(f);
        PUT2(t, ",\n", ",");
    }
    if (has_base(f, BASE_HEAD)) {
        put_base(f);
        PUT2(t, ",\n", ",");
    }
    if (f->o->shapes)
        PUT2(t, "  \"record_shapes\": 1,\n", "\"record_shapes\":1,");
    PUT2(t, "  \"traceEvents\": [\n", "\"traceEvents\":[");
}

static void put_footer(struct file *f)
{
    struct text_out *t = &f->text;
    if (f->o->bare) {
        PUT2(t, "\n]\n", "]");
        return;
    }
    PUT2(t, "\n  ],\n", "],");
    if (f->o->rank_in == RANK_IN_FOOTER) {
        put_distributed(f);
        PUT2(t, ",\n", ",");
    }
    if (has_base(f, BASE_FOOTER)) {
        put_base(f);
        PUT2(t, ",\n", ",");
    }
    PUT2(t, "  \"displayTimeUnit\": \"ms\",\n  \"traceName\": \"/tmp/trace.json\"\n}\n",
         "\"displayTimeUnit\":\"ms\",\"traceName\":\"/tmp/trace.json\"}");
}

/* --- the whole --- */

/* True time to what the file says. */
static void answers_shift(struct answers *a, int64_t shift_ns)
{
    a->first_ns += shift_ns;
    a->last_ns += shift_ns;
    for (int64_t i = 0; i < a->options->steps; i++) {
        a->step[i].begin_ns += shift_ns;
        a->step[i].end_ns += shift_ns;
        a->step[i].optimizer_end_ns += shift_ns;
    }
}

static void write_events(struct file *f, struct answers *sum)
{
    struct answers scratch;
    answers_init(&scratch, f->o, f->rank);
    run_pass(f, PASS_AUTOGRAD, sum);
    for (enum pass pass = PASS_AUTOGRAD + 1; pass < PASS_COUNT; pass++)
        if (pass_has_events(f->o, pass))
            run_pass(f, pass, &scratch);
    emit_metadata(&f->emit, sum->first_ns, sum->last_ns);
    answers_release(&scratch);
}

int64_t gen_file_write(const struct gen_options *o, int64_t rank,
                       const int64_t *slowest_ns, const char *path, struct answers *sum)
{
    struct file f = {.o = o, .rank = rank, .slowest_ns = slowest_ns};
    text_open(&f.text, path, o->gzip);
    f.text.compact = o->compact;
    sum->clock_offset_ns = job_clock_offset_ns(o, rank);
    bool relative = o->dialect == DIALECT_RELATIVE_NS;
    sum->base_ns = has_base(&f, BASE_ABSENT) || !relative ? 0 : EPOCH_NS;
    f.emit = (struct emit){.o = o, .t = &f.text, .rank = rank};
    f.emit.shift_ns = (relative ? UPTIME_NS : EPOCH_NS) + sum->clock_offset_ns;
    put_head(&f);
    if (o->shuffle)
        text_shuffle(&f.text, (uint64_t)o->seed);
    write_events(&f, sum);
    text_events_over(&f.text);
    put_footer(&f);
    sum->events = f.text.events;
    answers_shift(sum, f.emit.shift_ns);
    text_close(&f.text);
    return f.text.written;
}
