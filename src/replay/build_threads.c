/* Host threads: a node at each call's begin and end and at each mark, the host's own work
 * between them. */
#include "replay/builder.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

/* At one moment: what ended before what begins, calls before marks, marks in the order of
 * their enum, then as added. */
struct placed_anchor {
    struct replay_anchor anchor;
    size_t added;
};

static int compare_anchor(const void *a, const void *b)
{
    const struct placed_anchor *x = a, *y = b;
    if (x->anchor.begin_ns != y->anchor.begin_ns)
        return x->anchor.begin_ns < y->anchor.begin_ns ? -1 : 1;
    if (x->anchor.end_ns != y->anchor.end_ns)
        return x->anchor.end_ns < y->anchor.end_ns ? -1 : 1;
    bool x_marks = x->anchor.span < 0, y_marks = y->anchor.span < 0;
    if (x_marks != y_marks)
        return x_marks ? 1 : -1;
    if (x->anchor.mark != y->anchor.mark)
        return x->anchor.mark < y->anchor.mark ? -1 : 1;
    return (x->added > y->added) - (x->added < y->added);
}

static void sort_anchors(struct replay_thread *t)
{
    struct placed_anchor *p = mem_alloc((t->n + 1) * sizeof *p);
    for (size_t i = 0; i < t->n; i++)
        p[i] = (struct placed_anchor){t->anchor[i], i};
    qsort(p, t->n, sizeof *p, compare_anchor);
    for (size_t i = 0; i < t->n; i++)
        t->anchor[i] = p[i].anchor;
    mem_free(p);
}

static void add_step(struct replay *r, const struct replay_anchor *a)
{
    if (a->mark == REPLAY_MARK_STEP_BEGIN) {
        vec_grow(r->steps, r->cap_steps, r->n_steps + 1);
        r->steps[r->n_steps++] =
            (struct replay_step){(int32_t)a->of, a->begin_node, GRAPH_NONE};
        return;
    }
    for (size_t i = r->n_steps; i-- > 0;)
        if (r->steps[i].step == (int32_t)a->of) {
            r->steps[i].end_node = a->begin_node;
            return;
        }
}

static void anchor_nodes(struct builder *b, struct replay_anchor *a)
{
    struct replay *r = b->r;
    a->begin_node = graph_node(&r->graph, builder_time(b, a->begin_ns));
    a->end_node = a->begin_node;
    if (a->span >= 0) {
        a->end_node = graph_node(&r->graph, builder_time(b, a->end_ns));
        r->begin_node[a->span] = a->begin_node;
        r->end_node[a->span] = a->end_node;
    }
    if (a->mark == REPLAY_MARK_STEP_BEGIN || a->mark == REPLAY_MARK_STEP_END)
        add_step(r, a);
}

/* From the anchor before; where that one has not ended yet (calls that overlap on a lane
 * that is no real thread), from its begin. */
static uint32_t gap_edge(struct builder *b, const struct replay_anchor *before,
                         const struct replay_anchor *a)
{
    int64_t gap_ns = subtract_saturated(a->begin_ns, before->end_ns);
    if (gap_ns >= 0)
        return builder_edge(b, GRAPH_EDGE_HOST, before->end_node, a->begin_node, gap_ns);
    return builder_edge(b, GRAPH_EDGE_HOST, before->begin_node, a->begin_node,
                        subtract_saturated(a->begin_ns, before->begin_ns));
}

static void thread_nodes(struct builder *b, struct replay_thread *t)
{
    const struct replay_anchor *before = NULL;
    sort_anchors(t);
    for (size_t i = 0; i < t->n; i++) {
        struct replay_anchor *a = &t->anchor[i];
        anchor_nodes(b, a);
        if (before)
            a->gap_edge = gap_edge(b, before, a);
        else
            t->root_edge = builder_edge(
                b, GRAPH_EDGE_ROOT, b->root, a->begin_node,
                subtract_saturated(builder_time(b, a->begin_ns), b->offset_ns));
        if (!before || a->end_ns >= before->end_ns)
            before = a;
    }
}

/* --- hand-offs --- */

struct handoff {
    struct replay_thread *thread[2]; /* main, other */
    size_t give, take, done, resume; /* indices of anchors */
};

