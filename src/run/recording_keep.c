/*
 * Which spans stay in full, and the launches between them. Everything stays when it fits;
 * else the whole of a few steps: the first, the one of median length, the slowest; where
 * no steps are known, what began first.
 */
#include "base/mem.h"
#include "base/stats.h"
#include "run/recording.h"

#include <stdlib.h>
#include <string.h>

struct launch_key {
    int64_t correlation;
    size_t index;
};

static int compare_launch(const void *a, const void *b)
{
    const struct launch_key *x = a, *y = b;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool is_launch(const struct recording *rec, const struct span *s)
{
    return s->correlation && rec->run->lanes.kind[s->lane] != LANE_KIND_DEVICE &&
           (s->kind == SPAN_KIND_RUNTIME || s->kind == SPAN_KIND_SYNC);
}

static int64_t launch_find(const struct launch_key *key, size_t n, int64_t correlation)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (key[mid].correlation < correlation)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && key[low].correlation == correlation ? (int64_t)key[low].index : -1;
}

/* For each span the index of its launch in rec->span, or -1. The caller frees it. */
static int64_t *find_launches(const struct recording *rec)
{
    int64_t *launch = mem_alloc(rec->n * sizeof *launch);
    struct launch_key *key = mem_alloc(rec->n * sizeof *key);
    size_t keys = 0;
    for (size_t i = 0; i < rec->n; i++)
        if (is_launch(rec, &rec->span[i]))
            key[keys++] = (struct launch_key){rec->span[i].correlation, i};
    if (keys)
        qsort(key, keys, sizeof *key, compare_launch);
    for (size_t i = 0; i < rec->n; i++) {
        const struct span *s = &rec->span[i];
        bool device = rec->run->lanes.kind[s->lane] == LANE_KIND_DEVICE;
        launch[i] = device && s->correlation && span_is_device_work(s)
                        ? launch_find(key, keys, s->correlation)
                        : -1;
    }
    mem_free(key);
    return launch;
}

static int64_t step_ns(const struct recording *rec, size_t row)
{
    return rec->run->steps.end_ns[row] - rec->run->steps.begin_ns[row];
}

static void choose_steps(struct recording *rec)
{
    struct steps *steps = &rec->run->steps;
    size_t n = steps->table.n - rec->first_step;
    double *ms = mem_alloc(n * sizeof *ms);
    for (size_t i = 0; i < n; i++)
        ms[i] = (double)step_ns(rec, rec->first_step + i);
    double median = stats_median(ms, n);
    size_t typical = 0, slowest = 0;
    for (size_t i = 1; i < n; i++) {
        double d = ms[i] - median, best = ms[typical] - median;
        if ((d < 0 ? -d : d) < (best < 0 ? -best : best))
            typical = i;
        if (ms[i] > ms[slowest])
            slowest = i;
    }
    steps->kept[rec->first_step] = 1;
    steps->kept[rec->first_step + typical] = 1;
    steps->kept[rec->first_step + slowest] = 1;
    mem_free(ms);
}

/* The begin before which `keep` spans lie. */
static int64_t begin_of_rank(const struct recording *rec, size_t keep)
{
    int64_t *begin = mem_alloc(rec->n * sizeof *begin);
    for (size_t i = 0; i < rec->n; i++)
        begin[i] = rec->span[i].begin_ns;
    qsort(begin, rec->n, sizeof *begin, compare_int64);
    int64_t at = begin[keep];
    mem_free(begin);
    return at;
}

static void note_thinned(struct recording *rec, size_t kept, const char *which)
{
    run_add_note(rec->run, rec->rank, -1,
                 "%zu of %zu spans are kept in full (%s); sums are over all of them",
                 kept, rec->n, which);
}

/* keep[i] for each span; sums were taken before, so nothing is lost but detail. */
static void choose_spans(struct recording *rec, size_t keep_spans, bool *keep)
{
    struct steps *steps = &rec->run->steps;
    bool have_steps = steps->table.n > rec->first_step;
    bool all = rec->n <= keep_spans;
    size_t kept = 0;
    if (all)
        for (size_t row = rec->first_step; row < steps->table.n; row++)
            steps->kept[row] = 1;
    else if (have_steps)
        choose_steps(rec);
    int64_t until_ns = !all && !have_steps ? begin_of_rank(rec, keep_spans) : 0;
    for (size_t i = 0; i < rec->n; i++) {
        const struct span *s = &rec->span[i];
        keep[i] = all || (have_steps ? s->step >= 0 && steps->kept[s->step]
                                     : s->begin_ns < until_ns);
        kept += keep[i];
    }
    if (!all)
        note_thinned(rec, kept,
                     have_steps ? "the first, the median and the slowest step"
                                : "those that began first");
}

void recording_keep(struct recording *rec, size_t keep_spans)
{
    struct run *run = rec->run;
    bool *keep = mem_zalloc(rec->n, sizeof *keep);
    int64_t *row = mem_alloc(rec->n * sizeof *row); /* of run->spans, or -1 */
    int64_t *launch = find_launches(rec);
    choose_spans(rec, keep_spans, keep);
    size_t first = run->spans.table.n;
    for (size_t i = 0; i < rec->n; i++)
        row[i] = keep[i] ? (int64_t)spans_add(&run->spans, rec->span[i]) : -1;
    for (size_t i = 0; i < rec->n; i++)
        if (keep[i] && launch[i] >= 0 && row[launch[i]] >= 0)
            edges_add(&run->edges, (struct edge){.kind = EDGE_KIND_LAUNCH,
                                                 .src = row[launch[i]],
                                                 .dst = row[i]});
    run->ranks.spans_kept[rec->rank] = (int64_t)(run->spans.table.n - first);
    mem_free(launch);
    mem_free(row);
    mem_free(keep);
}
