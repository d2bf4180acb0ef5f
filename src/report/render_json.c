/*
 * The figures of an analysis under stable names: docs/analyze.md lists them. Every key is
 * always present; what does not exist is null, with a reason beside it. Times are exact
 * microseconds. Names are whole, made valid UTF-8 by the writer.
 *
 * A change that breaks a reader raises "version".
 */
#include "analyze/rank_rows.h"
#include "analyze/timed_waits.h"
#include "base/path.h"
#include "report/json_parts.h"
#include "report/render.h"
#include "report/render_json_findings.h"
#include "report/render_json_work.h"

#include <math.h>

enum { ANALYSIS_JSON_VERSION = 2, FLUSH_BYTES = 1 << 20 };

static const char no_device[] = "nothing ran on a GPU in this recording";
static const char no_times[] = "no times were recorded";

static void put_split(struct json_writer *w, const struct time_split *s, bool device)
{
    static const struct {
        const char *key;
        enum time_class what;
        bool of_device;
    } part[] = {
        {"compute", TIME_CLASS_COMPUTE, true},
        {"communication", TIME_CLASS_COMMUNICATION, true},
        {"copies", TIME_CLASS_COPIES, true},
        {"idle", TIME_CLASS_IDLE, true},
        {"communication_total", TIME_CLASS_COMMUNICATION_TOTAL, true},
        {"copies_total", TIME_CLASS_COPIES_TOTAL, true},
        {"idle_input", TIME_CLASS_IDLE_INPUT, true},
        {"idle_blocked_host", TIME_CLASS_IDLE_SYNC, true},
        {"idle_host", TIME_CLASS_IDLE_HOST, true},
        {"idle_communication", TIME_CLASS_IDLE_COMMUNICATION, true},
        {"idle_between", TIME_CLASS_IDLE_BETWEEN, true},
        {"idle_unknown", TIME_CLASS_IDLE_UNKNOWN, true},
        {"busy", TIME_CLASS_BUSY, false},
        {"waiting", TIME_CLASS_WAITING, false},
        {"unattributed", TIME_CLASS_UNATTRIBUTED, false},
    };
    json_begin_object(w);
    field_us_if(w, "span", s->known, s->ns[TIME_CLASS_SPAN]);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        field_us_if(w, part[i].key, s->known && part[i].of_device == device,
                    s->ns[part[i].what]);
    json_field_text_or_null(w, "reason", !s->known ? no_times : device ? "" : no_device);
    json_end(w);
}

static void put_split_or_null(struct json_writer *w, const struct time_split *s,
                              bool device)
{
    if (s->known)
        put_split(w, s, device);
    else
        json_null(w);
}

static void put_steps(struct json_writer *w, const struct analysis_steps *s)
{
    json_key(w, "steps");
    json_begin_object(w);
    json_field_int(w, "count", (int64_t)s->count);
    json_field_int(w, "typical", (int64_t)s->typical);
    json_field_double(w, "min_ms", s->min_ms, MS_DECIMALS);
    json_field_double(w, "max_ms", s->max_ms, MS_DECIMALS);
    json_field_string(w, "method", step_method_text[s->method]);
    json_end(w);
}

static void put_phases(struct json_writer *w, const struct analysis_rank *r)
{
    json_key(w, "phases_ms");
    if (!r->phases.known) {
        json_null(w);
        return;
    }
    json_begin_object(w);
    for (int p = 0; p < PHASE_COUNT; p++)
        json_field_double(w, phase_text[p], r->phases.ns[p] / 1e6, MS_DECIMALS);
    json_end(w);
}

static void put_devices(struct json_writer *w, const struct analysis_rank *r)
{
    json_key(w, "devices");
    json_begin_array(w);
    for (size_t i = 0; i < r->n_devices; i++) {
        json_begin_object(w);
        json_field_int(w, "device", r->devices[i].device);
        json_key(w, "time_us");
        put_split(w, &r->devices[i].whole, true);
        json_end(w);
    }
    json_end(w);
}

static void put_lane(struct json_writer *w, const struct run *run,
                     const struct analysis_lane *l)
{
    const struct lane lane = lanes_get(&run->lanes, (size_t)l->lane);
    bool stream = l->split.known && lane.kind == LANE_KIND_DEVICE;
    bool host = l->split.known && lane.kind != LANE_KIND_DEVICE;
    json_begin_object(w);
    json_field_string(w, "name", run_name(run, lane.name));
    json_field_string(w, "kind", lane_kind_text[lane.kind]);
    field_int_or_null(w, "device", lane.device, lane.device >= 0);
    json_field_int(w, "pid", lane.pid);
    json_field_int(w, "tid", lane.tid);
    json_key(w, "time_us");
    json_begin_object(w);
    field_us_if(w, "span", l->split.known, l->split.ns[TIME_CLASS_SPAN]);
    field_us_if(w, "busy", l->split.known, l->split.ns[TIME_CLASS_BUSY]);
    field_us_if(w, "waiting", host, l->split.ns[TIME_CLASS_WAITING]);
    field_us_if(w, "unattributed", host, l->split.ns[TIME_CLASS_UNATTRIBUTED]);
    field_us_if(w, "idle", stream, l->split.ns[TIME_CLASS_IDLE]);
    json_end(w);
    json_end(w);
}

