/* Ranks and their steps. */
#include "base/path.h"
#include "tables/flat_table.h"

#include <math.h>

/* Does this rank have a clock that others share? */
static bool met_others(const struct analysis_job *j, int32_t row)
{
    return j->state == JOB_ALIGNED && j->clocks.rank[row].reference >= 0;
}

static void set_recording(struct flat_ranks *out, const struct run *run, size_t row)
{
    const struct rank k = ranks_get(&run->ranks, row);
    out->world = flat_i32_if(k.world > 0, k.world);
    out->source = parquet_text(run_source_text[k.source]);
    out->path = flat_text(path_name(run_name(run, k.path)));
    out->host = flat_text(run_name(run, k.host));
    out->device = flat_text(run_name(run, k.device));
    out->devices = parquet_i32(k.devices);
    out->framework = flat_text(run_name(run, k.framework));
    out->begin_unix_ns = flat_i64_if(k.base_ns > 0, k.base_ns + k.first_ns);
    out->recorded_ns = parquet_i64(k.last_ns - k.first_ns);
    out->complete = parquet_bool(k.complete);
    out->text_bytes = parquet_i64(k.text_bytes);
    out->events = parquet_i64(k.events);
    out->events_skipped = parquet_i64(k.events_skipped);
    out->spans_seen = parquet_i64(k.spans_seen);
}

static void set_steps(struct flat_ranks *out, const struct analysis_rank *r)
{
    double told = r->step.count < STEP_INTERVAL_MIN ? NAN : 1;
    bool marked = analysis_has_steps(r);
    out->steps = parquet_i64(marked ? (int64_t)r->steps.count : 0);
    out->step_method = parquet_text(step_method_text[r->steps.method]);
    out->step_clock = parquet_text(step_basis_text[r->step.basis]);
    out->step_ms = flat_ms(r->step.ns);
    out->step_low_ms = flat_ms(told * r->step.low_ns);
    out->step_high_ms = flat_ms(told * r->step.high_ns);
    out->step_min_ms = flat_real(marked ? r->steps.min_ms : NAN);
    out->step_max_ms = flat_real(marked ? r->steps.max_ms : NAN);
    out->kernels = parquet_i64((int64_t)r->kernels);
    out->kernels_per_step = flat_real(r->kernels_per_step);
}

void flat_ranks_rows(struct parquet_writer *w, const struct flat_source *s, size_t rank)
{
    const struct analysis *a = s->analysis;
    const struct analysis_rank *r = &a->ranks[rank];
    bool met = met_others(&a->job, r->row);
    const struct rank_waits *waits = met ? &a->job.waits.rank[r->row] : NULL;
    struct flat_ranks out = {
        .rank = flat_rank(s, r->row),
        .wait_ns = flat_i64_if(met, met ? waits->wait_ns : 0),
        .late_ns = flat_i64_if(met, met ? waits->late_ns : 0),
        .is_straggler = parquet_bool(a->job.straggler == r->row),
        .is_shown = parquet_bool(rank == a->shown),
    };
    set_recording(&out, a->run, (size_t)r->row);
    set_steps(&out, r);
    flat_add(w, out);
}

void flat_steps_rows(struct parquet_writer *w, const struct flat_source *s, size_t rank)
{
    const struct analysis *a = s->analysis;
    const struct steps *steps = &a->run->steps;
    const struct rank_rows *rows = &a->step_rows;
    const struct analysis_rank *r = &a->ranks[rank];
    int32_t row = r->row;
    bool met = met_others(&a->job, row);
    if (!analysis_has_steps(r))
        return;
    for (size_t i = rows->at[row]; i < rows->at[row + 1]; i++) {
        size_t k = rows->row[i];
        const struct step x = steps_get(steps, k);
        struct flat_steps out = {
            .rank = flat_rank(s, row),
            .number = parquet_i64(x.number),
            .begin_ns = parquet_i64(x.begin_ns - a->run->ranks.first_ns[row]),
            .duration_ns = parquet_i64(x.end_ns - x.begin_ns),
            .device_spans = parquet_i64(x.device_spans),
            .device_span_ns =
                flat_i64_if(r->has_device, x.device_end_ns - x.device_begin_ns),
            .device_ns = parquet_i64(x.device_ns),
            .flop_counted = flat_i64_if(x.flop > 0, x.flop),
            .wait_ns = flat_i64_if(met, met ? a->job.waits.step_wait_ns[k] : 0),
        };
        flat_add(w, out);
    }
}
