#include "gen_answers.h"

#include "base/mem.h"

#include <string.h>

void answers_init(struct answers *a, const struct gen_options *o, int64_t rank)
{
    *a = (struct answers){.options = o, .rank = rank, .peak_allocated_bytes = -1};
    a->step = mem_zalloc((size_t)o->steps, sizeof *a->step);
}

void answers_release(struct answers *a)
{
    mem_free(a->step);
}

int64_t gen_pid(const struct gen_options *o, enum gen_lane lane)
{
    if (lane < LANE_COMPUTE) /* in a container the host's pid is 1 */
        return o->vendor == VENDOR_AMD ? 1 : 4242;
    return o->vendor == VENDOR_AMD ? 2 : 0;
}

int64_t gen_tid(const struct gen_options *o, enum gen_lane lane)
{
    static const int64_t nvidia[LANE_COUNT] = {4242, 4317, 7, 20, 24};
    static const int64_t amd[LANE_COUNT] = {1, 108, 0, 3, 5};
    return o->vendor == VENDOR_AMD ? amd[lane] : nvidia[lane];
}

static void write_time(FILE *out, const struct time_answer *t)
{
    fprintf(out,
            "\"span\":%lld,\"compute\":%lld,\"communication\":%lld,\"copies\":%lld,"
            "\"idle\":%lld,\"communication_total\":%lld,\"copies_total\":%lld",
            (long long)(t->compute_ns + t->communication_ns + t->copies_ns + t->idle_ns),
            (long long)t->compute_ns, (long long)t->communication_ns,
            (long long)t->copies_ns, (long long)t->idle_ns,
            (long long)t->communication_total_ns, (long long)t->copies_total_ns);
}

static void write_steps(const struct answers *a, FILE *out)
{
    fprintf(out, " \"steps\": [");
    for (int64_t i = 0; i < a->options->steps; i++) {
        const struct step_answer *s = &a->step[i];
        fprintf(out,
                "%s\n  {\"number\":%lld,\"begin_ns\":%lld,\"end_ns\":%lld,"
                "\"self_ns\":%lld,\"device_spans\":%lld,\"extra_ns\":%lld,"
                "\"wait_ns\":%lld,\"optimizer_end_ns\":%lld,\"overhangs\":%s,",
                i ? "," : "", (long long)i, (long long)s->begin_ns, (long long)s->end_ns,
                (long long)s->self_ns, (long long)s->device_spans, (long long)s->extra_ns,
                (long long)s->wait_ns, (long long)s->optimizer_end_ns,
                a->options->overhang ? "true" : "false");
        write_time(out, &s->time);
        fputc('}', out);
    }
    fprintf(out, "\n ],\n");
}

/* Names that are the same with another meaning (pageable and pinned copies on AMD) are
 * one. */
static bool is_same_name(const struct answers *a, int x, int y)
{
    enum vendor v = a->options->vendor;
    enum gen_kind kx = gen_span_kind((enum gen_span)x);
    enum gen_kind ky = gen_span_kind((enum gen_span)y);
    return !strcmp(gen_kind_text(a->options, kx), gen_kind_text(a->options, ky)) &&
           !strcmp(gen_kind_place(kx), gen_kind_place(ky)) &&
           !strcmp(gen_span_text((enum gen_span)x, v)->s,
                   gen_span_text((enum gen_span)y, v)->s);
}

static void op_answer_add(struct op_answer *to, const struct op_answer *from)
{
    to->count += from->count;
    to->self_ns += from->self_ns;
    to->total_ns += from->total_ns;
    to->bytes += from->bytes;
    if (from->max_ns > to->max_ns)
        to->max_ns = from->max_ns;
}

static void write_op(const struct answers *a, FILE *out, enum gen_span span,
                     const char *suffix, const struct op_answer *sum)
{
    enum gen_kind kind = gen_span_kind(span);
    fprintf(out,
            ",\n  {\"name\":\"%s%s\",\"kind\":\"%s\",\"place\":\"%s\",\"count\":%lld,"
            "\"self_ns\":%lld,\"total_ns\":%lld,\"max_ns\":%lld,\"bytes\":%lld}",
            gen_span_text(span, a->options->vendor)->s, suffix,
            gen_kind_text(a->options, kind), gen_kind_place(kind), (long long)sum->count,
            (long long)sum->self_ns, (long long)sum->total_ns, (long long)sum->max_ns,
            (long long)sum->bytes);
}

/* Steps are not among them: their names differ, and they stand above. */
static void write_ops(const struct answers *a, FILE *out)
{
    fprintf(out, " \"ops\": [null");
    for (int x = SPAN_PROFILER_STEP + 1; x < SPAN_COUNT; x++) {
        struct op_answer sum = {0};
        bool first = true;
        for (int y = SPAN_PROFILER_STEP + 1; y < SPAN_COUNT; y++)
            if (is_same_name(a, x, y)) {
                op_answer_add(&sum, &a->op[y]);
                first = first && y >= x;
            }
        if (first && sum.count)
            write_op(a, out, (enum gen_span)x, "", &sum);
    }
    for (int i = 0; i < BLOCKS_MAX; i++)
        if (a->op[SPAN_COUNT + i].count) {
            char suffix[16];
            snprintf(suffix, sizeof suffix, "%d", i);
            write_op(a, out, SPAN_PY_BLOCK, suffix, &a->op[SPAN_COUNT + i]);
        }
    fprintf(out, "\n ],\n");
}

static void write_lanes(const struct answers *a, FILE *out)
{
    fprintf(out, " \"lanes\": [null");
    for (int i = 0; i < LANE_COUNT; i++) {
        const struct lane_answer *l = &a->lane[i];
        if (l->spans)
            fprintf(out,
                    ",\n  {\"kind\":\"%s\",\"tid\":%lld,\"spans\":%lld,\"busy_ns\":%lld,"
                    "\"waiting_ns\":%lld}",
                    i < LANE_COMPUTE ? "cpu" : "device",
                    (long long)gen_tid(a->options, (enum gen_lane)i), (long long)l->spans,
                    (long long)l->busy_ns, (long long)l->waiting_ns);
    }
    fprintf(out, "\n ]\n");
}

void answers_write(const struct answers *a, FILE *out)
{
    fprintf(out,
            "{\"path\":\"%s\",\"rank\":%lld,\"clock_offset_ns\":%lld,\"base_ns\":%lld,\n"
            " \"events\":%lld,\"spans\":%lld,\"device_spans\":%lld,\"launches\":%lld,\n"
            " \"first_ns\":%lld,\"last_ns\":%lld,\"host_window_ns\":%lld,"
            "\"peak_allocated_bytes\":%lld,\n \"time_ns\": {",
            a->path, (long long)a->rank, (long long)a->clock_offset_ns,
            (long long)a->base_ns, (long long)a->events, (long long)a->spans,
            (long long)a->device_spans, (long long)a->launches, (long long)a->first_ns,
            (long long)a->last_ns, (long long)a->host_window_ns,
            (long long)a->peak_allocated_bytes);
    write_time(out, &a->time);
    fprintf(out, "},\n");
    write_steps(a, out);
    write_ops(a, out);
    write_lanes(a, out);
    fprintf(out, "}");
}
