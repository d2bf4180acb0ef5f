#include "evidence/meetings_of.h"

#include "analyze/meetings.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/stats.h"

#include <stdlib.h>

/* A stretch of waiting: from when the last but one has nothing left that hides it, until
 * the last one comes; on the common clock. */
struct wait {
    int32_t late; /* rank row */
    int64_t step; /* its number */
    int64_t from_ns, to_ns;
};

struct waits {
    struct wait *wait; /* (n) */
    size_t n, cap;
};

static int64_t begin_of(const struct evidence *e, uint32_t row)
{
    return rank_clocks_begin_ns(&e->analysis->job.clocks, e->run, row);
}

static bool is_usable(const struct evidence *e, const struct meetings *m,
                      const struct meeting *x)
{
    const struct collectives *c = &e->run->collectives;
    const struct rank_clocks *clocks = &e->analysis->job.clocks;
    if (x->rooted)
        return false;
    for (size_t i = x->first; i < x->first + x->n; i++)
        if (c->step[m->row[i]] < 0 || clocks->rank[c->rank[m->row[i]]].reference < 0)
            return false;
    return true;
}

static uint32_t last_of(const struct evidence *e, const struct meetings *m,
                        const struct meeting *x)
{
    uint32_t last = m->row[x->first];
    for (size_t i = x->first + 1; i < x->first + x->n; i++)
        if (begin_of(e, m->row[i]) > begin_of(e, last))
            last = m->row[i];
    return last;
}

/* Where a member's own collective stops being hidden: what computes beside it does so
 * from its begin on. */
static int64_t waits_from(const struct evidence *e, uint32_t row)
{
    const struct collectives *c = &e->run->collectives;
    int64_t hidden_ns = c->dur_ns[row] - c->exposed_ns[row];
    return add_saturated(begin_of(e, row), hidden_ns > 0 ? hidden_ns : 0);
}

static void add_meeting(struct waits *w, const struct evidence *e,
                        const struct meetings *m, const struct meeting *x)
{
    const struct collectives *c = &e->run->collectives;
    uint32_t last = last_of(e, m, x);
    struct wait wait = {.late = c->rank[last],
                        .step = e->run->steps.number[c->step[last]],
                        .from_ns = INT64_MIN,
                        .to_ns = begin_of(e, last)};
    for (size_t i = x->first; i < x->first + x->n; i++) {
        int64_t from_ns = waits_from(e, m->row[i]);
        if (m->row[i] != last && from_ns > wait.from_ns)
            wait.from_ns = from_ns;
    }
    if (wait.from_ns >= wait.to_ns)
        return;
    vec_grow(w->wait, w->cap, w->n + 1);
    w->wait[w->n++] = wait;
}

static int compare_wait(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    if (x->late != y->late)
        return x->late < y->late ? -1 : 1;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static void waits_init(struct waits *w, const struct evidence *e)
{
    struct meetings m;
    *w = (struct waits){0};
    if (e->analysis->job.state != JOB_ALIGNED)
        return;
    meetings_init(&m, e->run);
    for (size_t k = 0; k < m.n; k++)
        if (is_usable(e, &m, &m.meeting[k]))
            add_meeting(w, e, &m, &m.meeting[k]);
    meetings_release(&m);
    if (w->n)
        qsort(w->wait, w->n, sizeof *w->wait, compare_wait);
}

static void waits_release(struct waits *w)
{
    mem_free(w->wait);
}

/* Steps of the evidence's rank that have collectives, by number, each once. The caller
 * frees them. */
static int64_t *steps_met(const struct evidence *e, size_t *n)
{
    const struct collectives *c = &e->run->collectives;
    int64_t *number = mem_alloc((c->table.n + 1) * sizeof *number);
    size_t all = 0;
    for (size_t i = 0; i < c->table.n; i++)
        if (c->rank[i] == e->rank_row && c->step[i] >= 0)
            number[all++] = e->run->steps.number[c->step[i]];
    if (all)
        qsort(number, all, sizeof *number, compare_int64);
    *n = 0;
    for (size_t i = 0; i < all; i++)
        if (!*n || number[i] != number[*n - 1])
            number[(*n)++] = number[i];
    return number;
}

/* What a rank cost the others in one step; waits that overlap count once. */
struct delay {
    int32_t late;
    size_t step; /* of the steps that met */
    double ns, longest_ns;
};

static struct delay *delays_of(const struct waits *w, const int64_t *number, size_t steps,
                               size_t *n)
{
    struct delay *delay = mem_alloc((w->n + 1) * sizeof *delay);
    int64_t until_ns = INT64_MIN;
    *n = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct wait *x = &w->wait[i];
        const int64_t *at =
            steps ? bsearch(&x->step, number, steps, sizeof *number, compare_int64)
                  : NULL;
        if (!at)
            continue;
        size_t step = (size_t)(at - number);
        if (!*n || delay[*n - 1].late != x->late || delay[*n - 1].step != step) {
            delay[(*n)++] = (struct delay){x->late, step, 0, 0};
            until_ns = INT64_MIN;
        }
        int64_t from_ns = x->from_ns > until_ns ? x->from_ns : until_ns;
        if (x->to_ns > from_ns) {
            struct delay *d = &delay[*n - 1];
            double ns = (double)(x->to_ns - from_ns);
            d->ns += ns;
            d->longest_ns = ns > d->longest_ns ? ns : d->longest_ns;
            until_ns = x->to_ns;
        }
    }
    return delay;
}

