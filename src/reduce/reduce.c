/* Shards collect; reducer_finish() merges them, finds the steps and sweeps over all. */
#include "reduce/reduce.h"

#include "base/mem.h"
#include "reduce/annotation_steps.h"
#include "reduce/kernel_period.h"
#include "reduce/shard_merge.h"
#include "reduce/sweep.h"
#include "run/table_def.h"

struct reducer {
    struct reduce_options options;
    int shards;
    struct reduce_shard *shard; /* (shards) */
    struct span_pool *pool;
};

static void open_shards(struct reducer *r)
{
    r->pool = span_pool_new(r->options.memory_bytes, NULL);
    for (int i = 0; i < r->shards; i++)
        shard_init(&r->shard[i], r->pool, i);
}

static void close_shards(struct reducer *r)
{
    for (int i = 0; i < r->shards; i++)
        shard_release(&r->shard[i]);
    span_pool_free(r->pool);
    r->pool = NULL;
}

struct reducer *reducer_new(const struct reduce_options *options, int shards)
{
    struct reducer *r = mem_zalloc(1, sizeof *r);
    if (options)
        r->options = *options;
    if (!r->options.keep_spans)
        r->options.keep_spans = REDUCE_KEEP_SPANS_DEFAULT;
    if (!r->options.memory_bytes)
        r->options.memory_bytes = (size_t)REDUCE_MEMORY_MIB_DEFAULT << 20;
    r->shards = shards;
    r->shard = mem_zalloc((size_t)shards, sizeof *r->shard);
    open_shards(r);
    return r;
}

void reducer_free(struct reducer *r)
{
    if (!r)
        return;
    close_shards(r);
    mem_free(r->shard);
    mem_free(r);
}

struct reduce_shard *reducer_shard(struct reducer *r, int i)
{
    if (i < 0 || i >= r->shards)
        BUG("shard %d of %d", i, r->shards);
    return &r->shard[i];
}

int64_t reducer_spilled_bytes(struct reducer *r)
{
    return span_pool_spilled_bytes(r->pool);
}

/* --- finishing --- */

/* One rank while it is being reduced. */
struct reduction {
    struct run *run;
    int32_t rank; /* row */
    struct merged merged;
    struct found_steps steps;
    size_t first_lane;
};

static enum status end_last_blocks(struct reducer *r, struct err *err)
{
    enum status st = STATUS_OK;
    for (int i = 0; i < r->shards && st == STATUS_OK; i++) {
        struct reduce_shard *s = &r->shard[i];
        if (s->block_rows || s->n_marks > s->sure_marks || !s->runs_ended)
            st = shard_end_block(s, s->block_rows / SPAN_RUN_ROWS + 1, err);
    }
    return st;
}

static void add_lanes(struct reduction *x)
{
    x->first_lane = x->run->lanes.table.n;
    for (size_t i = 0; i < x->merged.n_lanes; i++) {
        struct lane lane = x->merged.lane[i].lane;
        const struct names *names = x->merged.names;
        lane.rank = x->rank;
        lane.name =
            names_add(&x->run->names, names->str[lane.name], names->len[lane.name]);
        lanes_add(&x->run->lanes, lane);
    }
}

static struct span_reader *read_spans(struct reducer *r, const struct reduction *x)
{
    return span_reader_new(r->pool, (const int32_t *const *)x->merged.lane_of,
                           (const name_id *const *)x->merged.name_of);
}

/* The stream with most on it, or -1. */
static int32_t busiest_stream(const struct merged *m)
{
    int32_t best = -1;
    for (size_t i = 0; i < m->n_lanes; i++)
        if (m->lane[i].lane.kind == LANE_KIND_DEVICE &&
            (best < 0 || m->lane[i].rows > m->lane[best].rows))
            best = (int32_t)i;
    return best;
}

/* Where nothing marks the steps: a pass of its own over the kernels. */
static enum status find_period(struct reducer *r, struct reduction *x, struct err *err)
{
    int32_t stream = busiest_stream(&x->merged);
    size_t n;
    if (stream < 0)
        return STATUS_OK;
    struct span_reader *reader = read_spans(r, x);
    struct kernel_row *row = kernel_rows_read(span_reader_stream(reader), stream, &n);
    enum status st = span_reader_status(reader, err);
    if (st == STATUS_OK)
        kernel_period_find(&x->steps, row, n, x->merged.names);
    mem_free(row);
    span_reader_free(reader);
    return st;
}

/* Where no known mark tells the steps: annotations of the job's own, else the kernels,
 * else the recording is one. */
