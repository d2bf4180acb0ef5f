#include "evidence/account.h"

#include "analyze/kernel_family.h"
#include "base/mem.h"
#include "evidence/call_tree.h"
#include "evidence/device_idle.h"
#include "evidence/evidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNT_TEXT(v, text) text,
const char *const account_text[ACCOUNT_COUNT] = {ACCOUNT_LIST(ACCOUNT_TEXT)};

/* An operator that is so much of a group is told alone, without "mostly". */
#define NEARLY_ALL_FRAC 0.95

/* One while it is being made. */
struct accounting {
    struct account *a;
    const struct evidence *e;
    double least_ns;                 /* of a part */
    const struct stretch_sums *idle; /* of the device; NULL: there is none */
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

/* Device work of one name. */
struct work_time {
    double ns;
    enum span_kind kind;
};

/* By name, of what the host asked for in the window; where none of it is kept, of the
 * recording. The caller frees it. */
static struct work_time *work_by_name(const struct evidence *e)
{
    const struct spans *s = &e->run->spans;
    const struct ops *ops = &e->run->ops;
    struct work_time *time = mem_zalloc(e->run->names.n + 1, sizeof *time);
    double all_ns = 0;
    for (size_t i = 0; i < s->table.n && e->whatif.window.steps; i++) {
        if (!evidence_is_device_work(e, i) ||
            !whatif_window_asked(&e->whatif.window, e->replay, (int64_t)i))
            continue;
        time[s->name[i]].kind = s->kind[i];
        time[s->name[i]].ns += (double)s->dur_ns[i];
        all_ns += (double)s->dur_ns[i];
    }
    for (size_t i = 0; i < e->rank->n_ops && all_ns <= 0; i++) {
        size_t row = e->rank->ops[i].row;
        if (ops->place[row] != LANE_KIND_DEVICE || ops->kind[row] == SPAN_KIND_SYNC)
            continue;
        time[ops->name[row]].kind = ops->kind[row];
        time[ops->name[row]].ns += (double)ops->self_ns[row];
    }
    return time;
}

struct group {
    double ns;
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

/* "attention: mostly flash attention forward bf16". step_ns is what all of that kind take
 * of a step, all_ns their time added up. */
static void tell_group(struct accounting *x, enum account_kind kind, const char *name,
                       const struct group *g, int64_t step_ns, double all_ns)
{
    if (all_ns <= 0)
        return;
    struct account_part *p = add_part(x, kind, g->ns * (double)step_ns / all_ns);
    if (p)
        snprintf(p->what, sizeof p->what, "%s: %s%s", name,
                 g->most_ns < NEARLY_ALL_FRAC * g->ns ? "mostly " : "", g->most);
}

static enum account_kind kind_of_work(enum span_kind kind)
{
    return kind == SPAN_KIND_COLLECTIVE                      ? ACCOUNT_COMMUNICATION
           : kind == SPAN_KIND_COPY || kind == SPAN_KIND_SET ? ACCOUNT_COPIES
                                                             : ACCOUNT_COMPUTE;
}

/* What compute, and what of the others it does not hide, take of a step is known; each is
 * shared out among the names by their time. */
static void tell_device(struct accounting *x)
{
    const struct evidence *e = x->e;
    struct work_time *time = work_by_name(e);
    const int64_t *step_ns = e->rank->step_split.ns;
    struct group family[KERNEL_FAMILY_COUNT] = {0}, group[ACCOUNT_COUNT] = {0};
    for (name_id name = 0; name < e->run->names.n; name++) {
        if (time[name].ns <= 0)
            continue;
        const char *label = analysis_label(e->analysis, LANE_KIND_DEVICE, name);
        enum account_kind kind = kind_of_work(time[name].kind);
        group_add(&group[kind], time[name].ns, label);
        if (kind == ACCOUNT_COMPUTE)
            group_add(&family[kernel_family_of(label)], time[name].ns, label);
    }
    mem_free(time);
    for (int k = 0; k < KERNEL_FAMILY_COUNT; k++)
        tell_group(x, ACCOUNT_COMPUTE, kernel_family_text[k], &family[k],
                   step_ns[TIME_CLASS_COMPUTE], group[ACCOUNT_COMPUTE].ns);
    const struct group *collectives = &group[ACCOUNT_COMMUNICATION];
    tell_group(x, ACCOUNT_COMMUNICATION, "exposed communication", collectives,
               step_ns[TIME_CLASS_COMMUNICATION], collectives->ns);
    const struct group *copies = &group[ACCOUNT_COPIES];
    tell_group(x, ACCOUNT_COPIES, "exposed copies", copies, step_ns[TIME_CLASS_COPIES],
               copies->ns);
}

/* --- what the host does --- */

/* How a sentence about the host begins, and what kind of part it is. */
struct host_words {
    enum account_kind kind;
    const char *begin;
};
static const struct host_words gpu_idle = {ACCOUNT_IDLE, "GPU idle, the host "};
static const struct host_words not_recorded = {ACCOUNT_UNRECORDED,
                                               "no GPU work is recorded, the host "};
static const struct host_words behind_graphs = {
    ACCOUNT_UNRECORDED,
    "no GPU work is recorded beside launched CUDA graphs (it may be theirs), the host "};
static const struct host_words no_device = {ACCOUNT_HOST, "the host "};

/* Of a wait: so much of it must pass without recorded work. Else it waited for that, and
 * came back late. */
#define UNRECORDED_MIN_FRAC 0.9

/* A host that waits for a device on which nothing runs, as far as is recorded, may wait
 * for work of before the recording. */
static struct host_words words_of_call(const struct accounting *x,
                                       const struct host_op *call,
                                       struct host_words words)
{
    bool waits = call->kind == SPAN_KIND_SYNC || call->kind == SPAN_KIND_WAIT;
    if (words.kind != ACCOUNT_IDLE || !waits ||
        stretch_sums_in(x->idle, call->begin_ns, call->end_ns) <
            UNRECORDED_MIN_FRAC * (double)host_op_ns(call))
        return words;
    return not_recorded;
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
                      struct host_words words)
{
    const struct call_node *n = &tree->node[node];
    words = words_of_call(x, n->call, words);
    struct account_part *p = add_part(x, words.kind, ns);
    if (!p)
        return;
    const char *name = run_name(x->e->run, n->name);
    const char *address = strstr(name, " object at 0x"); /* says nothing to anyone */
    snprintf(p->what, sizeof p->what, "%s%s%.*s%s", words.begin, words_for(n->call),
             address ? (int)(address - name) : (int)strlen(name), name,
             address ? ">" : "");
    snprintf(p->where, sizeof p->where, "%s", evidence_line(x->e, t, n->call));
}

/* Each of them is too short for a sentence, all together are not. */
static void tell_short_calls(struct accounting *x, double ns, struct host_words words)
{
    struct account_part *p = add_part(x, words.kind, ns);
    if (p)
        snprintf(p->what, sizeof p->what, "%sruns many short calls", words.begin);
}

/* Each call whose own time, or whose smaller parts together, are enough for a sentence.
 */
static void tell_tree(struct accounting *x, const struct host_thread *t,
                      const struct call_tree *tree, double of_step,
                      struct host_words words)
{
    double *rest_ns = mem_alloc((tree->n + 1) * sizeof *rest_ns);
    double outside_ns = fmax(0, tree->outside_ns) * of_step, told_ns = outside_ns;
    for (size_t i = 0; i < tree->n; i++)
        rest_ns[i] = tree->node[i].ns * of_step;
    for (size_t i = 0; i < tree->n; i++)
        if (tree->node[i].parent >= 0 && tree->node[i].ns * of_step >= x->least_ns)
            rest_ns[tree->node[i].parent] -= tree->node[i].ns * of_step;
    for (size_t i = 0; i < tree->n; i++)
        if (tree->node[i].ns * of_step >= x->least_ns && rest_ns[i] >= x->least_ns) {
            tell_node(x, t, tree, i, rest_ns[i], words);
            told_ns += rest_ns[i];
        }
    struct account_part *p = add_part(x, ACCOUNT_UNEXPLAINED, outside_ns);
    if (p)
        snprintf(p->what, sizeof p->what, "%s",
                 x->e->has_device ? "GPU idle, nothing recorded on the host"
                                  : "nothing recorded on the host");
    tell_short_calls(x, fmax(0, tree->all_ns * of_step - told_ns), words);
    mem_free(rest_ns);
}

/* ns: what the moments are of a step; t: NULL, none is recorded. */
static void tell_host(struct accounting *x, const struct host_thread *t,
                      const struct stretches *when, double ns, struct host_words words)
{
    struct call_tree tree = {0};
    if (t)
        call_tree_init(&tree, x->e, t, when);
    if (t && tree.all_ns > 0) {
        tell_tree(x, t, &tree, ns / tree.all_ns, words);
    } else {
        struct account_part *p = add_part(x, ACCOUNT_UNEXPLAINED, ns);
        if (p)
            snprintf(p->what, sizeof p->what, "%sthe recording has no host calls",
                     x->e->has_device ? "GPU idle, " : "");
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

/* idle: moments without device work, of which this is a part of a step for each ns. */
static void tell_threads(struct accounting *x, const struct stretches *idle,
                         double of_step, struct host_words words)
{
    struct idle_share *share = mem_alloc((x->e->n_threads + 1) * sizeof *share);
    size_t n = device_idle_share(share, x->e, idle);
    for (size_t i = 0; i < n; i++) {
        double ns = stretches_ns(&share[i].when) * of_step;
        if (ns > 0)
            tell_host(x, share[i].thread, &share[i].when, ns, words);
        stretches_release(&share[i].when);
    }
    mem_free(share);
}

static void tell_idle(struct accounting *x)
{
    const struct evidence *e = x->e;
    double ns = (double)e->rank->step_split.ns[TIME_CLASS_IDLE];
    if (ns < x->least_ns) {
        x->a->small_ns += ns;
        return;
    }
    struct stretches idle = device_idle(e, e->whatif.window.begin_ns, kept_until_ns(e));
    double all_ns = stretches_ns(&idle), of_step = all_ns > 0 ? ns / all_ns : 0;
    struct stretch_sums sums = stretch_sums_new(&idle);
    x->idle = &sums;
    struct stretches hidden = device_hidden(e), in = stretches_in(&idle, &hidden);
    struct stretches rest = stretches_without(&idle, &hidden);
    tell_threads(x, &in, of_step, behind_graphs);
    tell_threads(x, &rest, of_step, gpu_idle);
    x->idle = NULL;
    stretch_sums_release(&sums);
    stretches_release(&hidden);
    stretches_release(&in);
    stretches_release(&rest);
    stretches_release(&idle);
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

double account_ns(const struct account *a, enum account_kind kind)
{
    double ns = 0;
    for (size_t i = 0; i < a->n; i++)
        if (a->part[i].kind == kind)
            ns += a->part[i].ns;
    return ns;
}

void account_init(struct account *a, const struct evidence *e)
{
    *a = (struct account){.step_ns = e->step_ns};
    struct accounting x = {a, e, ACCOUNT_LEAST_FRAC * e->step_ns, NULL};
    if (!(e->step_ns > 0))
        return;
    if (e->has_device && e->rank->step_split.known) {
        tell_device(&x);
        tell_idle(&x);
    } else if (!e->has_device) {
        struct stretches all = {0};
        stretches_add(&all, e->whatif.window.begin_ns, e->whatif.window.end_ns);
        tell_host(&x, device_main_thread(e), &all, e->step_ns, no_device);
        stretches_release(&all);
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
