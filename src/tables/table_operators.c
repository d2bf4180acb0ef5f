/* Sums by operator, kernel and collective. */
#include "tables/flat_table.h"

void flat_operators_rows(struct parquet_writer *w, const struct flat_source *s,
                         size_t rank)
{
    const struct analysis *a = s->analysis;
    const struct analysis_rank *r = &a->ranks[rank];
    for (size_t i = 0; i < r->n_ops; i++) {
        const struct op op = ops_get(&a->run->ops, r->ops[i].row);
        bool recorded = op.bytes_origin == ORIGIN_MEASURED;
        struct flat_operators out = {
            .rank = flat_rank(s, r->row),
            .place = parquet_text(lane_kind_text[op.place]),
            .kind = parquet_text(span_kind_text[op.kind]),
            .name = parquet_text(run_name(a->run, op.name)),
            .label = parquet_text(analysis_label(a, op.place, op.name)),
            .count = parquet_i64(op.count),
            .self_ns = parquet_i64(op.self_ns),
            .total_ns = parquet_i64(op.total_ns),
            .max_ns = parquet_i64(op.max_ns),
            .device_ns = flat_i64_if(r->has_device, op.device_ns),
            .flop_counted = flat_i64_if(op.flop > 0, op.flop),
            .bytes_recorded = flat_i64_if(recorded && op.bytes > 0, op.bytes),
            .bytes_counted = flat_i64_if(!recorded && op.bytes > 0, op.bytes),
        };
        flat_add(w, out);
    }
}

/* Of the call that took min_ns, where it is one of those that are kept one by one; of
 * several the largest. 0: not known. */
static int64_t bytes_of_shortest(const struct flat_source *s,
                                 const struct collective_sum *sum)
{
    const struct collectives *c = &s->analysis->run->collectives;
    int64_t bytes = 0;
    for (size_t i = s->calls.at[sum->rank]; i < s->calls.at[sum->rank + 1]; i++) {
        size_t k = s->calls.row[i];
        if (c->name[k] == sum->name && c->group_size[k] == sum->group_size &&
            c->dtype[k] == sum->dtype && c->dur_ns[k] == sum->min_ns &&
            c->bytes[k] > bytes)
            bytes = c->bytes[k];
    }
    return bytes;
}

void flat_collectives_rows(struct parquet_writer *w, const struct flat_source *s,
                           size_t rank)
{
    const struct run *run = s->analysis->run;
    int32_t row = s->analysis->ranks[rank].row;
    for (size_t i = s->collectives.at[row]; i < s->collectives.at[row + 1]; i++) {
        const struct collective_sum c =
            collective_sums_get(&run->collective_sums, s->collectives.row[i]);
        int64_t min_bytes = bytes_of_shortest(s, &c);
        struct flat_collectives out = {
            .rank = flat_rank(s, row),
            .name = parquet_text(run_name(run, c.name)),
            .group_size = flat_i32_if(c.group_size > 0, c.group_size),
            .dtype = flat_text(run_name(run, c.dtype)),
            .count = parquet_i64(c.count),
            .bytes = flat_i64_if(c.bytes > 0, c.bytes),
            .total_ns = parquet_i64(c.total_ns),
            .exposed_ns = parquet_i64(c.exposed_ns),
            .min_ns = parquet_i64(c.min_ns),
            .min_bytes = flat_i64_if(min_bytes > 0, min_bytes),
        };
        flat_add(w, out);
    }
}
