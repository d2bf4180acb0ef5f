/* Shards collect; reducer_finish() merges them into one recording and takes it through
 * its stages. */
#include "run/reduce.h"

#include "base/mem.h"
#include "run/lane_index.h"
#include "run/recording.h"

#include <stdlib.h>
#include <string.h>

/* A memory timeline keeps at most so many points a device and class: the peak of each
 * stretch. */
enum { MEMORY_POINTS_MAX = 4096 };

struct reduce_shard {
    struct names names;
    struct lane_index lanes; /* names are the shard's */
    struct span *span;       /* (n) lane and name are the shard's */
    size_t n, cap;
    struct memory *memory; /* (n_memory) */
    size_t n_memory, cap_memory;
    size_t out_of_range;
};

struct reducer {
    struct reduce_options options;
    int shards;
    struct reduce_shard *shard; /* (shards) */
};

struct reducer *reducer_new(const struct reduce_options *options, int shards)
{
    struct reducer *r = mem_zalloc(1, sizeof *r);
    if (options)
        r->options = *options;
    if (!r->options.keep_spans)
        r->options.keep_spans = REDUCE_KEEP_SPANS_DEFAULT;
    r->shards = shards;
    r->shard = mem_zalloc((size_t)shards, sizeof *r->shard);
    for (int i = 0; i < shards; i++)
        names_init(&r->shard[i].names);
    return r;
}

static void shard_release(struct reduce_shard *s)
{
    names_release(&s->names);
    lane_index_release(&s->lanes);
    mem_free(s->span);
    mem_free(s->memory);
    *s = (struct reduce_shard){0};
}

void reducer_free(struct reducer *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->shards; i++)
        shard_release(&r->shard[i]);
    mem_free(r->shard);
    mem_free(r);
}

struct reduce_shard *reducer_shard(struct reducer *r, int i)
{
    if (i < 0 || i >= r->shards)
        BUG("shard %d of %d", i, r->shards);
    return &r->shard[i];
}

name_id shard_name(struct reduce_shard *s, const char *text, size_t len)
{
    return names_add(&s->names, text, len);
}

int32_t shard_lane(struct reduce_shard *s, struct lane lane)
{
    return lane_index_add(&s->lanes, &lane);
}

void shard_lane_name(struct reduce_shard *s, int32_t lane, name_id name)
{
    s->lanes.lane[lane].name = name;
}

void shard_add(struct reduce_shard *s, const struct span *span)
{
    if (span->dur_ns < 0 || span->lane < 0 || (size_t)span->lane >= s->lanes.n)
        BUG("a span of %lld ns on lane %d of %zu", (long long)span->dur_ns, span->lane,
            s->lanes.n);
    if (span->begin_ns < -RUN_TIME_MAX_NS || span->begin_ns > RUN_TIME_MAX_NS ||
        span->dur_ns > RUN_TIME_MAX_NS - (span->begin_ns > 0 ? span->begin_ns : 0)) {
        s->out_of_range++;
        return;
    }
    vec_grow(s->span, s->cap, s->n + 1);
    s->span[s->n++] = *span;
}

void shard_add_memory(struct reduce_shard *s, struct memory m)
{
    if (m.at_ns < -RUN_TIME_MAX_NS || m.at_ns > RUN_TIME_MAX_NS) {
        s->out_of_range++;
        return;
    }
    vec_grow(s->memory, s->cap_memory, s->n_memory + 1);
    s->memory[s->n_memory++] = m;
}

/* --- merging shards
 * ------------------------------------------------------------------------ */

/* The lane's row in the run; lanes of one rank stand together from first_lane on. */
static int32_t rank_lane(struct run *run, struct lane_index *rank_lanes,
                         size_t first_lane, struct lane lane)
{
    size_t known = rank_lanes->n;
    size_t row = first_lane + (size_t)lane_index_add(rank_lanes, &lane);
    if (rank_lanes->n > known)
        lanes_add(&run->lanes, lane);
    else if (lane.name)
        run->lanes.name[row] = lane.name;
    return (int32_t)row;
}

/* The spans of s behind those of rec, without a second copy of the first ones. */
static struct span *take_spans(struct reduce_shard *s, struct recording *rec)
{
    size_t had = rec->n;
    rec->n += s->n;
    if (!had) {
        mem_free(rec->span);
        rec->span = s->span;
    } else if (s->n) {
        rec->span = mem_resize(rec->span, rec->n, sizeof *rec->span);
        memcpy(rec->span + had, s->span, s->n * sizeof *rec->span);
        mem_free(s->span);
    }
    s->span = NULL;
    s->cap = 0;
    return s->n ? rec->span + had : NULL; /* no spans, no array to point into */
}

