#include "analyze/rank_waits.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/stats.h"

#include <stdlib.h>

/* What one meeting says about the step it is in. */
struct lateness {
    int64_t step; /* its number */
    int32_t last; /* rank row; -1: nobody was late */
    int64_t late_ns, wait_ns, spread_ns;
};

struct waiting {
    const struct run *run;
    const struct meetings *m;
    const struct rank_clocks *c;
    struct job_waits *w;
    int64_t *others;             /* (n_ranks) waits of those who were not last */
    int64_t *exposed;            /* (n_ranks) the same, what was not hidden at most */
    struct lateness *latenesses; /* (n) of meetings in steps */
    size_t n;
};

/* The member who comes last, of several the first by row; SIZE_MAX where fewer than two
 * have a clock, where clocks were not aligned to each other, and where one rank gives or
 * gets everything: there nobody has to wait for the last. */
static size_t find_last(const struct waiting *g, const struct meeting *m)
{
    size_t last = SIZE_MAX, known = 0;
    int64_t last_ns = 0;
    int32_t reference = -1;
    if (m->rooted)
        return SIZE_MAX;
    for (size_t i = m->first; i < m->first + m->n; i++) {
        uint32_t row = g->m->row[i];
        int32_t own = g->c->rank[g->run->collectives.rank[row]].reference;
        if (own < 0)
            continue;
        if (known && own != reference)
            return SIZE_MAX;
        reference = own;
        int64_t ns = rank_clocks_begin_ns(g->c, g->run, row);
        if (!known++ || ns > last_ns) {
            last = row;
            last_ns = ns;
        }
    }
    return known < 2 ? SIZE_MAX : last;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Waits of a member; returns it, and what of it was not hidden. */
static int64_t add_wait(struct waiting *g, uint32_t row, int64_t last_ns,
                        int64_t *exposed)
{
    const struct collectives *t = &g->run->collectives;
    int64_t late_ns =
        subtract_saturated(last_ns, rank_clocks_begin_ns(g->c, g->run, row));
    int64_t wait_ns = least(late_ns, t->dur_ns[row]);
    struct rank_waits *r = &g->w->rank[t->rank[row]];
    int64_t exposed_ns = t->exposed_ns[row] > 0 ? t->exposed_ns[row] : 0;
    r->meetings++;
    r->wait_ns = add_saturated(r->wait_ns, wait_ns);
    g->w->collective[row] = (struct collective_wait){g->w->meetings, wait_ns};
    *exposed = least(wait_ns, exposed_ns);
    r->exposed_ns = add_saturated(r->exposed_ns, *exposed);
    if (t->step[row] >= 0) {
        int64_t *of_step = &g->w->step_wait_ns[t->step[row]];
        *of_step = add_saturated(*of_step, wait_ns);
        r->steps_wait_ns = add_saturated(r->steps_wait_ns, wait_ns);
    }
    return wait_ns;
}

/* What the last one is answerable for. */
static void blame(struct waiting *g, struct lateness *l, int32_t rank, size_t others,
                  bool in_step)
{
    l->late_ns = stats_median_int64(g->others, others);
    if (l->spread_ns <= 0)
        return;
    struct rank_waits *r = &g->w->rank[rank];
    l->last = rank;
    r->last++;
    int64_t exposed_ns = stats_median_int64(g->exposed, others);
    r->late_ns = add_saturated(r->late_ns, l->late_ns);
    r->late_exposed_ns = add_saturated(r->late_exposed_ns, exposed_ns);
    if (in_step) {
        r->steps_late_ns = add_saturated(r->steps_late_ns, l->late_ns);
        r->steps_late_exposed_ns = add_saturated(r->steps_late_exposed_ns, exposed_ns);
    }
    r->alone_ns = add_saturated(r->alone_ns, stats_select_int64(g->others, others, 0));
    r->others_wait_ns = add_saturated(r->others_wait_ns, l->wait_ns);
}

/* The step of the first member that has one: near a step's end ranks may differ. */
static bool meeting_step(const struct waiting *g, const struct meeting *m,
                         int64_t *number)
{
    for (size_t i = m->first; i < m->first + m->n; i++) {
        int32_t step = g->run->collectives.step[g->m->row[i]];
        if (step >= 0) {
            *number = g->run->steps.number[step];
            return true;
        }
    }
    return false;
}

static void add_meeting(struct waiting *g, const struct meeting *m)
{
    size_t last = find_last(g, m), others = 0;
    if (last == SIZE_MAX)
        return;
    int64_t last_ns = rank_clocks_begin_ns(g->c, g->run, last);
    struct lateness l = {.last = -1};
    for (size_t i = m->first; i < m->first + m->n; i++) {
        uint32_t row = g->m->row[i];
        if (g->c->rank[g->run->collectives.rank[row]].reference < 0)
            continue;
        int64_t exposed_ns, wait_ns = add_wait(g, row, last_ns, &exposed_ns);
        if (row == last)
            continue;
        g->exposed[others] = exposed_ns;
        g->others[others++] = wait_ns;
        l.wait_ns = add_saturated(l.wait_ns, wait_ns);
        l.spread_ns = wait_ns > l.spread_ns ? wait_ns : l.spread_ns;
    }
    bool in_step = meeting_step(g, m, &l.step);
    blame(g, &l, g->run->collectives.rank[last], others, in_step);
    g->w->meetings++;
    if (in_step)
        g->latenesses[g->n++] = l;
}

static int compare_lateness(const void *a_, const void *b_)
{
    const struct lateness *a = a_, *b = b_;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return (a->last > b->last) - (a->last < b->last);
}

/* One step: its meetings stand together, those of a rank that came last too. */
static struct step_skew sum_step(const struct lateness *l, size_t n)
{
    struct step_skew s = {.number = l->step, .meetings = n, .latest = -1};
    int64_t late_ns = 0;
    for (size_t i = 0; i < n; i++) {
        late_ns =
            add_saturated(i && l[i].last == l[i - 1].last ? late_ns : 0, l[i].late_ns);
        if (l[i].last >= 0 && (s.latest < 0 || late_ns > s.late_ns)) {
            s.latest = l[i].last;
            s.late_ns = late_ns;
        }
        s.wait_ns = add_saturated(s.wait_ns, l[i].wait_ns);
        s.spread_ns = l[i].spread_ns > s.spread_ns ? l[i].spread_ns : s.spread_ns;
    }
    return s;
}

static void sum_steps(struct waiting *g)
{
    struct job_waits *w = g->w;
    size_t cap = 0;
    if (g->n)
        qsort(g->latenesses, g->n, sizeof *g->latenesses, compare_lateness);
    for (size_t i = 0, end; i < g->n; i = end) {
        for (end = i + 1; end < g->n && g->latenesses[end].step == g->latenesses[i].step;)
            end++;
        vec_grow(w->step, cap, w->n_steps + 1);
        w->step[w->n_steps++] = sum_step(g->latenesses + i, end - i);
    }
}

void job_waits_init(struct job_waits *w, const struct run *run, const struct meetings *m,
                    const struct rank_clocks *c)
{
    *w = (struct job_waits){.n_ranks = run->ranks.table.n};
    w->rank = mem_zalloc(w->n_ranks, sizeof *w->rank);
    w->step_wait_ns = mem_zalloc(run->steps.table.n, sizeof *w->step_wait_ns);
    w->collective = mem_zalloc(run->collectives.table.n, sizeof *w->collective);
    for (size_t i = 0; i < run->collectives.table.n; i++)
        w->collective[i].meeting = SIZE_MAX;
    struct waiting g = {.run = run,
                        .m = m,
                        .c = c,
                        .w = w,
                        .others = mem_zalloc(w->n_ranks, sizeof *g.others),
                        .exposed = mem_zalloc(w->n_ranks, sizeof *g.exposed),
                        .latenesses = mem_zalloc(m->n, sizeof *g.latenesses)};
    for (size_t k = 0; k < m->n; k++)
        add_meeting(&g, &m->meeting[k]);
    sum_steps(&g);
    rank_rows_init(&w->steps, run->steps.rank, run->steps.table.n, w->n_ranks);
    mem_free(g.others);
    mem_free(g.exposed);
    mem_free(g.latenesses);
}

void job_waits_release(struct job_waits *w)
{
    mem_free(w->rank);
    mem_free(w->step);
    mem_free(w->collective);
    mem_free(w->step_wait_ns);
    rank_rows_release(&w->steps);
    *w = (struct job_waits){0};
}
