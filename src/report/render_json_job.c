/* Several ranks as one job: clocks, waits, the straggler, skew over steps. */
#include "report/job_text.h"
#include "report/json_parts.h"

static void field_index(struct json_writer *w, const char *key, const struct analysis *a,
                        int32_t row)
{
    field_int_or_null(w, key, row < 0 ? 0 : (int64_t)a->index_of_row[row], row >= 0);
}

static void put_cause(struct json_writer *w, const struct job_cause *c)
{
    json_key(w, "cause");
    if (!c->known) {
        json_null(w);
        return;
    }
    json_begin_object(w);
    json_field_string(w, "class", time_class_text[c->what]);
    json_field_us(w, "own_us", c->own_ns);
    json_field_us(w, "median_us", c->median_ns);
    json_field_int(w, "ranks", (int64_t)c->ranks);
    json_end(w);
}

static void put_steps(struct json_writer *w, const struct analysis *a)
{
    const struct job_waits *waits = &a->job.waits;
    json_key(w, "steps");
    json_begin_array(w);
    for (size_t i = 0; i < waits->n_steps; i++) {
        const struct step_skew *s = &waits->step[i];
        json_begin_object(w);
        json_field_int(w, "number", s->number);
        json_field_int(w, "meetings", (int64_t)s->meetings);
        field_index(w, "latest_index", a, s->latest);
        json_field_us(w, "late_us", s->late_ns);
        json_field_us(w, "spread_us", s->spread_ns);
        json_field_us(w, "wait_us", s->wait_ns);
        json_end(w);
    }
    json_end(w);
}

void json_job(struct json_writer *w, const struct analysis *a)
{
    const struct analysis_job *j = &a->job;
    bool aligned = j->state == JOB_ALIGNED;
    json_key(w, "job");
    json_begin_object(w);
    json_field_int(w, "aligned_ranks", (int64_t)j->clocks.aligned);
    json_field_text_or_null(w, "reason", job_reason(j->state));
    field_index(w, "reference_index", a, aligned ? j->clocks.reference : -1);
    json_field_int(w, "collectives", (int64_t)j->collectives);
    json_field_int(w, "matched", (int64_t)j->matched);
    json_field_int(w, "matched_by_sequence", (int64_t)j->by_seq);
    json_field_int(w, "ambiguous", (int64_t)j->ambiguous);
    json_field_int(w, "sends", (int64_t)j->sends);
    json_field_int(w, "meetings", (int64_t)j->waits.meetings);
    field_us_if(w, "skew_median_us", aligned, j->clocks.skew_median_ns);
    field_us_if(w, "skew_max_us", aligned, j->clocks.skew_max_ns);
    field_index(w, "straggler_index", a, j->straggler);
    put_cause(w, &j->cause);
    put_steps(w, a);
    json_end(w);
}

/* Does this rank have a clock that others share? */
static bool met_others(const struct analysis_job *j, int32_t row)
{
    return j->state == JOB_ALIGNED && j->clocks.rank[row].reference >= 0;
}

void json_rank_clock(struct json_writer *w, const struct analysis *a, int32_t row)
{
    json_key(w, "clock");
    if (!met_others(&a->job, row)) {
        json_null(w);
        return;
    }
    const struct rank_clock *c = &a->job.clocks.rank[row];
    json_begin_object(w);
    field_index(w, "reference_index", a, c->reference);
    json_field_us(w, "shift_us", c->shift_ns);
    json_field_int(w, "matched", (int64_t)c->matched);
    json_field_us(w, "skew_median_us", c->skew_median_ns);
    json_field_us(w, "skew_max_us", c->skew_max_ns);
    json_end(w);
}

static void put_rank_steps(struct json_writer *w, const struct analysis *a, int32_t row)
{
    const struct job_waits *waits = &a->job.waits;
    json_key(w, "steps");
    json_begin_array(w);
    for (size_t i = waits->steps.at[row]; i < waits->steps.at[row + 1]; i++) {
        uint32_t step = waits->steps.row[i];
        json_begin_object(w);
        json_field_int(w, "number", a->run->steps.number[step]);
        json_field_us(w, "wait_us", waits->step_wait_ns[step]);
        json_end(w);
    }
    json_end(w);
}

void json_rank_waits(struct json_writer *w, const struct analysis *a, int32_t row)
{
    json_key(w, "waits");
    if (!met_others(&a->job, row)) {
        json_null(w);
        return;
    }
    const struct rank_waits *r = &a->job.waits.rank[row];
    json_begin_object(w);
    json_field_int(w, "collectives", a->job.ranks[row].collectives_all);
    json_field_int(w, "meetings", (int64_t)r->meetings);
    json_field_us(w, "wait_us", r->wait_ns);
    json_field_us(w, "exposed_us", r->exposed_ns);
    json_field_int(w, "last", (int64_t)r->last);
    json_field_us(w, "late_us", r->late_ns);
    json_field_us(w, "late_exposed_us", r->late_exposed_ns);
    json_field_us(w, "alone_us", r->alone_ns);
    json_field_us(w, "others_wait_us", r->others_wait_ns);
    put_rank_steps(w, a, row);
    json_end(w);
}