/* Move one shard's spans to rec, its names and lanes to the run. */
static void shard_merge(struct reduce_shard *s, struct recording *rec,
                        struct lane_index *rank_lanes, size_t first_lane)
{
    struct run *run = rec->run;
    name_id *name = mem_alloc(s->names.n * sizeof *name);
    int32_t *lane = mem_alloc(s->lanes.n * sizeof *lane);
    for (size_t i = 0; i < s->names.n; i++)
        name[i] = names_add(&run->names, s->names.str[i], s->names.len[i]);
    for (size_t i = 0; i < s->lanes.n; i++) {
        struct lane l = s->lanes.lane[i];
        l.rank = rec->rank;
        l.name = name[l.name];
        lane[i] = rank_lane(run, rank_lanes, first_lane, l);
    }
    struct span *first = take_spans(s, rec);
    for (size_t i = 0; i < s->n; i++) {
        struct span *to = &first[i];
        to->lane = lane[to->lane];
        to->name = name[to->name];
        to->shapes = name[to->shapes];
        to->line = name[to->line];
    }
    if (s->out_of_range)
        run_add_note(run, rec->rank, -1,
                     "%zu spans or memory events lie outside any calendar: skipped",
                     s->out_of_range);
    mem_free(name);
    mem_free(lane);
}

/* --- memory over time
 * ---------------------------------------------------------------------- */

static int compare_memory(const void *a, const void *b)
{
    const struct memory *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->what != y->what)
        return x->what < y->what ? -1 : 1;
    return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

/* One device and class, at[0..n) by time: the peak of each of at most MEMORY_POINTS_MAX
 * stretches. */
static void add_memory_series(struct recording *rec, const struct memory *at, size_t n)
{
    size_t stretch = (n + MEMORY_POINTS_MAX - 1) / MEMORY_POINTS_MAX;
    for (size_t i = 0; i < n; i += stretch) {
        struct memory peak = at[i];
        for (size_t k = i; k < n && k < i + stretch; k++)
            if (at[k].bytes > peak.bytes)
                peak = at[k];
        peak.rank = rec->rank;
        memories_add(&rec->run->memories, peak);
    }
}

static void add_memory(struct reducer *r, struct recording *rec)
{
    size_t n = 0;
    for (int i = 0; i < r->shards; i++)
        n += r->shard[i].n_memory;
    struct memory *all = mem_alloc(n * sizeof *all);
    n = 0;
    for (int i = 0; i < r->shards; i++) {
        const struct reduce_shard *s = &r->shard[i];
        if (s->n_memory)
            memcpy(all + n, s->memory, s->n_memory * sizeof *all);
        n += s->n_memory;
    }
    if (n)
        qsort(all, n, sizeof *all, compare_memory);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && all[to].device == all[from].device &&
                        all[to].what == all[from].what;)
            to++;
        add_memory_series(rec, all + from, to - from);
    }
    mem_free(all);
}

/* --- the whole
 * ----------------------------------------------------------------------------- */

static void fill_rank(struct recording *rec, enum step_method method)
{
    struct ranks *ranks = &rec->run->ranks;
    int32_t k = rec->rank;
    ranks->spans_seen[k] = (int64_t)rec->n;
    bool stepped = rec->run->steps.table.n > rec->first_step;
    ranks->step_method[k] = stepped ? method : STEP_METHOD_NONE;
    for (size_t i = 0; i < rec->n; i++) {
        const struct span *s = &rec->span[i];
        if (!i || s->begin_ns < ranks->first_ns[k])
            ranks->first_ns[k] = s->begin_ns;
        if (!i || span_end_ns(s) > ranks->last_ns[k])
            ranks->last_ns[k] = span_end_ns(s);
    }
}

int32_t reducer_finish(struct reducer *r, struct run *run, struct rank rank)
{
    struct recording rec = {.run = run, .rank = (int32_t)ranks_add(&run->ranks, rank)};
    struct lane_index rank_lanes = {0};
    size_t first_lane = run->lanes.table.n;
    for (int i = 0; i < r->shards; i++)
        shard_merge(&r->shard[i], &rec, &rank_lanes, first_lane);
    lane_index_release(&rank_lanes);
    recording_sort(&rec);
    recording_find_steps(&rec);
    recording_sum_ops(&rec);
    recording_split_time(&rec);
    add_memory(r, &rec);
    recording_keep(&rec, r->options.keep_spans);
    fill_rank(&rec, rank.step_method);
    mem_free(rec.span);
    for (int i = 0; i < r->shards; i++) {
        shard_release(&r->shard[i]);
        names_init(&r->shard[i].names);
    }
    return rec.rank;
}
