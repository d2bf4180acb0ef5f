#include "report/chrome_trace.h"

#include "base/json_writer.h"
#include "base/mem.h"
#include "report/chrome_collectives.h"

#include <string.h>
#include <strings.h>

enum { FLUSH_BYTES = 1 << 20, SHAPES_DEPTH_MAX = 16 };

struct chrome {
    FILE *out;
    struct strbuf text; /* not yet written */
    struct json_writer w;
    const struct run *run;
    int32_t rank;
    int64_t device_pid; /* the row of device 0: no thread of the host has it */
    struct collective_index collectives;
};

/* Each event on a line of its own. */
static void end_event(struct chrome *c)
{
    json_end(&c->w);
    strbuf_putc(&c->text, '\n');
    if (c->text.len < FLUSH_BYTES)
        return;
    fwrite(c->text.s, 1, c->text.len, c->out);
    strbuf_clear(&c->text);
}

static bool on_device(const struct chrome *c, int32_t lane)
{
    return c->run->lanes.kind[lane] == LANE_KIND_DEVICE;
}

static int64_t row_pid(const struct chrome *c, int32_t lane)
{
    return on_device(c, lane) ? c->device_pid + c->run->lanes.device[lane]
                              : c->run->lanes.pid[lane];
}

static void put_row(struct chrome *c, int32_t lane)
{
    json_field_int(&c->w, "pid", row_pid(c, lane));
    json_field_int(&c->w, "tid", c->run->lanes.tid[lane]);
}

/* --- head */

static void put_job(struct chrome *c, const struct rank *r)
{
    if (r->rank < 0)
        return;
    json_key(&c->w, "distributedInfo");
    json_begin_object(&c->w);
    json_field_int(&c->w, "rank", r->rank);
    if (r->world > 0)
        json_field_int(&c->w, "world_size", r->world);
    json_end(&c->w);
}

static void put_head(struct chrome *c)
{
    const struct rank r = ranks_get(&c->run->ranks, (size_t)c->rank);
    const char *device = run_name(c->run, r.device), *host = run_name(c->run, r.host);
    json_begin_object(&c->w);
    json_field_int(&c->w, "schemaVersion", 1);
    json_field_int(&c->w, "baseTimeNanoseconds", r.base_ns);
    if (*host)
        json_field_string(&c->w, "host_name", host);
    put_job(c, &r);
    if (*device) {
        json_key(&c->w, "deviceProperties");
        json_begin_array(&c->w);
        json_begin_object(&c->w);
        json_field_int(&c->w, "id", 0);
        json_field_string(&c->w, "name", device);
        json_end(&c->w);
        json_end(&c->w);
    }
}

/* --- rows */

/* A metadata event that names a row. */
static void put_naming(struct chrome *c, const char *what, int32_t lane, const char *name)
{
    json_begin_object(&c->w);
    json_field_string(&c->w, "ph", "M");
    json_field_string(&c->w, "name", what);
    put_row(c, lane);
    json_key(&c->w, "args");
    json_begin_object(&c->w);
    json_field_string(&c->w, "name", name);
    json_end(&c->w);
    end_event(c);
}

/* Perfetto groups rows by process: a device is one. */
static void put_lane_names(struct chrome *c)
{
    const struct lanes *l = &c->run->lanes;
    for (size_t i = 0; i < l->table.n; i++) {
        if (l->rank[i] != c->rank)
            continue;
        const char *name = run_name(c->run, l->name[i]);
        if (*name)
            put_naming(c, "thread_name", (int32_t)i, name);
        if (on_device(c, (int32_t)i)) {
            char device[32];
            snprintf(device, sizeof device, "GPU %d", (int)l->device[i]);
            put_naming(c, "process_name", (int32_t)i, device);
        }
    }
}

