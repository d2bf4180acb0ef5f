#include "findings/account.h"

#include "analyze/kernel_family.h"
#include "base/mem.h"
#include "findings/call_tree.h"
#include "findings/evidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNT_TEXT(v, text) text,
const char *const account_text[ACCOUNT_COUNT] = {ACCOUNT_LIST(ACCOUNT_TEXT)};

/* One while it is being made. */
struct accounting {
    struct account *a;
    const struct evidence *e;
    double least_ns; /* of a part */
};

/* NULL: too small for a sentence. */
static struct account_part *add_part(struct accounting *x, enum account_kind kind,
                                     double ns)
{
    struct account *a = x->a;
    if (kind == ACCOUNT_UNEXPLAINED)
        a->unexplained_ns += ns;
    if (!(ns >= x->least_ns)) {
        a->small_ns += ns > 0 ? ns : 0;
        return NULL;
    }
    vec_grow(a->part, a->cap, a->n + 1);
    a->part[a->n] = (struct account_part){.kind = kind, .ns = ns};
    return &a->part[a->n++];
}

/* --- what the device does --- */

struct group {
    double ns;        /* self time, over the recording */
    double most_ns;   /* of the operator that has most of it */
    const char *most; /* its label */
};

static void group_add(struct group *g, double ns, const char *label)
{
    g->ns += ns;
    if (ns <= g->most_ns)
        return;
    g->most_ns = ns;
    g->most = label;
}

/* "attention: mostly flash attention forward bf16" */
static void tell_group(struct accounting *x, enum account_kind kind, const char *name,
                       const struct group *g, double of_step)
{
    struct account_part *p = add_part(x, kind, g->ns * of_step);
    if (p)
        snprintf(p->what, sizeof p->what, "%s: %s%s", name,
                 g->most_ns < 0.95 * g->ns ? "mostly " : "", g->most);
}

static enum account_kind kind_of_work(enum span_kind kind)
{
    return kind == SPAN_KIND_COLLECTIVE                      ? ACCOUNT_COMMUNICATION
           : kind == SPAN_KIND_COPY || kind == SPAN_KIND_SET ? ACCOUNT_COPIES
                                                             : ACCOUNT_COMPUTE;
}

/* What compute, and what of the others it does not hide, take of a step is known; by self
 * time each is shared out among the operators. */
static void tell_device(struct accounting *x)
{
    const struct evidence *e = x->e;
    const struct ops *ops = &e->run->ops;
    const int64_t *step_ns = e->rank->step_split.ns;
    struct group family[KERNEL_FAMILY_COUNT] = {0}, group[ACCOUNT_COUNT] = {0};
    for (size_t i = 0; i < e->rank->n_ops; i++) {
        size_t row = e->rank->ops[i].row;
        if (ops->place[row] != LANE_KIND_DEVICE || ops->kind[row] == SPAN_KIND_SYNC)
            continue;
        const char *label = analysis_label(e->analysis, LANE_KIND_DEVICE, ops->name[row]);
        enum account_kind kind = kind_of_work(ops->kind[row]);
        group_add(&group[kind], (double)ops->self_ns[row], label);
        if (kind == ACCOUNT_COMPUTE)
            group_add(&family[kernel_family_of(label)], (double)ops->self_ns[row], label);
    }
    double compute_ns = group[ACCOUNT_COMPUTE].ns;
    for (int k = 0; k < KERNEL_FAMILY_COUNT && compute_ns > 0; k++)
        tell_group(x, ACCOUNT_COMPUTE, kernel_family_text[k], &family[k],
                   (double)step_ns[TIME_CLASS_COMPUTE] / compute_ns);
    if (group[ACCOUNT_COMMUNICATION].ns > 0)
        tell_group(x, ACCOUNT_COMMUNICATION, "collectives that compute does not hide",
                   &group[ACCOUNT_COMMUNICATION],
                   (double)step_ns[TIME_CLASS_COMMUNICATION] /
                       group[ACCOUNT_COMMUNICATION].ns);
    if (group[ACCOUNT_COPIES].ns > 0)
        tell_group(x, ACCOUNT_COPIES, "copies that nothing hides", &group[ACCOUNT_COPIES],
                   (double)step_ns[TIME_CLASS_COPIES] / group[ACCOUNT_COPIES].ns);
}

/* --- when it does nothing --- */

