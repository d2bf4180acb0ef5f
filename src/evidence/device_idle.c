#include "evidence/device_idle.h"

#include "base/mem.h"

/* --- when --- */

struct stretches device_idle(const struct evidence *e, int64_t begin_ns, int64_t end_ns)
{
    const struct spans *s = &e->run->spans;
    struct stretches work = {0}, all = {0};
    for (size_t i = 0; i < s->table.n; i++)
        if (evidence_is_device_work(e, i))
            stretches_add(&work, s->begin_ns[i], s->begin_ns[i] + s->dur_ns[i]);
    stretches_settle(&work);
    stretches_add(&all, begin_ns, end_ns);
    struct stretches idle = stretches_without(&all, &work);
    stretches_release(&work);
    stretches_release(&all);
    return idle;
}

/* A rank's nodes follow its root, up to the next one's. */
static bool is_of_rank(const struct evidence *e, uint32_t node)
{
    uint32_t root = e->replay->ranks[e->rank_row].root;
    size_t next = (size_t)e->rank_row + 1;
    return node >= root &&
           (next >= e->run->ranks.table.n || node < e->replay->ranks[next].root);
}

struct stretches device_hidden(const struct evidence *e)
{
    const struct graph *g = &e->replay->graph;
    struct stretches hidden = {0};
    uint32_t root = e->replay->ranks[e->rank_row].root;
    int64_t shift_ns = e->run->ranks.first_ns[e->rank_row] - g->measured_ns[root];
    for (size_t i = 0; i < g->edges; i++)
        if (g->kind[i] == GRAPH_EDGE_OPAQUE && is_of_rank(e, g->src[i]))
            stretches_add(&hidden, g->measured_ns[g->src[i]] + shift_ns,
                          g->measured_ns[g->dst[i]] + shift_ns);
    stretches_settle(&hidden);
    return hidden;
}

/* --- whose doing --- */

/* No job has more threads that launch; a hostile trace does. */
enum { THREADS_ASKED = 32 };

const struct host_thread *device_main_thread(const struct evidence *e)
{
    const struct host_thread *t = NULL;
    if (e->main_thread != SIZE_MAX)
        return &e->threads[e->main_thread];
    for (size_t i = 0; i < e->n_threads; i++)
        if (!t || e->threads[i].n > t->n)
            t = &e->threads[i];
    return t;
}

/* Frames and annotations say where a thread is, not that it works. */
static bool works(const struct host_op *op)
{
    return op->fetch || op->kind == SPAN_KIND_OP || op->kind == SPAN_KIND_RUNTIME ||
           op->kind == SPAN_KIND_SYNC || op->kind == SPAN_KIND_WAIT;
}

static struct stretches work_of(const struct host_thread *t)
{
    struct stretches work = {0};
    for (size_t i = 0; i < t->n; i++)
        if (works(&t->op[i]))
            stretches_add(&work, t->op[i].begin_ns, t->op[i].end_ns);
    stretches_settle(&work);
    return work;
}

static bool launches(const struct evidence *e, const struct host_thread *t)
{
    size_t low = 0, high = e->n_work; /* e->work stands in the order of lanes */
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (e->work[mid].lane < t->lane)
            low = mid + 1;
        else
            high = mid;
    }
    return low < e->n_work && e->work[low].lane == t->lane;
}

/* Take from `rest` what the thread works in. */
static struct stretches take(struct stretches *rest, const struct host_thread *t)
{
    struct stretches work = work_of(t), own = stretches_in(rest, &work);
    struct stretches left = stretches_without(rest, &work);
    stretches_release(&work);
    stretches_release(rest);
    *rest = left;
    return own;
}

size_t device_idle_share(struct idle_share *out, const struct evidence *e,
                         const struct stretches *idle)
{
    const struct host_thread *main_one = device_main_thread(e);
    struct stretches none = {0}, rest = stretches_without(idle, &none);
    size_t n = 1;
    out[0] = (struct idle_share){.thread = main_one};
    if (!main_one) {
        out[0].when = rest;
        return 1;
    }
    struct stretches own = take(&rest, main_one);
    for (size_t i = 0; i < e->n_threads && n <= THREADS_ASKED; i++)
        if (&e->threads[i] != main_one && launches(e, &e->threads[i]))
            out[n++] = (struct idle_share){&e->threads[i], take(&rest, &e->threads[i])};
    for (size_t i = 0; i < rest.n; i++)
        stretches_add(&own, rest.at[i].begin_ns, rest.at[i].end_ns);
    stretches_settle(&own);
    stretches_release(&rest);
    out[0].when = own;
    return n;
}
