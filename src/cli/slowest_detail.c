#include "cli/slowest_detail.h"

#include "base/mem.h"
#include "base/stats.h"

static double median_step_ms(const struct run *run, int32_t rank)
{
    const struct steps *s = &run->steps;
    double *ms = mem_zalloc(s->table.n, sizeof *ms);
    size_t n = 0;
    for (size_t i = 0; i < s->table.n; i++)
        if (s->rank[i] == rank)
            ms[n++] = (double)(s->end_ns[i] - s->begin_ns[i]) / 1e6;
    double median = n ? stats_median(ms, n) : -1;
    mem_free(ms);
    return median;
}

/* Of equally slow ranks the lowest is shown, of those the one that was read first. */
static bool is_slower(const struct slowest_detail *a, const struct slowest_detail *b)
{
    if (!b->any || a->median_ms != b->median_ms)
        return !b->any || a->median_ms > b->median_ms;
    return a->number < b->number;
}

static struct slowest_detail slowest_of(const struct run *run)
{
    struct slowest_detail slowest = {0};
    for (size_t i = 0; i < run->ranks.table.n; i++) {
        struct slowest_detail rank = {.any = true,
                                      .median_ms = median_step_ms(run, (int32_t)i),
                                      .number = run->ranks.rank[i]};
        if (is_slower(&rank, &slowest))
            slowest = rank;
    }
    return slowest;
}

bool slowest_detail_wants(const struct slowest_detail *s, const struct run *one)
{
    struct slowest_detail its = slowest_of(one);
    return its.any && is_slower(&its, s);
}

void slowest_detail_merge(struct slowest_detail *s, struct run *run, struct run *one)
{
    struct slowest_detail its = slowest_of(one);
    if (its.any && is_slower(&its, s)) {
        run_drop_detail(run);
        *s = its;
    } else {
        run_drop_detail(one);
    }
    run_merge(run, one);
}