static void put_op(struct json_writer *w, const struct analysis *analysis,
                   const struct analysis_op *a)
{
    const struct run *run = analysis->run;
    const struct op op = ops_get(&run->ops, a->row);
    json_begin_object(w);
    json_field_string(w, "name", run_name(run, op.name));
    json_field_string(w, "label", analysis_label(analysis, op.place, op.name));
    json_field_string(w, "kind", span_kind_text[op.kind]);
    json_field_string(w, "place", lane_kind_text[op.place]);
    json_field_int(w, "count", op.count);
    json_field_us(w, "self_us", op.self_ns);
    json_field_double(w, "self_frac", a->self_frac, FRAC_DECIMALS);
    json_field_us(w, "total_us", op.total_ns);
    json_field_us(w, "max_us", op.max_ns);
    field_int_or_null(w, "flop_counted", op.flop, op.flop > 0);
    field_int_or_null(w, "bytes", op.bytes, op.bytes > 0);
    json_field_text_or_null(w, "bytes_origin",
                            op.bytes > 0 ? origin_text[op.bytes_origin] : "");
    json_end(w);
}

static void put_note(struct json_writer *w, const struct run *run, size_t i)
{
    const struct notes *n = &run->notes;
    json_begin_object(w);
    field_int_or_null(w, "offset", n->offset[i], n->offset[i] >= 0);
    json_field_int(w, "count", n->count[i]);
    json_field_string(w, "text", run_name(run, n->text[i]));
    json_end(w);
}

/* Rows of tables by rank: passing over a table for each of thousands of ranks would take
 * longer than everything else. */
struct rows_of_ranks {
    struct rank_rows notes, losses, memories, timings;
};

static void rows_of_ranks_init(struct rows_of_ranks *r, const struct run *run)
{
    size_t n = run->ranks.table.n;
    rank_rows_init(&r->notes, run->notes.rank, run->notes.table.n, n);
    rank_rows_init(&r->losses, run->losses.rank, run->losses.table.n, n);
    rank_rows_init(&r->memories, run->memories.rank, run->memories.table.n, n);
    rank_rows_init(&r->timings, run->timings.rank, run->timings.table.n, n);
}

static void rows_of_ranks_release(struct rows_of_ranks *r)
{
    rank_rows_release(&r->notes);
    rank_rows_release(&r->losses);
    rank_rows_release(&r->memories);
    rank_rows_release(&r->timings);
}

static void put_notes(struct json_writer *w, const struct run *run,
                      const struct rank_rows *rows, int32_t rank_row)
{
    json_key(w, "notes");
    json_begin_array(w);
    for (size_t i = rows->at[rank_row]; i < rows->at[rank_row + 1]; i++)
        put_note(w, run, rows->row[i]);
    json_end(w);
}

static void put_losses(struct json_writer *w, const struct run *run,
                       const struct rank_rows *rows, int32_t rank_row)
{
    const struct losses *l = &run->losses;
    json_key(w, "losses");
    json_begin_array(w);
    for (size_t at = rows->at[rank_row]; at < rows->at[rank_row + 1]; at++) {
        size_t i = rows->row[at];
        double e = l->standard_error[i];
        json_begin_object(w);
        json_field_int(w, "step", l->step[i]);
        json_field_string(w, "split", split_text[l->split[i]]);
        json_field_exact(w, "loss", l->loss[i]);
        json_field_exact(w, "standard_error", e > 0 ? e : NAN);
        json_end(w);
    }
    json_end(w);
}

static void put_memory(struct json_writer *w, const struct run *run,
                       const struct rank_rows *rows, int32_t rank_row)
{
    const struct memories *m = &run->memories;
    json_key(w, "memory");
    json_begin_array(w);
    for (size_t at = rows->at[rank_row]; at < rows->at[rank_row + 1]; at++) {
        size_t i = rows->row[at];
        json_begin_object(w);
        json_field_string(w, "class", memory_class_text[m->what[i]]);
        field_int_or_null(w, "device", m->device[i], m->device[i] >= 0);
        json_field_us(w, "at_us", m->at_ns[i]);
        json_field_int(w, "bytes", m->bytes[i]);
        json_field_string(w, "origin", origin_text[m->origin[i]]);
        json_end(w);
    }
    json_end(w);
}

