#include "reduce/shard.h"

#include "base/mem.h"
#include "spans/span_facts.h"

void shard_init(struct reduce_shard *s, struct span_pool *pool, int number)
{
    *s = (struct reduce_shard){.writer = span_writer_new(pool, number)};
    names_init(&s->names);
}

void shard_release(struct reduce_shard *s)
{
    names_release(&s->names);
    lane_index_release(&s->lanes);
    mem_free(s->use);
    mem_free(s->touched);
    mem_free(s->mark);
    span_writer_free(s->writer);
    *s = (struct reduce_shard){0};
}

name_id shard_name(struct reduce_shard *s, const char *text, size_t len)
{
    return names_add(&s->names, text, len);
}

int32_t shard_lane(struct reduce_shard *s, struct lane lane)
{
    size_t known = s->lanes.n;
    int32_t i = lane_index_add(&s->lanes, &lane);
    if (s->lanes.n > known) {
        vec_grow(s->use, s->cap_use, s->lanes.n);
        s->use[i] = (struct lane_use){0};
    }
    return i;
}

void shard_lane_name(struct reduce_shard *s, int32_t lane, name_id name)
{
    s->lanes.lane[lane].name = name;
}

/* Puts a row away; its lane is used from now on, if the block is. */
static void shard_put(struct reduce_shard *s, const struct span *row, bool launch)
{
    struct lane_use *use = &s->use[row->lane];
    if (!use->block_rows) {
        vec_grow(s->touched, s->cap_touched, s->n_touched + 1);
        s->touched[s->n_touched++] = row->lane;
    }
    use->block_rows++;
    use->block_launches += launch;
    s->block_rows++;
    span_writer_add(s->writer, row);
}

/* Times of a run stay where sums of two cannot overflow. */
static bool time_fits(int64_t begin_ns, int64_t dur_ns)
{
    return begin_ns >= -RUN_TIME_MAX_NS && begin_ns <= RUN_TIME_MAX_NS &&
           dur_ns <= RUN_TIME_MAX_NS - (begin_ns > 0 ? begin_ns : 0);
}

void shard_add(struct reduce_shard *s, const struct span *span)
{
    if (span->dur_ns < 0 || span->lane < 0 || (size_t)span->lane >= s->lanes.n)
        BUG("a span of %lld ns on lane %d of %zu", (long long)span->dur_ns, span->lane,
            s->lanes.n);
    if (!time_fits(span->begin_ns, span->dur_ns)) {
        s->block.out_of_range++;
        return;
    }
    if (span->kind == SPAN_KIND_STEP)
        shard_add_mark(s, (struct step_mark){STEP_METHOD_PROFILER_STEP, span->lane,
                                             span->begin_ns, span->dur_ns, span->seq});
    s->block.python_frames += span->kind == SPAN_KIND_PYTHON;
    shard_put(s, span, span_is_launch(span, s->lanes.lane[span->lane].kind));
}

void shard_add_mark(struct reduce_shard *s, struct step_mark mark)
{
    if (mark.lane < 0 || (size_t)mark.lane >= s->lanes.n || mark.dur_ns < 0)
        BUG("a mark of %lld ns on lane %d of %zu", (long long)mark.dur_ns, mark.lane,
            s->lanes.n);
    if (!time_fits(mark.begin_ns, mark.dur_ns) || s->n_marks == STEP_MARKS_MAX) {
        s->block.marks_lost += s->n_marks == STEP_MARKS_MAX;
        return;
    }
    vec_grow(s->mark, s->cap_marks, s->n_marks + 1);
    s->mark[s->n_marks++] = mark;
}

/* The lane that stands for a device's memory of one class, or -1 where there are too
 * many of them. */
static int32_t memory_lane(struct reduce_shard *s, const struct memory *m)
{
    struct lane key = {.kind = (enum lane_kind)LANE_KIND_MEMORY,
                       .device = m->device,
                       .pid = (int64_t)m->what};
    int32_t known = lane_index_find(&s->lanes, &key);
    if (known >= 0 || s->memory_series == MEMORY_SERIES_MAX)
        return known;
    s->memory_series++;
    return shard_lane(s, key);
}

/* As a row of the stream: docs in sweep_memory.h. */
static void shard_put_memory(struct reduce_shard *s, const struct memory *m, bool change)
{
    if (!time_fits(m->at_ns, 0)) {
        s->block.out_of_range++;
        return;
    }
    struct span row = {.lane = memory_lane(s, m),
                       .begin_ns = m->at_ns,
                       .correlation = change,
                       .flop = (int64_t)m->origin,
                       .bytes = m->bytes};
    if (row.lane >= 0)
        shard_put(s, &row, false);
    else
        s->block.memory_lost++;
}

void shard_add_memory(struct reduce_shard *s, struct memory m)
{
    shard_put_memory(s, &m, false);
}

void shard_add_memory_change(struct reduce_shard *s, struct memory m)
{
    shard_put_memory(s, &m, true);
}

/* --- blocks --- */

static void counts_add(struct shard_counts *to, const struct shard_counts *from)
{
    to->out_of_range += from->out_of_range;
    to->marks_lost += from->marks_lost;
    to->memory_lost += from->memory_lost;
    to->python_frames += from->python_frames;
}

static void forget_block(struct reduce_shard *s)
{
    for (size_t i = 0; i < s->n_touched; i++) {
        struct lane_use *use = &s->use[s->touched[i]];
        use->block_rows = use->block_launches = 0;
    }
    s->n_touched = 0;
    s->n_marks = s->sure_marks;
    s->block = (struct shard_counts){0};
    s->block_rows = 0;
}

enum status shard_end_block(struct reduce_shard *s, int64_t order, struct err *err)
{
    for (size_t i = 0; i < s->n_touched; i++) {
        struct lane_use *use = &s->use[s->touched[i]];
        use->rows += use->block_rows;
        use->launches += use->block_launches;
    }
    counts_add(&s->sure, &s->block);
    s->sure_marks = s->n_marks;
    forget_block(s);
    s->runs_ended++;
    return span_writer_end_run(s->writer, order, err);
}

void shard_drop_block(struct reduce_shard *s)
{
    forget_block(s);
    span_writer_drop_run(s->writer);
}
