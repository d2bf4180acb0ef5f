/*
 * From the reference outwards, level by level: a meeting is looked at once, when the
 * first of its ranks has a clock; its time is the median of their ends, and each of the
 * others takes the distance of its own end from that as a sample. A rank's shift is the
 * median of its samples. So all of it is linear in the collectives.
 */
#include "analyze/rank_clocks.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/stats.h"

#include <stdlib.h>

struct aligner {
    const struct run *run;
    const struct meetings *m;
    struct rank_clocks *c;
    size_t *at;            /* (n + 1) where each rank's part of the next two begins */
    uint32_t *meeting;     /* (n_rows) the meetings of each rank */
    int64_t *sample;       /* (n_rows) distances, those of a rank together */
    size_t *samples;       /* (n) how many it has */
    bool *seen;            /* (meetings) */
    int64_t *ends;         /* (n) of one meeting */
    int32_t *level, *next; /* (n) ranks */
    size_t n_level, n_next;
};

static int64_t clock_ns(const struct rank_clocks *c, const struct run *run,
                        size_t collective, int64_t ns)
{
    int32_t rank = run->collectives.rank[collective];
    int64_t own_ns = add_saturated(run->ranks.base_ns[rank], ns);
    return add_saturated(own_ns, c->rank[rank].shift_ns);
}

int64_t rank_clocks_begin_ns(const struct rank_clocks *c, const struct run *run,
                             size_t collective)
{
    return clock_ns(c, run, collective, run->collectives.begin_ns[collective]);
}

static int64_t end_ns(const struct aligner *a, size_t collective)
{
    const struct collectives *t = &a->run->collectives;
    return clock_ns(a->c, a->run, collective,
                    add_saturated(t->begin_ns[collective], t->dur_ns[collective]));
}

static int32_t member(const struct aligner *a, const struct meeting *m, size_t i)
{
    return a->run->collectives.rank[a->m->row[m->first + i]];
}

/* Only where all leave together do ends say something about clocks. */
static void list_meetings(struct aligner *a)
{
    const struct meetings *m = a->m;
    for (size_t k = 0; k < m->n; k++)
        for (size_t i = 0; i < m->meeting[k].n && !m->meeting[k].rooted; i++)
            a->at[member(a, &m->meeting[k], i) + 1]++;
    for (size_t r = 0; r < a->c->n; r++)
        a->at[r + 1] += a->at[r];
    for (size_t k = 0; k < m->n; k++)
        for (size_t i = 0; i < m->meeting[k].n && !m->meeting[k].rooted; i++) {
            int32_t r = member(a, &m->meeting[k], i);
            a->meeting[a->at[r] + a->samples[r]++] = (uint32_t)k;
        }
    for (size_t r = 0; r < a->c->n; r++) {
        a->c->rank[r].matched = a->samples[r];
        a->samples[r] = 0;
    }
}

static void take_sample(struct aligner *a, int32_t rank, int64_t ns)
{
    a->sample[a->at[rank] + a->samples[rank]++] = ns;
}

/* The median of the ends of those who have a clock already; the others take samples. */
static void compare_ends(struct aligner *a, const struct meeting *m)
{
    size_t known = 0;
    for (size_t i = 0; i < m->n; i++)
        if (a->c->rank[member(a, m, i)].reference >= 0)
            a->ends[known++] = end_ns(a, a->m->row[m->first + i]);
    int64_t met_ns = stats_median_int64(a->ends, known);
    for (size_t i = 0; i < m->n; i++) {
        int32_t rank = member(a, m, i);
        if (a->c->rank[rank].reference >= 0)
            continue;
        if (!a->samples[rank])
            a->next[a->n_next++] = rank;
        take_sample(a, rank,
                    subtract_saturated(met_ns, end_ns(a, a->m->row[m->first + i])));
    }
}

static void align_next(struct aligner *a, int32_t reference)
{
    for (size_t i = 0; i < a->n_next; i++) {
        int32_t rank = a->next[i];
        a->c->rank[rank].shift_ns =
            stats_median_int64(a->sample + a->at[rank], a->samples[rank]);
        a->c->rank[rank].reference = reference;
        a->samples[rank] = 0;
    }
    int32_t *level = a->level;
    a->level = a->next;
    a->n_level = a->n_next;
    a->next = level;
    a->n_next = 0;
}

