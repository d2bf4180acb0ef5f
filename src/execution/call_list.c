#include "execution/call_list.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* What is around a node, by what is around its caller. */
struct around {
    int64_t seq;   /* of the forward call whose gradient it computes; -1: not known */
    int32_t maker; /* thread of that */
    bool backward, optimizer;
    bool accumulates; /* gradients of leaves */
    bool covered;     /* by a call of the list */
    bool calls;       /* operators in turn */
};

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static const char *name_of(const struct node_table *t, size_t i)
{
    return names_str(&t->run->names, t->node[i].name);
}

/* --- steps --- */

static const char profiler_step[] = "ProfilerStep#", optimizer_step[] = "Optimizer.step#";

struct step_marks {
    name_id optimizer; /* the first that steps; others step in its steps */
    bool marked, any_optimizer;
    bool stepping; /* the optimizer was seen: the next other call begins a step */
    int32_t step;
};

static struct step_marks find_marks(const struct node_table *t)
{
    struct step_marks m = {.step = -1};
    for (size_t i = 0; i < t->n; i++) {
        m.marked = m.marked || begins(name_of(t, i), profiler_step);
        if (!m.any_optimizer && begins(name_of(t, i), optimizer_step)) {
            m.any_optimizer = true;
            m.optimizer = t->node[i].name;
        }
    }
    if (!m.marked && m.any_optimizer)
        m.step = 0;
    return m;
}

static void see_mark(struct step_marks *m, const struct node_table *t, size_t i,
                     const struct around *a)
{
    if (m->marked) {
        m->step += begins(name_of(t, i), profiler_step);
    } else if (m->any_optimizer && t->node[i].name == m->optimizer) {
        m->stepping = true;
    } else if (m->stepping && !a->optimizer && t->node[i].schema != NODE_NONE) {
        m->stepping = false;
        m->step++;
    }
}

/* Where an optimizer steps, a step at the end in which it does not was cut off. */
static void drop_rest(struct call_list *l)
{
    size_t n = l->n;
    while (n && !l->call[n - 1].optimizer)
        n--;
    while (n && n < l->n && l->call[n].step == l->call[n - 1].step)
        n++;
    l->optimizer = n > 0;
    l->n = n ? n : l->n;
    l->steps = l->n ? l->call[l->n - 1].step + 1 : 0;
}

/* --- what is around --- */

static struct around around_of(const struct node_table *t, const struct around *all,
                               size_t i)
{
    static const struct around nothing = {.seq = -1};
    const struct node *x = &t->node[i];
    struct around a = x->parent == NODE_NONE ? nothing : all[x->parent];
    a.calls = false;
    a.backward =
        a.backward || begins(name_of(t, i), "autograd::engine::evaluate_function");
    a.optimizer = a.optimizer || begins(name_of(t, i), optimizer_step);
    a.accumulates =
        a.accumulates || begins(name_of(t, i), "torch::autograd::AccumulateGrad");
    return a;
}

/* A gradient's own node has the number of its forward call; the engine's, around it, sums
 * up what broadcasting made of it. */
static void see_gradient(const struct node_table *t, struct around *all, size_t i)
{
    const struct node *x = &t->node[i];
    if (!x->backward || x->seq < 0)
        return;
    all[i].seq = x->seq;
    all[i].maker = x->made_thread;
    if (x->parent != NODE_NONE && all[x->parent].backward) {
        all[x->parent].seq = x->seq;
        all[x->parent].maker = x->made_thread;
    }
}

static bool is_compiled(const char *name)
{
    return begins(name, "Torch-Compiled Region") || begins(name, "CompiledFunction") ||
           begins(name, "triton_") || begins(name, "## Call CompiledFxGraph");
}

/* --- forward calls --- */

struct numbered {
    int64_t seq;
    int32_t thread, call;
};

static int compare_numbered(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

/* The last call of that number before `call`: the number is given to the next gradient,
 * and calls without one leave it as it is. -1: none. */
static int32_t find_forward(const struct numbered *p, size_t n, struct numbered of)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (compare_numbered(&p[mid], &of) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low && p[low - 1].thread == of.thread && p[low - 1].seq == of.seq
               ? p[low - 1].call
               : -1;
}

static void find_forwards(struct call_list *l, const struct node_table *t,
                          const struct around *all)
{
    struct numbered *p = mem_alloc((l->n + 1) * sizeof *p);
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct node *x = &t->node[l->call[i].node];
        if (x->seq >= 0)
            p[n++] = (struct numbered){x->seq, x->thread, (int32_t)i};
    }
    if (n)
        qsort(p, n, sizeof *p, compare_numbered);
    for (size_t i = 0; i < l->n; i++) {
        const struct around *a = &all[l->call[i].node];
        if (l->call[i].backward && a->seq >= 0)
            l->call[i].forward =
                find_forward(p, n, (struct numbered){a->seq, a->maker, (int32_t)i});
    }
    mem_free(p);
}

/* --- the whole --- */

static void mark_callers(const struct node_table *t, struct around *all)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->node[i].schema != NODE_NONE && t->node[i].parent != NODE_NONE)
            all[t->node[i].parent].calls = true;
}

static bool is_call(const struct node_table *t, const struct around *a, size_t i)
{
    const struct node *x = &t->node[i];
    return x->schema != NODE_NONE && !a->covered &&
           !(t->schema[x->schema].composite && a->calls);
}

static int32_t thread_of(const struct node *x)
{
    return x->thread >= 0 && x->thread < RUN_WATCHED_THREADS_MAX ? x->thread : 0;
}

void call_list_init(struct call_list *l, const struct node_table *t)
{
    struct around *all = mem_zalloc(t->n + 1, sizeof *all);
    bool *calls = mem_zalloc(t->n + 1, sizeof *calls);
    struct step_marks m = find_marks(t);
    int32_t pass = 0, epoch = 0;
    *l = (struct call_list){0};
    mark_callers(t, all);
    for (size_t i = 0; i < t->n; i++)
        calls[i] = all[i].calls;
    for (size_t i = 0; i < t->n; i++) {
        all[i] = around_of(t, all, i);
        all[i].calls = calls[i];
        see_gradient(t, all, i);
        see_mark(&m, t, i, &all[i]);
        l->compiled = l->compiled || is_compiled(name_of(t, i));
        epoch += begins(name_of(t, i), "enumerate(DataLoader)");
        if (!is_call(t, &all[i], i))
            continue;
        all[i].covered = true;
        if (m.step < 0 || m.step >= RUN_WATCHED_STEPS_MAX)
            continue;
        bool backward = all[i].backward && !all[i].optimizer;
        const struct call *last = l->n ? &l->call[l->n - 1] : NULL;
        pass += backward && !(last && last->backward);
        epoch += last && (last->step != m.step || (last->backward && !backward));
        vec_grow(l->call, l->cap, l->n + 1);
        l->call[l->n++] = (struct call){.node = (int32_t)i,
                                        .step = m.step,
                                        .backward = backward ? pass : 0,
                                        .forward = -1,
                                        .thread = thread_of(&t->node[i]),
                                        .epoch = epoch,
                                        .optimizer = all[i].optimizer,
                                        .accumulates = all[i].accumulates};
    }
    drop_rest(l);
    find_forwards(l, t, all);
    mem_free(calls);
    mem_free(all);
}

void call_list_release(struct call_list *l)
{
    mem_free(l->call);
}