/* Processes of the host may have small numbers too, in containers for instance. */
static int64_t free_pid(const struct run *run, int32_t rank)
{
    const struct lanes *l = &run->lanes;
    int64_t largest = -1, devices = 0;
    bool taken = false;
    for (size_t i = 0; i < l->table.n; i++)
        if (l->rank[i] == rank && l->kind[i] == LANE_KIND_DEVICE &&
            l->device[i] >= devices)
            devices = l->device[i] + 1;
    for (size_t i = 0; i < l->table.n; i++) {
        if (l->rank[i] != rank || l->kind[i] == LANE_KIND_DEVICE)
            continue;
        taken = taken || (l->pid[i] >= 0 && l->pid[i] < devices);
        largest = l->pid[i] > largest ? l->pid[i] : largest;
    }
    return taken && largest < INT32_MAX ? largest + 1 : 0;
}

/* --- spans */

/* NCCL's kernels are kernels to every reader; others must be said to be collectives. */
static const char *category_of(const struct chrome *c, const struct span *s)
{
    bool device = on_device(c, s->lane);
    switch (s->kind) {
    case SPAN_KIND_OP:
        return "cpu_op";
    case SPAN_KIND_KERNEL:
        return "kernel";
    case SPAN_KIND_COLLECTIVE:
        return strcasestr(run_name(c->run, s->name), "nccl") ? "kernel"
                                                             : "collective_comm";
    case SPAN_KIND_COPY:
        return "gpu_memcpy";
    case SPAN_KIND_SET:
        return "gpu_memset";
    case SPAN_KIND_RUNTIME:
        return "cuda_runtime";
    case SPAN_KIND_SYNC:
        return device ? "cuda_sync" : "cuda_runtime";
    case SPAN_KIND_PYTHON:
        return "python_function";
    case SPAN_KIND_OVERHEAD:
        return "overhead";
    default:
        return device ? "gpu_user_annotation" : "user_annotation";
    }
}

/* The trainer's steps have no number in their name. */
static void put_span_name(struct chrome *c, const struct span *s)
{
    const char *name = run_name(c->run, s->name);
    static const char mark[] = "ProfilerStep#";
    if (s->kind != SPAN_KIND_STEP || !strncmp(name, mark, sizeof mark - 1)) {
        json_field_string(&c->w, "name", name);
        return;
    }
    char step[64];
    snprintf(step, sizeof step, "%s%lld", mark, (long long)s->seq);
    json_field_string(&c->w, "name", step);
}

/* Is it nested arrays of whole numbers, as shapes are? What a file says is not trusted.
 */
static bool is_shapes(const char *s)
{
    int depth = 0;
    bool wants_value = true;
    for (; *s; s++) {
        if (*s == '[' && wants_value && depth < SHAPES_DEPTH_MAX) {
            depth++;
            if (s[1] == ']') {
                s++;
                depth--;
                wants_value = false;
            }
        } else if (*s == ']' && !wants_value && depth) {
            depth--;
        } else if (*s == ',' && !wants_value && depth) {
            wants_value = true;
        } else if (wants_value && depth) {
            size_t sign = *s == '-', digits = strspn(s + sign, "0123456789");
            if (!digits || (digits > 1 && s[sign] == '0'))
                return false;
            s += sign + digits - 1;
            wants_value = false;
        } else {
            return false;
        }
    }
    return !depth && !wants_value;
}

static void put_shapes(struct chrome *c, name_id shapes)
{
    const char *text = run_name(c->run, shapes);
    if (!*text)
        return;
    json_key(&c->w, "Input Dims");
    if (is_shapes(text))
        json_raw(&c->w, text);
    else
        json_string(&c->w, text);
}

