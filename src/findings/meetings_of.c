#include "findings/meetings_of.h"

#include "analyze/meetings.h"
#include "base/mem.h"
#include "base/saturate.h"

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
                        const struct meeting *x, int64_t *last_ns)
{
    uint32_t last = m->row[x->first];
    *last_ns = INT64_MIN;
    for (size_t i = x->first; i < x->first + x->n; i++) {
        int64_t ns = rank_clocks_begin_ns(&e->analysis->job.clocks, e->run, m->row[i]);
        if (ns > *last_ns) {
            *last_ns = ns;
            last = m->row[i];
        }
    }
    return last;
}

/* What a member waited for the last, as far as nothing hid it: the collective is exposed
 * at its end rather than at its begin where something computes beside it. */
static double exposed_wait_ns(const struct evidence *e, uint32_t row, int64_t last_ns)
{
    const struct collectives *c = &e->run->collectives;
    int64_t begin_ns = rank_clocks_begin_ns(&e->analysis->job.clocks, e->run, row);
    int64_t wait_ns = subtract_saturated(last_ns, begin_ns);
    wait_ns = wait_ns < c->dur_ns[row] ? wait_ns : c->dur_ns[row];
    int64_t hidden_ns = c->dur_ns[row] - c->exposed_ns[row];
    wait_ns -= hidden_ns > 0 ? hidden_ns : 0;
    return wait_ns > 0 ? (double)wait_ns : 0;
}

static bool is_aligned(const struct evidence *e)
{
    return e->analysis->job.state == JOB_ALIGNED;
}

/* Steps of the job that have meetings, as the evidence's rank counts them. */
static size_t steps_met(const struct evidence *e)
{
    const struct collectives *c = &e->run->collectives;
    size_t n = 0;
    int32_t before = -1;
    for (size_t i = 0; i < c->table.n; i++) {
        if (c->rank[i] != e->rank_row || c->step[i] < 0)
            continue;
        n += c->step[i] != before;
        before = c->step[i];
    }
    return n ? n : 1;
}

struct late_rank meetings_late(const struct evidence *e)
{
    struct late_rank late = {.row = -1};
    struct meetings m;
    if (!is_aligned(e))
        return late;
    double *alone_ns = mem_zalloc(e->run->ranks.table.n + 1, sizeof *alone_ns);
    size_t *last_in = mem_zalloc(e->run->ranks.table.n + 1, sizeof *last_in);
    meetings_init(&m, e->run);
    for (size_t k = 0; k < m.n; k++) {
        const struct meeting *x = &m.meeting[k];
        int64_t last_ns;
        double least_ns = -1;
        if (!is_usable(e, &m, x))
            continue;
        uint32_t last = last_of(e, &m, x, &last_ns);
        for (size_t i = x->first; i < x->first + x->n; i++) {
            double ns = exposed_wait_ns(e, m.row[i], last_ns);
            if (m.row[i] != last && (least_ns < 0 || ns < least_ns))
                least_ns = ns;
        }
        late.meetings++;
        last_in[e->run->collectives.rank[last]]++;
        alone_ns[e->run->collectives.rank[last]] += least_ns > 0 ? least_ns : 0;
    }
    meetings_release(&m);
    for (size_t i = 0; i < e->run->ranks.table.n; i++) {
        late.all_ns += alone_ns[i];
        if (late.row < 0 || alone_ns[i] > alone_ns[late.row])
            late.row = (int32_t)i;
    }
    late.alone_ns = alone_ns[late.row] / (double)steps_met(e);
    late.all_ns /= (double)steps_met(e);
    late.last = last_in[late.row];
    mem_free(alone_ns);
    mem_free(last_in);
    return late;
}

static double own_waits_ns(const struct evidence *e)
{
    struct meetings m;
    double ns = 0;
    meetings_init(&m, e->run);
    for (size_t k = 0; k < m.n; k++) {
        const struct meeting *x = &m.meeting[k];
        int64_t last_ns;
        if (!is_usable(e, &m, x))
            continue;
        uint32_t last = last_of(e, &m, x, &last_ns);
        for (size_t i = x->first; i < x->first + x->n; i++)
            if (m.row[i] != last && e->run->collectives.rank[m.row[i]] == e->rank_row)
                ns += exposed_wait_ns(e, m.row[i], last_ns);
    }
    meetings_release(&m);
    return ns;
}

struct meetings_cost meetings_cost(const struct evidence *e)
{
    const struct collectives *c = &e->run->collectives;
    struct meetings_cost cost = {0};
    double steps = (double)steps_met(e);
    for (size_t i = 0; i < c->table.n; i++) {
        if (c->rank[i] != e->rank_row || c->step[i] < 0)
            continue;
        cost.count += 1 / steps;
        cost.bytes += (double)c->bytes[i] / steps;
        cost.total_ns += (double)c->dur_ns[i] / steps;
        cost.exposed_ns += (double)(c->exposed_ns[i] > 0 ? c->exposed_ns[i] : 0) / steps;
    }
    cost.waits_known = is_aligned(e);
    if (cost.waits_known)
        cost.waiting_ns = own_waits_ns(e) / steps;
    return cost;
}