static int compare_stretch(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Kept device work of the rank, by begin; the caller frees it. */
static struct stretch *work_of_rank(const struct evidence *e, size_t *n)
{
    const struct spans *s = &e->run->spans;
    const struct lanes *lanes = &e->run->lanes;
    struct stretch *work = mem_alloc((s->table.n + 1) * sizeof *work);
    *n = 0;
    for (size_t i = 0; i < s->table.n; i++) {
        int32_t lane = s->lane[i];
        if (lane >= 0 && lanes->rank[lane] == e->rank_row &&
            lanes->kind[lane] == LANE_KIND_DEVICE && s->kind[i] != SPAN_KIND_SYNC &&
            s->kind[i] != SPAN_KIND_ANNOTATION)
            work[(*n)++] =
                (struct stretch){s->begin_ns[i], s->begin_ns[i] + s->dur_ns[i]};
    }
    if (*n)
        qsort(work, *n, sizeof *work, compare_stretch);
    return work;
}

/* From work to what lies between, within the window; in place. Returns how many. */
static size_t idle_between(struct stretch *work, size_t n, int64_t begin_ns,
                           int64_t end_ns)
{
    int64_t free_ns = begin_ns;
    size_t idle = 0;
    for (size_t i = 0; i < n && free_ns < end_ns; i++) {
        struct stretch w = work[i];
        if (w.begin_ns > free_ns)
            work[idle++] =
                (struct stretch){free_ns, w.begin_ns < end_ns ? w.begin_ns : end_ns};
        free_ns = w.end_ns > free_ns ? w.end_ns : free_ns;
    }
    if (free_ns < end_ns)
        work[idle++] = (struct stretch){free_ns, end_ns};
    return idle;
}

/* --- what the host does --- */

/* The thread that marks the steps, else the one with most calls. */
static const struct host_thread *main_thread(const struct evidence *e)
{
    const struct host_thread *t = NULL;
    if (e->main_thread != SIZE_MAX)
        return &e->threads[e->main_thread];
    for (size_t i = 0; i < e->n_threads; i++)
        if (!t || e->threads[i].n > t->n)
            t = &e->threads[i];
    return t;
}

/* A host that waits for a device on which nothing runs, as far as is recorded, may wait
 * for work of before the recording. */
static const char *begin_for(const struct host_op *call, const char *begin, bool device)
{
    bool waits = call->kind == SPAN_KIND_SYNC || call->kind == SPAN_KIND_WAIT;
    return device && waits ? "no GPU work is recorded, the host " : begin;
}

static const char *words_for(const struct host_op *call)
{
    if (call->fetch)
        return "fetches a batch: ";
    switch (call->kind) {
    case SPAN_KIND_SYNC:
    case SPAN_KIND_WAIT:
        return "waits in ";
    case SPAN_KIND_OP:
    case SPAN_KIND_RUNTIME:
        return "runs ";
    default:
        return "is in ";
    }
}

static void tell_node(struct accounting *x, const struct host_thread *t,
                      const struct call_tree *tree, size_t node, double ns,
                      const char *begin)
{
    const struct call_node *n = &tree->node[node];
    struct account_part *p =
        add_part(x, x->e->has_device ? ACCOUNT_IDLE : ACCOUNT_HOST, ns);
    if (!p)
        return;
    const char *name = run_name(x->e->run, n->name);
    const char *address = strstr(name, " object at 0x"); /* says nothing to anyone */
    snprintf(p->what, sizeof p->what, "%s%s%.*s%s",
             begin_for(n->call, begin, x->e->has_device), words_for(n->call),
             address ? (int)(address - name) : (int)strlen(name), name,
             address ? ">" : "");
    snprintf(p->where, sizeof p->where, "%s", evidence_line(x->e, t, n->call));
}

/* Each call whose own time, or whose smaller parts together, are enough for a sentence.
 */
static void tell_tree(struct accounting *x, const struct host_thread *t,
                      const struct call_tree *tree, double of_step, const char *begin)
{
    double *rest_ns = mem_alloc((tree->n + 1) * sizeof *rest_ns);
    double outside_ns = fmax(0, tree->outside_ns), told_ns = outside_ns;
    for (size_t i = 0; i < tree->n; i++)
        rest_ns[i] = tree->node[i].ns * of_step;
    for (size_t i = 0; i < tree->n; i++)
        if (tree->node[i].parent >= 0 && tree->node[i].ns * of_step >= x->least_ns)
            rest_ns[tree->node[i].parent] -= tree->node[i].ns * of_step;
    for (size_t i = 0; i < tree->n; i++)
        if (tree->node[i].ns * of_step >= x->least_ns && rest_ns[i] >= x->least_ns) {
            tell_node(x, t, tree, i, rest_ns[i], begin);
            told_ns += rest_ns[i] / of_step;
        }
    struct account_part *p = add_part(x, ACCOUNT_UNEXPLAINED, outside_ns * of_step);
    if (p)
        snprintf(p->what, sizeof p->what, "%sis in nothing that was recorded", begin);
    x->a->small_ns += fmax(0, (tree->all_ns - told_ns) * of_step);
    mem_free(rest_ns);
}

/* ns: what the stretches are of a step. */
static void tell_host(struct accounting *x, const struct stretch *stretch, size_t n,
                      double ns, const char *begin)
{
    const struct host_thread *t = main_thread(x->e);
    struct call_tree tree = {0};
    if (t)
        call_tree_init(&tree, x->e, t, stretch, n);
    if (t && tree.all_ns > 0) {
        tell_tree(x, t, &tree, ns / tree.all_ns, begin);
    } else {
        struct account_part *p = add_part(x, ACCOUNT_UNEXPLAINED, ns);
        if (p)
            snprintf(p->what, sizeof p->what, "no calls of the host are recorded");
    }
    call_tree_release(&tree);
}

/* Of a recording that is taken as one, the first part may be all that is kept. */
static int64_t kept_until_ns(const struct evidence *e)
{
    const struct spans *s = &e->run->spans;
    const struct ranks *ranks = &e->run->ranks;
    int64_t last_ns = e->whatif.window.end_ns, kept_ns = e->whatif.window.begin_ns;
    if (e->whatif.window.steps ||
        ranks->spans_kept[e->rank_row] >= ranks->spans_seen[e->rank_row])
        return last_ns;
    for (size_t i = 0; i < s->table.n; i++)
        if (s->lane[i] >= 0 && e->run->lanes.rank[s->lane[i]] == e->rank_row &&
            s->begin_ns[i] > kept_ns)
            kept_ns = s->begin_ns[i];
    return kept_ns < last_ns ? kept_ns : last_ns;
}

static void tell_idle(struct accounting *x)
{
    const struct whatif_window *w = &x->e->whatif.window;
    double ns = (double)x->e->rank->step_split.ns[TIME_CLASS_IDLE];
    size_t n;
    if (ns < x->least_ns) {
        x->a->small_ns += ns;
        return;
    }
    struct stretch *idle = work_of_rank(x->e, &n);
    n = idle_between(idle, n, w->begin_ns, kept_until_ns(x->e));
    tell_host(x, idle, n, ns, "GPU idle, the host ");
    mem_free(idle);
}

/* --- all of it --- */

static int compare_part(const void *a, const void *b)
{
    const struct account_part *x = a, *y = b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

static bool say_the_same(const struct account_part *x, const struct account_part *y)
{
    return x->kind == y->kind && !strcmp(x->what, y->what) && !strcmp(x->where, y->where);
}

/* Calls on different ways to one place are one part: a reader could not tell them apart.
 */
static void merge_alike(struct account *a)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        size_t k = 0;
        while (k < n && !say_the_same(&a->part[k], &a->part[i]))
            k++;
        if (k < n)
            a->part[k].ns += a->part[i].ns;
        else
            a->part[n++] = a->part[i];
    }
    a->n = n;
}

void account_init(struct account *a, const struct evidence *e)
{
    *a = (struct account){.step_ns = e->step_ns};
    struct accounting x = {a, e, ACCOUNT_LEAST_FRAC * e->step_ns};
    if (!(e->step_ns > 0))
        return;
    if (e->has_device && e->rank->step_split.known) {
        tell_device(&x);
        tell_idle(&x);
    } else if (!e->has_device) {
        const struct stretch all = {e->whatif.window.begin_ns, e->whatif.window.end_ns};
        tell_host(&x, &all, 1, e->step_ns, "the host ");
    }
    merge_alike(a);
    if (a->n)
        qsort(a->part, a->n, sizeof *a->part, compare_part);
}

void account_release(struct account *a)
{
    mem_free(a->part);
    *a = (struct account){0};
}