/* All ranks that the reference can be told from, over any number of groups. */
static size_t align_from(struct aligner *a, int32_t reference)
{
    size_t aligned = 0;
    a->c->rank[reference].reference = reference;
    a->level[0] = reference;
    a->n_level = 1;
    while (a->n_level) {
        aligned += a->n_level;
        for (size_t i = 0; i < a->n_level; i++) {
            int32_t rank = a->level[i];
            for (size_t k = a->at[rank]; k < a->at[rank + 1]; k++) {
                uint32_t meeting = a->meeting[k];
                if (a->seen[meeting])
                    continue;
                a->seen[meeting] = true;
                compare_ends(a, &a->m->meeting[meeting]);
            }
        }
        align_next(a, reference);
    }
    return aligned;
}

static int compare_numbers(const void *a, const void *b, void *number_)
{
    const int32_t *number = number_;
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    if (number[x] != number[y])
        return number[x] < number[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* The lowest rank of each part of the job whose ranks never meet the others. */
static void align_all(struct aligner *a)
{
    struct rank_clocks *c = a->c;
    int32_t *order = mem_zalloc(c->n, sizeof *order);
    for (size_t i = 0; i < c->n; i++)
        order[i] = (int32_t)i;
    if (c->n)
        qsort_r(order, c->n, sizeof *order, compare_numbers, a->run->ranks.rank);
    for (size_t i = 0; i < c->n; i++) {
        int32_t rank = order[i];
        if (c->rank[rank].reference >= 0 || !c->rank[rank].matched)
            continue;
        size_t aligned = align_from(a, rank);
        if (aligned > c->aligned) {
            c->aligned = aligned;
            c->reference = rank;
        }
    }
    mem_free(order);
}

static int64_t magnitude(int64_t ns)
{
    return ns < 0 ? subtract_saturated(0, ns) : ns;
}

/* How far each end still lies from the median of its meeting. */
static void sample_skew(struct aligner *a)
{
    for (size_t k = 0; k < a->m->n; k++) {
        const struct meeting *m = &a->m->meeting[k];
        if (m->rooted)
            continue;
        for (size_t i = 0; i < m->n; i++)
            a->ends[i] = end_ns(a, a->m->row[m->first + i]);
        int64_t met_ns = stats_median_int64(a->ends, m->n);
        for (size_t i = 0; i < m->n; i++)
            take_sample(a, member(a, m, i),
                        magnitude(subtract_saturated(end_ns(a, a->m->row[m->first + i]),
                                                     met_ns)));
    }
}

static void tell_skew(struct aligner *a)
{
    struct rank_clocks *c = a->c;
    size_t all = a->at[c->n];
    sample_skew(a);
    for (size_t r = 0; r < c->n; r++) {
        int64_t *sample = a->sample + a->at[r];
        size_t n = a->samples[r];
        if (!n)
            continue;
        c->rank[r].skew_median_ns = stats_median_int64(sample, n);
        c->rank[r].skew_max_ns = stats_select_int64(sample, n, n - 1);
    }
    if (!all)
        return;
    c->skew_median_ns = stats_median_int64(a->sample, all);
    c->skew_max_ns = stats_select_int64(a->sample, all, all - 1);
}

void rank_clocks_init(struct rank_clocks *c, const struct run *run,
                      const struct meetings *m)
{
    size_t n = run->ranks.table.n;
    *c = (struct rank_clocks){.n = n, .reference = -1};
    c->rank = mem_zalloc(n, sizeof *c->rank);
    for (size_t i = 0; i < n; i++)
        c->rank[i].reference = -1;
    struct aligner a = {.run = run,
                        .m = m,
                        .c = c,
                        .at = mem_zalloc(n + 1, sizeof *a.at),
                        .meeting = mem_zalloc(m->n_rows, sizeof *a.meeting),
                        .sample = mem_zalloc(m->n_rows, sizeof *a.sample),
                        .samples = mem_zalloc(n, sizeof *a.samples),
                        .seen = mem_zalloc(m->n, sizeof *a.seen),
                        .ends = mem_zalloc(n, sizeof *a.ends),
                        .level = mem_zalloc(n, sizeof *a.level),
                        .next = mem_zalloc(n, sizeof *a.next)};
    list_meetings(&a);
    align_all(&a);
    tell_skew(&a);
    mem_free(a.at);
    mem_free(a.meeting);
    mem_free(a.sample);
    mem_free(a.samples);
    mem_free(a.seen);
    mem_free(a.ends);
    mem_free(a.level);
    mem_free(a.next);
}

void rank_clocks_release(struct rank_clocks *c)
{
    mem_free(c->rank);
    *c = (struct rank_clocks){0};
}
