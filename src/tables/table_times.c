/* Where a step and a recording go. */
#include "tables/flat_table.h"

/* Classes of a split, and what they are parts of. Totals are in more than one part and
 * are parts of nothing. */
static const struct split_part {
    enum time_class what;
    bool of_device, of_host;
    const char *part_of;
} split_parts[] = {
    {TIME_CLASS_SPAN, true, true, ""},
    {TIME_CLASS_COMPUTE, true, false, "span"},
    {TIME_CLASS_COMMUNICATION, true, false, "span"},
    {TIME_CLASS_COPIES, true, false, "span"},
    {TIME_CLASS_IDLE, true, false, "span"},
    {TIME_CLASS_COMMUNICATION_TOTAL, true, false, ""},
    {TIME_CLASS_COPIES_TOTAL, true, false, ""},
    {TIME_CLASS_IDLE_INPUT, true, false, "idle"},
    {TIME_CLASS_IDLE_SYNC, true, false, "idle"},
    {TIME_CLASS_IDLE_HOST, true, false, "idle"},
    {TIME_CLASS_IDLE_COMMUNICATION, true, false, "idle"},
    {TIME_CLASS_IDLE_BETWEEN, true, false, "idle"},
    {TIME_CLASS_IDLE_UNKNOWN, true, false, "idle"},
    {TIME_CLASS_BUSY, false, true, "span"},
    {TIME_CLASS_WAITING, false, true, "span"},
    {TIME_CLASS_UNATTRIBUTED, false, true, "span"},
};

static void add_split(struct parquet_writer *w, const struct flat_source *s,
                      const struct analysis_rank *r)
{
    for (size_t i = 0; i < sizeof split_parts / sizeof *split_parts; i++) {
        const struct split_part *p = &split_parts[i];
        if (!(r->has_device ? p->of_device : p->of_host))
            continue;
        struct flat_times out = {
            .rank = flat_rank(s, r->row),
            .place = parquet_text(r->has_device ? "device" : "host"),
            .what = parquet_text(time_class_text[p->what]),
            .part_of = flat_text(p->part_of),
            .step_ns = r->step_split.known
                           ? parquet_f64((double)r->step_split.ns[p->what])
                           : parquet_null(PARQUET_F64),
            .recording_ns = flat_i64_if(r->whole.known, r->whole.ns[p->what]),
        };
        flat_add(w, out);
    }
}

static void add_phases(struct parquet_writer *w, const struct flat_source *s,
                       const struct analysis_rank *r)
{
    for (int p = 0; p < PHASE_COUNT; p++) {
        struct flat_times out = {
            .rank = flat_rank(s, r->row),
            .place = parquet_text("phases"),
            .what = parquet_text(phase_text[p]),
            .part_of = parquet_text("step"),
            .step_ns = flat_real(r->phases.ns[p]),
            .recording_ns = parquet_null(PARQUET_I64),
        };
        flat_add(w, out);
    }
}

void flat_times_rows(struct parquet_writer *w, const struct flat_source *s, size_t rank)
{
    const struct analysis_rank *r = &s->analysis->ranks[rank];
    if (r->step_split.known || r->whole.known)
        add_split(w, s, r);
    if (r->phases.known)
        add_phases(w, s, r);
}
