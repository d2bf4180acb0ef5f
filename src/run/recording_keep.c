/*
 * Which spans stay in full, and the launches between them. Everything stays when it fits
 * the budget; else whole steps as far as they fit: the one of median length, the slowest,
 * the first. Where not even one fits, the longest spans of the median one; where no steps
 * are known, what began first.
 */
#include "base/mem.h"
#include "base/stats.h"
#include "run/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* steps.kept */
enum { STEP_KEPT_ALL = 1, STEP_KEPT_LONGEST = 2 };

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

/* The row of the step of median length (the nearest), and of the longest. */
static void find_notable_steps(const struct recording *rec, size_t *typical,
                               size_t *slowest)
{
    const struct steps *steps = &rec->run->steps;
    size_t n = steps->table.n - rec->first_step;
    double *dur_ns = mem_alloc(n * sizeof *dur_ns);
    for (size_t i = 0; i < n; i++) {
        size_t row = rec->first_step + i;
        dur_ns[i] = (double)(steps->end_ns[row] - steps->begin_ns[row]);
    }
    double median_ns = stats_median(dur_ns, n);
    *typical = *slowest = 0;
    for (size_t i = 1; i < n; i++) {
        if (fabs(dur_ns[i] - median_ns) < fabs(dur_ns[*typical] - median_ns))
            *typical = i;
        if (dur_ns[i] > dur_ns[*slowest])
            *slowest = i;
    }
    *typical += rec->first_step;
    *slowest += rec->first_step;
    mem_free(dur_ns);
}

static size_t count_in_step(const struct recording *rec, size_t row)
{
    size_t n = 0;
    for (size_t i = 0; i < rec->n; i++)
        n += rec->span[i].step == (int32_t)row;
    return n;
}

/* Marks the steps that fit into the budget, the most telling first. */
static void choose_steps(struct recording *rec, size_t budget)
{
    struct steps *steps = &rec->run->steps;
    size_t typical, slowest;
    find_notable_steps(rec, &typical, &slowest);
    size_t wanted[] = {typical, slowest, rec->first_step};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        size_t cost = count_in_step(rec, wanted[k]);
        if (steps->kept[wanted[k]] || cost > budget)
            continue;
        steps->kept[wanted[k]] = STEP_KEPT_ALL;
        budget -= cost;
    }
    if (!steps->kept[typical])
        steps->kept[typical] = STEP_KEPT_LONGEST;
}

/* The value that stands at `rank` when n > rank of them are sorted. */
static int64_t value_at_rank(int64_t *value, size_t n, size_t rank)
{
    qsort(value, n, sizeof *value, compare_int64);
    return value[rank];
}

/* Of the spans in `keep`, only those longer than all that must go. */
static void keep_longest(const struct recording *rec, bool *keep, size_t kept,
                         size_t budget)
{
    int64_t *minus_dur_ns = mem_alloc(kept * sizeof *minus_dur_ns);
    size_t n = 0;
    for (size_t i = 0; i < rec->n; i++)
        if (keep[i])
            minus_dur_ns[n++] = -rec->span[i].dur_ns;
    int64_t limit_ns = -value_at_rank(minus_dur_ns, n, budget);
    for (size_t i = 0; i < rec->n; i++)
        keep[i] = keep[i] && rec->span[i].dur_ns > limit_ns;
    mem_free(minus_dur_ns);
}

/* Where no steps are known: what began first. */
static void keep_first(const struct recording *rec, bool *keep, size_t budget)
{
    int64_t *begin_ns = mem_alloc(rec->n * sizeof *begin_ns);
    for (size_t i = 0; i < rec->n; i++)
        begin_ns[i] = rec->span[i].begin_ns;
    int64_t until_ns = value_at_rank(begin_ns, rec->n, budget);
    for (size_t i = 0; i < rec->n; i++)
        keep[i] = rec->span[i].begin_ns < until_ns;
    mem_free(begin_ns);
}

static size_t count_kept(const bool *keep, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        kept += keep[i];
    return kept;
}

static void keep_chosen_steps(struct recording *rec, bool *keep, size_t budget)
{
    const struct steps *steps = &rec->run->steps;
    choose_steps(rec, budget);
    for (size_t i = 0; i < rec->n; i++)
        keep[i] = rec->span[i].step >= 0 && steps->kept[rec->span[i].step];
    size_t kept = count_kept(keep, rec->n);
    if (kept > budget)
        keep_longest(rec, keep, kept, budget);
}

/* keep[i] for each span, never more than the budget; sums were taken before, so nothing
 * is lost but detail. */
static void choose_spans(struct recording *rec, size_t budget, bool *keep)
{
    struct steps *steps = &rec->run->steps;
    bool have_steps = steps->table.n > rec->first_step;
    if (rec->n <= budget) {
        for (size_t row = rec->first_step; row < steps->table.n; row++)
            steps->kept[row] = STEP_KEPT_ALL;
        memset(keep, true, rec->n);
        return;
    }
    if (have_steps)
        keep_chosen_steps(rec, keep, budget);
    else
        keep_first(rec, keep, budget);
    run_add_note(rec->run, rec->rank, -1,
                 "%zu of %zu spans are kept in full (%s); sums are over all of them",
                 count_kept(keep, rec->n), rec->n,
                 have_steps ? "those of telling steps" : "those that began first");
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