static size_t above_zero(const double *x, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += x[i] > 0;
    return count;
}

struct late_rank meetings_late(const struct evidence *e)
{
    struct late_rank late = {.row = -1};
    struct waits w;
    size_t n;
    waits_init(&w, e);
    int64_t *number = steps_met(e, &late.steps);
    struct delay *delay = delays_of(&w, number, late.steps, &n);
    double *all_ns = mem_zalloc(late.steps + 1, sizeof *all_ns);
    double *own_ns = mem_zalloc(late.steps + 1, sizeof *own_ns);
    double *longest_ns = mem_zalloc(late.steps + 1, sizeof *longest_ns);
    for (size_t i = 0; i < n; i++)
        all_ns[delay[i].step] += delay[i].ns;
    for (size_t i = 0, end; i < n; i = end) {
        /* what others cost in a step counts against it: noise comes from all */
        for (size_t k = 0; k < late.steps; k++) {
            own_ns[k] = -all_ns[k];
            longest_ns[k] = 0;
        }
        for (end = i; end < n && delay[end].late == delay[i].late; end++) {
            own_ns[delay[end].step] += 2 * delay[end].ns;
            longest_ns[delay[end].step] = delay[end].longest_ns;
        }
        double alone_ns = stats_median(own_ns, late.steps);
        if (late.row >= 0 && alone_ns <= late.alone_ns)
            continue;
        late.row = delay[i].late;
        late.alone_ns = alone_ns;
        late.spread_ns = (stats_quantile(own_ns, late.steps, 0.9) -
                          stats_quantile(own_ns, late.steps, 0.1)) /
                         2;
        late.longest_ns = stats_median(longest_ns, late.steps);
        late.late_steps = above_zero(own_ns, late.steps);
    }
    mem_free(number);
    mem_free(delay);
    mem_free(all_ns);
    mem_free(own_ns);
    mem_free(longest_ns);
    waits_release(&w);
    return late;
}

/* --- one rank --- */

struct stretch {
    int64_t begin_ns, end_ns;
    double exposed_frac;
};