static void find_handoffs(struct builder *b, struct handoff *h)
{
    for (size_t t = b->first_thread; t < b->r->n_threads; t++) {
        struct replay_thread *thread = &b->r->threads[t];
        for (size_t i = 0; i < thread->n; i++) {
            const struct replay_anchor *a = &thread->anchor[i];
            if (a->mark == REPLAY_MARK_HANDOFF_GIVE)
                h[a->of].give = i;
            else if (a->mark == REPLAY_MARK_HANDOFF_RESUME)
                h[a->of].resume = i;
            else if (a->mark == REPLAY_MARK_HANDOFF_TAKE)
                h[a->of].take = i;
            else if (a->mark == REPLAY_MARK_HANDOFF_DONE)
                h[a->of].done = i;
            else
                continue;
            bool main_one = t == b->main_thread;
            h[a->of].thread[main_one ? 0 : 1] = thread;
        }
    }
}

/* The way back from an anchor to the one before costs nothing: nobody worked. */
static void make_gap_idle(struct builder *b, struct replay_thread *t, size_t anchor)
{
    uint32_t edge = anchor ? t->anchor[anchor].gap_edge : t->root_edge;
    b->r->graph.weight_ns[edge] = 0;
}

static int64_t give_ns(const struct handoff *h)
{
    return h->thread[0]->anchor[h->give].begin_ns;
}

static int64_t take_ns(const struct handoff *h)
{
    return h->thread[1]->anchor[h->take].begin_ns;
}

static int compare_handoff(const void *a, const void *b)
{
    const struct handoff *x = a, *y = b;
    if (give_ns(x) != give_ns(y))
        return give_ns(x) < give_ns(y) ? -1 : 1;
    return (take_ns(x) > take_ns(y)) - (take_ns(x) < take_ns(y));
}

/* Who asked for what the thread takes up: the main thread; or, where another thread has
 * taken up its work before, the last that this one did (it sent something for which a
 * third one waits or looks). */
static const struct replay_anchor *giver_of(const struct handoff *h,
                                            const struct handoff *first)
{
    const struct replay_thread *t = first->thread[1];
    size_t low = first->take, high = t->n;
    if (h == first || take_ns(h) > t->anchor[first->done].begin_ns)
        return &h->thread[0]->anchor[h->give];
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (t->anchor[mid].begin_ns <= take_ns(h))
            low = mid;
        else
            high = mid;
    }
    while (low > first->take && t->anchor[low].end_ns > take_ns(h))
        low--;
    return &t->anchor[low];
}

/* first: the earliest of those in the same gap of the main thread. */
static void handoff_edges(struct builder *b, const struct handoff *h,
                          const struct handoff *first)
{
    struct replay_thread *main_thread = h->thread[0], *other = h->thread[1];
    const struct replay_anchor *give = giver_of(h, first);
    const struct replay_anchor *resume = &main_thread->anchor[h->resume];
    const struct replay_anchor *take = &other->anchor[h->take];
    const struct replay_anchor *done = &other->anchor[h->done];
    builder_edge(b, GRAPH_EDGE_HANDOFF, give->end_node, take->begin_node,
                 subtract_saturated(take->begin_ns, give->end_ns));
    builder_edge(b, GRAPH_EDGE_HANDOFF, done->end_node, resume->begin_node,
                 subtract_saturated(resume->begin_ns, done->end_ns));
    for (size_t i = h->give + 1; i <= h->resume; i++)
        make_gap_idle(b, main_thread, i);
    /* What the other thread has of the same moment, such as its begin, waits too. */
    size_t at = h->take;
    while (at > 0 && other->anchor[at - 1].begin_ns == take->begin_ns)
        at--;
    make_gap_idle(b, other, at);
    make_gap_idle(b, other, h->take);
}

void build_threads(struct builder *b)
{
    struct replay *r = b->r;
    for (size_t t = b->first_thread; t < r->n_threads; t++)
        thread_nodes(b, &r->threads[t]);
    for (size_t i = 0; i < b->n_nested; i++) {
        int64_t row = b->nested[i], outer = b->nested_in[i];
        int64_t in_ns =
            subtract_saturated(builder_begin_ns(b, row), builder_begin_ns(b, outer));
        uint32_t node = graph_node(&r->graph, builder_begin_ns(b, row));
        builder_edge(b, GRAPH_EDGE_NESTED, r->begin_node[outer], node,
                     in_ns > 0 ? in_ns : 0);
        r->begin_node[row] = r->end_node[row] = node;
        r->stands_in[row] = outer;
    }
    struct handoff *h = mem_zalloc(b->handoffs + 1, sizeof *h);
    find_handoffs(b, h);
    if (b->handoffs)
        qsort(h, b->handoffs, sizeof *h, compare_handoff);
    for (uint32_t i = 0, first = 0; i < b->handoffs; i++) {
        first = give_ns(&h[i]) == give_ns(&h[first]) ? first : i;
        handoff_edges(b, &h[i], &h[first]);
    }
    mem_free(h);
}
