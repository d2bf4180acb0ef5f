/*
 * What the sweep costs a span: the spans of a real trace, repeated one after the other in
 * time, swept from a store that has them sorted already. CPU time of this thread alone.
 *   bench_sweep TRACE [SPANS]
 */
#include "base/mem.h"
#include "reduce/sweep.h"
#include "trace/trace_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 5 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* All of it again, `times` over, with marks, launches and numbers of their own. */
static void repeat(struct reduce_shard *shard, const struct run *r, size_t times)
{
    int64_t length_ns = r->ranks.last_ns[0] - r->ranks.first_ns[0] + 1000000;
    int64_t correlation_step = 0;
    for (size_t i = 0; i < r->spans.table.n; i++)
        if (r->spans.correlation[i] > correlation_step)
            correlation_step = r->spans.correlation[i];
    for (size_t i = 0; i < r->lanes.table.n; i++)
        shard_lane(shard, lanes_get(&r->lanes, i));
    for (size_t i = 0; i < r->names.n; i++)
        shard_name(shard, r->names.str[i], r->names.len[i]);
    for (size_t k = 0; k < times; k++)
        for (size_t i = 0; i < r->spans.table.n; i++) {
            struct span s = spans_get(&r->spans, i);
            s.begin_ns += (int64_t)k * length_ns;
            s.correlation += s.correlation ? (int64_t)k * correlation_step : 0;
            shard_add(shard, &s);
        }
}

static void drain(struct span_reader *reader)
{
    struct span_stream *stream = span_reader_stream(reader);
    const struct span *rows;
    while (stream->next(stream, &rows))
        ;
}

/* Seconds of a sweep, and of reading its stream alone. */
static double sweep_seconds(struct reduce_shard *shard, struct span_pool *pool,
                            double *read)
{
    struct err err = ERR_INIT;
    struct run run;
    struct merged merged;
    struct found_steps steps;
    struct sweep sw;
    struct reduce_options options = {.keep_spans = REDUCE_KEEP_SPANS_DEFAULT};
    run_init(&run);
    if (shard->block_rows)
        shard_end_block(shard, 1, &err);
    merged_init(&merged, shard, 1);
    step_marks_find(&steps, merged.mark, merged.n_marks);
    ranks_add(&run.ranks, (struct rank){0});
    for (size_t i = 0; i < steps.n; i++)
        steps_add(&run.steps, (struct step){.begin_ns = steps.step[i].begin_ns,
                                            .end_ns = steps.step[i].end_ns});
    struct span_reader *reader =
        span_reader_new(pool, (const int32_t *const *)merged.lane_of,
                        (const name_id *const *)merged.name_of);
    double begin = cpu_seconds();
    sweep_init(&sw, &run, 0, 0, &merged, &steps, &options);
    sweep_read(&sw, span_reader_stream(reader));
    sweep_finish(&sw);
    double all = cpu_seconds() - begin;
    sweep_release(&sw);
    span_reader_free(reader);
    reader = span_reader_new(pool, (const int32_t *const *)merged.lane_of,
                             (const name_id *const *)merged.name_of);
    begin = cpu_seconds();
    drain(reader);
    *read = cpu_seconds() - begin;
    span_reader_free(reader);
    found_steps_release(&steps);
    merged_release(&merged);
    run_release(&run);
    return all;
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct run run;
    struct reduce_shard shard;
    struct trace_options options = {.keep_spans = SIZE_MAX};
    size_t wanted = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : 3000000;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_sweep TRACE [SPANS]\n");
        return 2;
    }
    run_init(&run);
    if (trace_read(&run, argv[1], &options, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 3;
    }
    struct span_pool *pool = span_pool_new((size_t)4 << 30, NULL);
    size_t times = wanted / (run.spans.table.n + 1) + 1;
    shard_init(&shard, pool, 0);
    repeat(&shard, &run, times);
    double read = INFINITY, sweep = INFINITY, n = (double)(times * run.spans.table.n);
    for (int i = 0; i < REPEATS; i++) { /* the least: what others do only adds */
        double r, s = sweep_seconds(&shard, pool, &r);
        read = fmin(read, r);
        sweep = fmin(sweep, s);
    }
    sweep -= read;
    printf("%.0f spans: sweep %.1f ns a span, reading the stream %.1f\n", n,
           sweep * 1e9 / n, read * 1e9 / n);
    printf("{\"spans\":%.0f,\"sweep_ns\":%.2f,\"read_ns\":%.2f}\n", n, sweep * 1e9 / n,
           read * 1e9 / n);
    shard_release(&shard);
    span_pool_free(pool);
    run_release(&run);
    return 0;
}