static int compare_stretch(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* The rank's collectives that lie in steps, as they began. */
static struct stretch *stretches_of(const struct evidence *e, size_t *n)
{
    const struct collectives *c = &e->run->collectives;
    struct stretch *s = mem_alloc((c->table.n + 1) * sizeof *s);
    *n = 0;
    for (size_t i = 0; i < c->table.n; i++) {
        if (c->rank[i] != e->rank_row || c->step[i] < 0 || c->dur_ns[i] <= 0)
            continue;
        double exposed = (double)c->exposed_ns[i] / (double)c->dur_ns[i];
        s[(*n)++] = (struct stretch){.begin_ns = c->begin_ns[i],
                                     .end_ns = c->begin_ns[i] + c->dur_ns[i],
                                     .exposed_frac = exposed > 0 ? exposed : 0};
    }
    if (*n)
        qsort(s, *n, sizeof *s, compare_stretch);
    return s;
}

/* Waits of the evidence's rank for whoever came last, of all steps: those that overlap
 * count once. *longest_ns: the sum of each step's longest. */
static double own_waits_ns(const struct evidence *e, double *longest_ns)
{
    struct meetings m;
    double ns = 0, longest = 0;
    int64_t until_ns = INT64_MIN;
    int32_t step = -1;
    *longest_ns = 0;
    meetings_init(&m, e->run);
    for (size_t k = 0; k < m.n; k++) {
        const struct meeting *x = &m.meeting[k];
        if (!is_usable(e, &m, x))
            continue;
        int64_t last_ns = begin_of(e, last_of(e, &m, x));
        for (size_t i = x->first; i < x->first + x->n; i++) {
            if (e->run->collectives.rank[m.row[i]] != e->rank_row)
                continue;
            int64_t from_ns = waits_from(e, m.row[i]);
            from_ns = from_ns > until_ns ? from_ns : until_ns;
            if (e->run->collectives.step[m.row[i]] != step) {
                step = e->run->collectives.step[m.row[i]];
                *longest_ns += longest;
                longest = 0;
            }
            if (last_ns > from_ns) {
                double wait_ns = (double)(last_ns - from_ns);
                ns += wait_ns;
                longest = wait_ns > longest ? wait_ns : longest;
                until_ns = last_ns;
            }
        }
    }
    meetings_release(&m);
    *longest_ns += longest;
    return ns;
}

/* Exposed time of the rank's collectives that no other of their step outlasts, summed. */
static double last_exposed_ns(const struct evidence *e)
{
    const struct collectives *c = &e->run->collectives;
    size_t *last = mem_alloc((e->run->steps.table.n + 1) * sizeof *last);
    double ns = 0;
    for (size_t s = 0; s < e->run->steps.table.n; s++)
        last[s] = SIZE_MAX;
    for (size_t i = 0; i < c->table.n; i++) {
        if (c->rank[i] != e->rank_row || c->step[i] < 0)
            continue;
        size_t *at = &last[c->step[i]];
        if (*at == SIZE_MAX || add_saturated(c->begin_ns[i], c->dur_ns[i]) >
                                   add_saturated(c->begin_ns[*at], c->dur_ns[*at]))
            *at = i;
    }
    for (size_t s = 0; s < e->run->steps.table.n; s++)
        if (last[s] != SIZE_MAX)
            ns += (double)c->exposed_ns[last[s]];
    mem_free(last);
    return ns;
}

struct meetings_cost meetings_cost(const struct evidence *e)
{
    const struct collectives *c = &e->run->collectives;
    struct meetings_cost cost = {.waits_known = e->analysis->job.state == JOB_ALIGNED};
    size_t n, met;
    mem_free(steps_met(e, &met));
    double steps = met ? (double)met : 1;
    int64_t until_ns = INT64_MIN;
    struct stretch *s = stretches_of(e, &n);
    for (size_t i = 0; i < n; i++) {
        int64_t from_ns = s[i].begin_ns > until_ns ? s[i].begin_ns : until_ns;
        if (s[i].end_ns > from_ns) {
            double ns = (double)(s[i].end_ns - from_ns);
            cost.total_ns += ns / steps;
            cost.exposed_ns += s[i].exposed_frac * ns / steps;
            until_ns = s[i].end_ns;
        }
    }
    mem_free(s);
    for (size_t i = 0; i < c->table.n; i++)
        if (c->rank[i] == e->rank_row && c->step[i] >= 0) {
            cost.count += 1 / steps;
            cost.bytes += (double)c->bytes[i] / steps;
        }
    cost.last_ns = last_exposed_ns(e) / steps;
    if (cost.waits_known) {
        cost.waiting_ns = own_waits_ns(e, &cost.longest_ns) / steps;
        cost.longest_ns /= steps;
    }
    if (cost.waiting_ns > cost.exposed_ns)
        cost.waiting_ns = cost.exposed_ns;
    if (cost.longest_ns > cost.waiting_ns)
        cost.longest_ns = cost.waiting_ns;
    return cost;
}

struct named_cost {
    name_id name;
    double total_ns, exposed_ns;
};

static int compare_named(const void *a, const void *b)
{
    const struct named_cost *x = a, *y = b;
    return (x->name > y->name) - (x->name < y->name);
}

double meetings_hardly_hidden_ns(const struct evidence *e, double hidden_frac)
{
    const struct collectives *c = &e->run->collectives;
    struct named_cost *cost = mem_alloc((c->table.n + 1) * sizeof *cost);
    size_t n = 0, met;
    double ns = 0;
    for (size_t i = 0; i < c->table.n; i++)
        if (c->rank[i] == e->rank_row && c->step[i] >= 0)
            cost[n++] = (struct named_cost){c->name[i], (double)c->dur_ns[i],
                                            (double)c->exposed_ns[i]};
    if (n)
        qsort(cost, n, sizeof *cost, compare_named);
    for (size_t i = 0, end; i < n; i = end) {
        struct named_cost sum = {0};
        for (end = i; end < n && cost[end].name == cost[i].name; end++) {
            sum.total_ns += cost[end].total_ns;
            sum.exposed_ns += cost[end].exposed_ns;
        }
        if (sum.total_ns - sum.exposed_ns <= hidden_frac * sum.total_ns)
            ns += sum.exposed_ns;
    }
    mem_free(cost);
    mem_free(steps_met(e, &met));
    return met ? ns / (double)met : 0;
}