static void put_span_args(struct chrome *c, const struct span *s)
{
    const char *line = run_name(c->run, s->line);
    json_key(&c->w, "args");
    json_begin_object(&c->w);
    if (on_device(c, s->lane)) {
        json_field_int(&c->w, "device", c->run->lanes.device[s->lane]);
        json_field_int(&c->w, "stream", c->run->lanes.tid[s->lane]);
    }
    if (s->correlation && s->kind == SPAN_KIND_OP)
        json_field_int(&c->w, "Sequence number", s->correlation - 1);
    else if (s->correlation)
        json_field_int(&c->w, "correlation", s->correlation);
    if (s->seq && s->kind != SPAN_KIND_STEP)
        json_field_int(&c->w, "Ev Idx", s->seq);
    bool recorded = s->kind == SPAN_KIND_COPY || s->kind == SPAN_KIND_SET;
    if (s->bytes)
        json_field_int(&c->w, recorded ? "bytes" : "bytes counted", s->bytes);
    if (s->flop)
        json_field_int(&c->w, "flop counted", s->flop);
    put_shapes(c, s->shapes);
    if (*line)
        json_field_string(&c->w, "line", line);
    if (s->kind == SPAN_KIND_COLLECTIVE)
        collective_index_put(&c->collectives, &c->w, s);
    json_end(&c->w);
}

static void put_span(struct chrome *c, const struct span *s)
{
    json_begin_object(&c->w);
    json_field_string(&c->w, "ph", "X");
    json_field_string(&c->w, "cat", category_of(c, s));
    put_span_name(c, s);
    put_row(c, s->lane);
    json_field_us(&c->w, "ts", s->begin_ns);
    json_field_us(&c->w, "dur", s->dur_ns);
    put_span_args(c, s);
    end_event(c);
}

static size_t put_spans(struct chrome *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->run->spans.table.n; i++) {
        const struct span s = spans_get(&c->run->spans, i);
        if (c->run->lanes.rank[s.lane] != c->rank)
            continue;
        put_span(c, &s);
        n++;
    }
    return n;
}

/* --- launches */

static void put_arrow_end(struct chrome *c, const char *ph, size_t span, int64_t id)
{
    const struct span s = spans_get(&c->run->spans, span);
    json_begin_object(&c->w);
    json_field_string(&c->w, "ph", ph);
    json_field_string(&c->w, "cat", "ac2g");
    json_field_string(&c->w, "name", "ac2g");
    json_field_int(&c->w, "id", id);
    put_row(c, s.lane);
    json_field_us(&c->w, "ts", s.begin_ns);
    if (*ph == 'f')
        json_field_string(&c->w, "bp", "e");
    end_event(c);
}

static void put_launches(struct chrome *c)
{
    const struct edges *e = &c->run->edges;
    const struct spans *s = &c->run->spans;
    for (size_t i = 0; i < e->table.n; i++) {
        if (e->kind[i] != EDGE_KIND_LAUNCH || e->src[i] < 0 || e->dst[i] < 0 ||
            c->run->lanes.rank[s->lane[e->src[i]]] != c->rank ||
            c->run->lanes.rank[s->lane[e->dst[i]]] != c->rank)
            continue;
        /* One launch may have many kernels: an arrow each, so an id each. */
        put_arrow_end(c, "s", (size_t)e->src[i], (int64_t)i + 1);
        put_arrow_end(c, "f", (size_t)e->dst[i], (int64_t)i + 1);
    }
}

size_t chrome_trace_write(FILE *out, const struct run *run, int32_t rank)
{
    struct chrome c = {
        .out = out, .run = run, .rank = rank, .device_pid = free_pid(run, rank)};
    strbuf_init(&c.text);
    json_init(&c.w, &c.text);
    c.w.compact = true;
    collective_index_init(&c.collectives, run, rank);
    put_head(&c);
    json_key(&c.w, "traceEvents");
    json_begin_array(&c.w);
    strbuf_putc(&c.text, '\n');
    put_lane_names(&c);
    size_t n = put_spans(&c);
    put_launches(&c);
    json_end(&c.w);
    json_end(&c.w);
    strbuf_putc(&c.text, '\n');
    fwrite(c.text.s, 1, c.text.len, out);
    collective_index_release(&c.collectives);
    strbuf_release(&c.text);
    return n;
}
