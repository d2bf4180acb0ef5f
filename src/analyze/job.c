#include "analyze/job.h"

#include "analyze/analysis.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/stats.h"

static void count_collectives(struct analysis_job *j, const struct run *run)
{
    const struct collectives *c = &run->collectives;
    const struct collective_sums *s = &run->collective_sums;
    for (size_t i = 0; i < c->table.n; i++)
        if (c->rank[i] >= 0) {
            j->ranks[c->rank[i]].collectives++;
            j->collectives++;
        }
    for (size_t i = 0; i < s->table.n; i++)
        if (s->rank[i] >= 0) {
            int64_t *all = &j->ranks[s->rank[i]].collectives_all;
            *all = add_saturated(*all, s->count[i]);
        }
}

/* The rank with most lateness, provided that it is late by more than the clocks are
 * uncertain: within that, any rank may seem to come last. */
static int32_t find_straggler(const struct analysis_job *j)
{
    int32_t worst = -1;
    int64_t worst_ns = 0;
    for (size_t i = 0; i < j->n; i++) {
        const struct rank_waits *w = &j->waits.rank[i];
        if (w->late_ns <= worst_ns ||
            w->late_ns / (int64_t)w->last <= j->clocks.skew_median_ns)
            continue;
        worst = (int32_t)i;
        worst_ns = w->late_ns;
    }
    return worst;
}

static const enum time_class own_time[] = {
    TIME_CLASS_COMPUTE,      TIME_CLASS_COPIES,    TIME_CLASS_IDLE_INPUT,
    TIME_CLASS_IDLE_SYNC,    TIME_CLASS_IDLE_HOST, TIME_CLASS_IDLE_BETWEEN,
    TIME_CLASS_IDLE_UNKNOWN,
};
static const enum time_class own_time_unsplit[] = {TIME_CLASS_COMPUTE, TIME_CLASS_COPIES,
                                                   TIME_CLASS_IDLE};
static const enum time_class own_time_host[] = {TIME_CLASS_BUSY, TIME_CLASS_UNATTRIBUTED};

struct classes {
    const enum time_class *what;
    size_t n;
};
#define CLASSES(array) ((struct classes){(array), sizeof(array) / sizeof *(array)})

/* Why a device was idle is told of a run whose recorder knew. */
static bool idle_is_split(const struct analysis *a)
{
    for (size_t i = 0; i < a->n_ranks; i++)
        for (int c = TIME_CLASS_IDLE_INPUT; c <= TIME_CLASS_IDLE_UNKNOWN; c++)
            if (a->ranks[i].step_split.ns[c] > 0)
                return true;
    return false;
}

static struct classes classes_of(const struct analysis *a, bool device)
{
    if (!device)
        return CLASSES(own_time_host);
    return idle_is_split(a) ? CLASSES(own_time) : CLASSES(own_time_unsplit);
}

static bool comparable(const struct analysis_rank *r, bool device)
{
    return r->step_split.known && analysis_has_steps(r) && r->has_device == device;
}

static void find_cause(struct job_cause *cause, const struct analysis *a, int32_t late)
{
    const struct analysis_rank *own = &a->ranks[late];
    struct classes classes = classes_of(a, own->has_device);
    int64_t *ns = mem_zalloc(a->n_ranks, sizeof *ns), most_ns = 0;
    for (size_t k = 0; comparable(own, own->has_device) && k < classes.n; k++) {
        enum time_class what = classes.what[k];
        size_t n = 0;
        for (size_t i = 0; i < a->n_ranks; i++)
            if (comparable(&a->ranks[i], own->has_device))
                ns[n++] = a->ranks[i].step_split.ns[what];
        int64_t median_ns = stats_median_int64(ns, n);
        int64_t more_ns = subtract_saturated(own->step_split.ns[what], median_ns);
        if (more_ns <= most_ns)
            continue;
        most_ns = more_ns;
        *cause = (struct job_cause){true, what, own->step_split.ns[what], median_ns, n};
    }
    mem_free(ns);
}

static void look_at_waits(struct analysis_job *j, const struct analysis *a)
{
    struct meetings m;
    meetings_init(&m, a->run);
    j->matched = m.n_rows;
    j->by_seq = m.by_seq;
    j->ambiguous = m.ambiguous;
    j->sends = m.sends;
    rank_clocks_init(&j->clocks, a->run, &m);
    if (j->clocks.reference >= 0) {
        j->state = JOB_ALIGNED;
        job_waits_init(&j->waits, a->run, &m, &j->clocks);
        j->straggler = find_straggler(j);
    }
    meetings_release(&m);
    if (j->straggler >= 0)
        find_cause(&j->cause, a, j->straggler);
}

void job_init(struct analysis_job *j, const struct analysis *a)
{
    *j = (struct analysis_job){.n = a->n_ranks, .straggler = -1};
    j->ranks = mem_zalloc(j->n, sizeof *j->ranks);
    count_collectives(j, a->run);
    j->state = j->n < 2          ? JOB_ONE_RANK
               : !j->collectives ? JOB_NO_COLLECTIVES
                                 : JOB_UNMATCHED;
    if (j->state == JOB_UNMATCHED)
        look_at_waits(j, a);
}

void job_release(struct analysis_job *j)
{
    mem_free(j->ranks);
    rank_clocks_release(&j->clocks);
    job_waits_release(&j->waits);
    *j = (struct analysis_job){0};
}
