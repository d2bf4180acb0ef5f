/*
 * A device holds only so many launches. A launch that takes far longer than others while
 * hundreds are pending waits for room: it ends when the work that made room does.
 */
#include "replay/builder.h"

#include "base/mem.h"
#include "base/stats.h"

/* Thresholds: docs/whatif.md, each with its reason. */
static const int64_t QUEUE_WAIT_NS = 40000;
static const int64_t QUEUE_WAIT_MEDIANS = 8;
static const int64_t QUEUE_DEPTH_MIN = 256;
static const int64_t QUEUE_RETURN_MAX_NS = 20000;

static bool is_launch(enum call_kind kind)
{
    return kind == CALL_KIND_LAUNCH || kind == CALL_KIND_GRAPH_LAUNCH ||
           kind == CALL_KIND_SET || kind == CALL_KIND_COPY;
}

struct launch_list {
    int64_t *call;  /* (n) calls that launched work, by begin */
    int64_t *works; /* (n) how much */
    size_t n;
    int64_t *launched; /* (n_launched) device work that has a launch, by end */
    size_t n_launched;
};

static void find_launches(const struct builder *b, struct launch_list *l)
{
    int64_t *count = mem_zalloc(b->run->spans.table.n + 1, sizeof *count);
    l->launched = mem_alloc((b->n_work + 1) * sizeof *l->launched);
    for (size_t i = 0; i < b->n_work; i++) {
        int64_t call = b->r->launch[b->work[i]];
        if (call < 0)
            continue;
        count[call]++;
        l->launched[l->n_launched++] = b->work[i];
    }
    l->call = mem_alloc((b->n_calls + 1) * sizeof *l->call);
    l->works = mem_alloc((b->n_calls + 1) * sizeof *l->works);
    for (size_t i = 0; i < b->n_calls; i++) {
        int64_t call = b->call[i];
        if (!count[call] || !is_launch(b->call_kind[b->run->spans.name[call]]))
            continue;
        l->call[l->n] = call;
        l->works[l->n++] = count[call];
    }
    mem_free(count);
}

static int64_t median_launch_ns(const struct builder *b, const struct launch_list *l)
{
    int64_t *dur_ns = mem_alloc((l->n + 1) * sizeof *dur_ns);
    for (size_t i = 0; i < l->n; i++)
        dur_ns[i] = builder_dur_ns(b, l->call[i]);
    int64_t median_ns = stats_median_int64(dur_ns, l->n);
    mem_free(dur_ns);
    return median_ns;
}

/* The call goes on when the work has made room; one that ends long after it did not wait
 * for it. */
static void maybe_wait_for_room(struct builder *b, int64_t call, int64_t work)
{
    struct replay *r = b->r;
    int64_t usual_ns = b->times[b->run->spans.name[call]].median_ns;
    int64_t dur_ns = builder_dur_ns(b, call);
    int64_t back_ns = builder_end_ns(b, call) - builder_end_ns(b, work);
    if (back_ns > QUEUE_RETURN_MAX_NS)
        return;
    r->graph.weight_ns[r->own_edge[call]] = dur_ns < usual_ns ? dur_ns : usual_ns;
    builder_edge(b, GRAPH_EDGE_QUEUE, r->end_node[work], r->end_node[call], back_ns);
}

void build_queue(struct builder *b)
{
    struct launch_list l = {0};
    if (!builder_models(b, REPLAY_RULE_QUEUE))
        return;
    find_launches(b, &l);
    int64_t medians_ns = l.n ? QUEUE_WAIT_MEDIANS * median_launch_ns(b, &l) : 0;
    int64_t long_ns = medians_ns > QUEUE_WAIT_NS ? medians_ns : QUEUE_WAIT_NS;
    int64_t before = 0; /* work launched before this call */
    for (size_t i = 0; i < l.n; i++) {
        int64_t call = l.call[i];
        if (!b->blocked[call] && builder_dur_ns(b, call) > long_ns) {
            size_t ended =
                builder_ended_until(b, l.launched, l.n_launched, builder_end_ns(b, call));
            if (ended && before - (int64_t)ended >= QUEUE_DEPTH_MIN)
                maybe_wait_for_room(b, call, l.launched[ended - 1]);
        }
        before += l.works[i];
    }
    mem_free(l.call);
    mem_free(l.works);
    mem_free(l.launched);
}