static void put_recording(struct json_writer *w, const struct run *run, int32_t row)
{
    const struct rank k = ranks_get(&run->ranks, (size_t)row);
    field_int_or_null(w, "rank", k.rank, k.rank >= 0);
    field_int_or_null(w, "world", k.world, k.world > 0);
    json_field_string(w, "path", path_name(run_name(run, k.path)));
    json_field_text_or_null(w, "host", run_name(run, k.host));
    json_field_text_or_null(w, "device", run_name(run, k.device));
    json_field_int(w, "device_count", k.devices);
    json_field_text_or_null(w, "framework", run_name(run, k.framework));
    field_bool(w, "complete", k.complete != 0);
    json_field_int(w, "text_bytes", k.text_bytes);
    json_field_int(w, "events", k.events);
    json_field_int(w, "events_skipped", k.events_skipped);
    json_field_int(w, "spans_seen", k.spans_seen);
    json_field_int(w, "spans_kept", k.spans_kept);
}

static double waits_ns(const struct analysis *a, const struct rank_rows *timings,
                       int32_t row)
{
    return timed_waits_of_rows_ns(a->run, timings->row + timings->at[row],
                                  timings->at[row + 1] - timings->at[row]);
}

static void put_rank(struct json_writer *w, const struct analysis *a, size_t index,
                     const struct rows_of_ranks *rows,
                     const struct report_options *options)
{
    const struct analysis_rank *r = &a->ranks[index];
    size_t top = options->top > 0 ? (size_t)options->top : 0;
    json_begin_object(w);
    put_recording(w, a->run, r->row);
    json_step_time(w, &r->step);
    json_field_double(w, "recorded_step_ms", r->recorded.ns / 1e6, MS_DECIMALS);
    put_steps(w, &r->steps);
    json_key(w, "time_us");
    put_split(w, &r->whole, r->has_device);
    json_key(w, "step_time_us");
    put_split_or_null(w, &r->step_split, r->has_device);
    json_field_double(w, "timed_waits_ms", waits_ns(a, &rows->timings, r->row) / 1e6,
                      MS_DECIMALS);
    json_rank_clock(w, a, r->row);
    json_rank_waits(w, a, r->row);
    field_int_or_null(w, "lane", r->main_lane, r->main_lane >= 0);
    put_phases(w, r);
    put_devices(w, r);
    json_field_int(w, "kernels", (int64_t)r->kernels);
    json_field_double(w, "kernels_per_step", r->kernels_per_step, 3);
    json_key(w, "lanes");
    json_begin_array(w);
    for (size_t i = 0; i < r->n_lanes; i++)
        put_lane(w, a->run, &r->lanes[i]);
    json_end(w);
    json_key(w, "ops");
    json_begin_array(w);
    for (size_t i = 0; i < r->n_ops && (!top || i < top); i++)
        put_op(w, a, &r->ops[i]);
    json_end(w);
    json_field_int(w, "ops_total", (int64_t)r->n_ops);
    json_key(w, "work");
    put_work(w, a, index, options);
    put_losses(w, a->run, &rows->losses, r->row);
    put_memory(w, a->run, &rows->memories, r->row);
    put_notes(w, a->run, &rows->notes, r->row);
    json_end(w);
}

static void put_ranks(struct json_writer *w, const struct analysis *a,
                      const struct report_options *options)
{
    struct rows_of_ranks rows;
    rows_of_ranks_init(&rows, a->run);
    for (size_t i = 0; i < a->n_ranks; i++) {
        put_rank(w, a, i, &rows, options);
        if (options->flush && w->out->len > FLUSH_BYTES)
            options->flush(w->out);
    }
    rows_of_ranks_release(&rows);
}

static void put_facts(struct json_writer *w, const struct run *run)
{
    const struct facts *f = &run->facts;
    json_key(w, "facts");
    json_begin_array(w);
    for (size_t i = 0; i < f->table.n; i++) {
        json_begin_object(w);
        field_int_or_null(w, "rank_row", f->rank[i], f->rank[i] >= 0);
        json_field_string(w, "key", run_name(run, f->key[i]));
        json_field_exact(w, "value", f->value[i]);
        json_field_text_or_null(w, "text", run_name(run, f->text[i]));
        json_field_text_or_null(w, "unit", run_name(run, f->unit[i]));
        json_field_string(w, "origin", origin_text[f->origin[i]]);
        json_end(w);
    }
    json_end(w);
}

static const char *source_of(const struct run *run)
{
    if (!run->ranks.table.n)
        return run_source_text[RUN_SOURCE_UNKNOWN];
    for (size_t i = 1; i < run->ranks.table.n; i++)
        if (run->ranks.source[i] != run->ranks.source[0])
            return "mixed";
    return run_source_text[run->ranks.source[0]];
}

void render_json(struct strbuf *out, const struct analysis *a,
                 const struct report_options *options)
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-analysis");
    json_field_int(&w, "version", ANALYSIS_JSON_VERSION);
    json_field_string(&w, "source", source_of(a->run));
    json_shown_step(&w, a);
    field_int_or_null(&w, "shown_index", (int64_t)a->shown, a->n_ranks > 0);
    json_job(&w, a);
    json_key(&w, "ranks");
    json_begin_array(&w);
    put_ranks(&w, a, options);
    json_end(&w);
    json_findings(&w, a, options->findings);
    json_warnings(&w, a, false);
    put_facts(&w, a->run);
    json_end(&w);
}