static enum status find_unmarked(struct reducer *r, struct reduction *x, struct err *err)
{
    struct found_step recording;
    struct span_reader *reader = read_spans(r, x);
    annotation_steps_find(&x->steps, &recording, span_reader_stream(reader), &x->merged);
    enum status st = span_reader_status(reader, err);
    span_reader_free(reader);
    if (st == STATUS_OK && !x->steps.n)
        st = find_period(r, x, err);
    if (st == STATUS_OK && !x->steps.n && recording.begin_ns < recording.end_ns) {
        x->steps =
            (struct found_steps){.method = STEP_METHOD_RECORDING, .lane = -1, .n = 1};
        x->steps.step = mem_alloc(sizeof *x->steps.step);
        x->steps.step[0] = recording;
    }
    return st;
}

/* method: of steps that are spans of kind STEP. */
static void add_steps(struct reduction *x, enum step_method method)
{
    if (x->steps.n > STEPS_MAX) {
        run_add_note(x->run, x->rank, -1, "of %zu steps the first %d are told one by one",
                     x->steps.n, STEPS_MAX);
        x->steps.n = STEPS_MAX;
    }
    for (size_t i = 0; i < x->steps.n; i++)
        steps_add(&x->run->steps, (struct step){.rank = x->rank,
                                                .number = x->steps.step[i].number,
                                                .begin_ns = x->steps.step[i].begin_ns,
                                                .end_ns = x->steps.step[i].end_ns});
    x->run->ranks.step_method[x->rank] =
        x->steps.method == STEP_METHOD_PROFILER_STEP ? method : x->steps.method;
}

static void note_losses(struct reduction *x)
{
    const struct shard_counts *c = &x->merged.counts;
    if (c->out_of_range)
        run_add_note(x->run, x->rank, -1,
                     "%lld spans or memory events lie outside any calendar: skipped",
                     (long long)c->out_of_range);
    if (c->marks_lost)
        run_add_note(x->run, x->rank, -1,
                     "%lld marks of steps beyond the first %d were not used",
                     (long long)c->marks_lost, STEP_MARKS_MAX);
    if (c->memory_lost)
        run_add_note(x->run, x->rank, -1,
                     "%lld memory events of more than %d devices and classes: skipped",
                     (long long)c->memory_lost, MEMORY_SERIES_MAX);
}

static enum status sweep_all(struct reducer *r, struct reduction *x, struct err *err)
{
    struct span_reader *reader = read_spans(r, x);
    struct sweep sw;
    sweep_init(&sw, x->run, x->rank, x->first_lane, &x->merged, &x->steps, &r->options);
    sweep_read(&sw, span_reader_stream(reader));
    enum status st = span_reader_status(reader, err);
    if (st == STATUS_OK)
        sweep_finish(&sw);
    sweep_release(&sw);
    span_reader_free(reader);
    return st;
}

/* How many rows each table has, to go back to after a failure. */
static void remember_rows(size_t *rows, struct run *run)
{
    for (int t = 0; t < RUN_TABLE_COUNT; t++)
        rows[t] = run_table(run, t)->n;
}

static void go_back(struct run *run, const size_t *rows)
{
    for (int t = 0; t < RUN_TABLE_COUNT; t++)
        run_table(run, t)->n = rows[t];
}

static enum status reduce_shards(struct reducer *r, struct run *run, struct rank rank,
                                 int32_t *row, struct err *err)
{
    struct reduction x = {.run = run};
    size_t rows[RUN_TABLE_COUNT];
    remember_rows(rows, run);
    x.rank = (int32_t)ranks_add(&run->ranks, rank);
    merged_init(&x.merged, r->shard, r->shards);
    add_lanes(&x);
    note_losses(&x);
    step_marks_find(&x.steps, x.merged.mark, x.merged.n_marks);
    enum status st = x.steps.n ? STATUS_OK : find_unmarked(r, &x, err);
    if (st == STATUS_OK) {
        add_steps(&x, rank.step_method);
        st = sweep_all(r, &x, err);
    }
    if (st != STATUS_OK)
        go_back(run, rows);
    found_steps_release(&x.steps);
    merged_release(&x.merged);
    *row = x.rank;
    return st;
}

enum status reducer_finish(struct reducer *r, struct run *run, struct rank rank,
                           int32_t *row, struct err *err)
{
    enum status st = end_last_blocks(r, err);
    if (st == STATUS_OK)
        st = reduce_shards(r, run, rank, row, err);
    close_shards(r);
    return st;
}
