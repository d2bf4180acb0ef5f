/* A step in which the host works for long before it launches anything, and the GPU has
 * nothing to do meanwhile: decoding, resizing, tokenizing on the main thread. Batches of
 * a DataLoader and calls that wait for the device have rules of their own. */
#include "base/mem.h"
#include "evidence/device_idle.h"
#include "price/evidence_text.h"
#include "price/price.h"
#include "rules/rule.h"
#include "run/name_sort.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a call that could be done ahead, at most so much has to stay where it is. */
static const double STAYS_MAX_FRAC = 0.1;

/* What is done before the first launch of a step, under one name. */
struct first_work {
    double ns, idle_ns; /* on the host; of that with an idle GPU */
    size_t steps;
    const struct host_op *longest;
};

/* --- a step --- */

/* Begin of the first launch in it; its end where there is none. */
static int64_t first_launch_ns(const struct evidence *e, int64_t begin_ns, int64_t end_ns)
{
    for (size_t k = 0; k < e->n_threads; k++) {
        size_t last, i = evidence_work(e, e->threads[k].lane, begin_ns, end_ns, &last);
        if (i < last && e->work[i].call_begin_ns < end_ns)
            end_ns = e->work[i].call_begin_ns;
    }
    return end_ns;
}

/* Frames and annotations of the program; operators alone do not say what they are for. */
static bool is_work(const struct host_op *op)
{
    return op->kind == SPAN_KIND_PYTHON || op->kind == SPAN_KIND_ANNOTATION;
}

/* What no worker could do ahead: the model and its optimizer, compiling, the profiler
 * itself, waiting for another thread or process. */
static bool name_stays(const char *name)
{
    static const char *const words[] = {
        "nn.Module: ",       "Optimizer.",       "DistributedDataParallel",
        "torch/_dynamo/",    "torch/_inductor/", "torch/profiler/",
        "method acquire of", "method wait",      "function sleep",
        "function select",   "method poll of",   "method recv",
        "Torch-Compiled",    "CompiledFunction",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static bool stays(const struct evidence *e, const struct host_op *op)
{
    return op->fetch || op->kind == SPAN_KIND_SYNC || op->kind == SPAN_KIND_WAIT ||
           op->kind == SPAN_KIND_COLLECTIVE ||
           (is_work(op) && name_stays(evidence_name(e, op)));
}

/* Of the call, what has to stay where it is. */
static int64_t staying_ns(const struct evidence *e, const struct host_thread *t,
                          size_t call)
{
    int64_t ns = 0, until_ns = t->op[call].begin_ns;
    for (size_t i = call; i < t->n && t->op[i].begin_ns < t->op[call].end_ns; i++) {
        const struct host_op *op = &t->op[i];
        if (op->begin_ns < until_ns || !stays(e, op))
            continue;
        ns += host_op_ns(op);
        until_ns = op->end_ns;
    }
    return ns;
}

/* The longest call of the main thread that begins and ends between these, and not in
 * another such call; NULL: there is none. */
static const struct host_op *longest_call(const struct evidence *e,
                                          const struct host_thread *t, int64_t begin_ns,
                                          int64_t end_ns)
{
    const struct host_op *longest = NULL;
    int64_t until_ns = begin_ns;
    for (size_t i = host_ops_before(t, begin_ns); i < t->n && t->op[i].begin_ns < end_ns;
         i++) {
        const struct host_op *op = &t->op[i];
        if (op->begin_ns < until_ns || op->end_ns > end_ns || !is_work(op) ||
            (longest && host_op_ns(op) <= host_op_ns(longest)))
            continue;
        if ((double)staying_ns(e, t, i) > STAYS_MAX_FRAC * (double)host_op_ns(op))
            continue;
        until_ns = op->end_ns;
        longest = op;
    }
    return longest;
}

/* --- all steps --- */

struct finder {
    const struct evidence *e;
    const struct host_thread *t;
    struct stretch_sums idle;
    double least_ns;
    struct first_work *work; /* (names) by name of the call */
    struct edit_list *edits; /* of the calls named `only`; NULL: they are counted */
    name_id only;
};

static void look_at(struct finder *f, int64_t begin_ns, int64_t end_ns)
{
    const struct host_op *op =
        longest_call(f->e, f->t, begin_ns, first_launch_ns(f->e, begin_ns, end_ns));
    if (!op || (double)host_op_ns(op) < f->least_ns)
        return;
    name_id name = f->e->run->spans.name[op->span];
    if (f->edits) {
        if (name == f->only)
            evidence_edit_range(f->e, f->edits, f->t->lane, op->begin_ns, op->end_ns, 0);
        return;
    }
    struct first_work *w = &f->work[name];
    w->ns += (double)host_op_ns(op);
    w->idle_ns += stretch_sums_in(&f->idle, op->begin_ns, op->end_ns);
    w->steps++;
    if (!w->longest || host_op_ns(op) > host_op_ns(w->longest))
        w->longest = op;
}

static void for_each_step(struct finder *f)
{
    const struct steps *s = &f->e->run->steps;
    const struct whatif_window *w = &f->e->whatif.window;
    for (size_t i = 0; i < s->table.n; i++)
        if (s->rank[i] == f->e->rank_row && s->begin_ns[i] >= w->begin_ns &&
            s->end_ns[i] <= w->end_ns)
            look_at(f, s->begin_ns[i], s->end_ns[i]);
}

/* The name under which the GPU idles longest; its name id in *name. */
static const struct first_work *most_of(const struct finder *f, name_id *name)
{
    const struct first_work *most = NULL;
    for (size_t i = 0; i < f->e->run->names.n; i++)
        if (f->work[i].steps && (!most || f->work[i].idle_ns > most->idle_ns)) {
            most = &f->work[i];
            *name = (name_id)i;
        }
    return most;
}

/* Done beside the step instead of in it. One worker that does it all the time is done no
 * sooner than that takes: the least. */
static void set_price(struct finder *f, const struct first_work *w, struct finding *x)
{
    const struct evidence *e = f->e;
    f->edits = &x->edits;
    for_each_step(f);
    double gain_ns = price_traced_gain_ns(e, &x->edits);
    double alone_ns = e->traced_step_ns - w->ns / (double)e->steps;
    x->price = PRICE_REPLAYED;
    x->low_frac = gain_ns > 0 ? fmax(0, fmin(1, alone_ns / gain_ns)) : 1;
    snprintf(x->missing, sizeof x->missing,
             "whether this work can be done ahead of its step, and the cores that the "
             "workers take");
}

static void tell(const struct evidence *e, const struct host_thread *t,
                 const struct first_work *w, struct finding *x)
{
    const char *name = evidence_name(e, w->longest);
    const char *line = evidence_line(e, t, w->longest);
    bool own = name_sort(name, strlen(name)) == NAME_SORT_LINE || !*line;
    snprintf(x->where, sizeof x->where, "%s%s%s", name, own ? "" : ", ", own ? "" : line);
    x->holds_ns = evidence_of_step_ns(e, w->idle_ns / (double)e->steps);
    evidence_say(
        x,
        "the host spends {} of a step here before it launches any GPU work; the "
        "GPU is idle for {} of it",
        quantity_time("host_ms", evidence_of_step_ns(e, w->ns / (double)e->steps)),
        quantity_percent("idle_frac", w->ns > 0 ? w->idle_ns / w->ns : 0, 0));
}

void rule_host_work_first(const struct rule *rule, const struct evidence *e,
                          struct findings *f)
{
    enum { IDLE_FRAC, STEPS_FRAC, LEAST_NS };
    if (e->main_thread == SIZE_MAX || !e->n_work)
        return;
    struct finder x = {.e = e,
                       .t = &e->threads[e->main_thread],
                       .least_ns = rule->limit[LEAST_NS].value,
                       .work = mem_zalloc(e->run->names.n + 1, sizeof *x.work)};
    struct stretches idle =
        device_idle(e, e->whatif.window.begin_ns, e->whatif.window.end_ns);
    x.idle = stretch_sums_new(&idle);
    for_each_step(&x);
    const struct first_work *most = most_of(&x, &x.only);
    if (most && (double)most->steps >= rule->limit[STEPS_FRAC].value * (double)e->steps &&
        most->idle_ns / (double)e->steps >=
            rule->limit[IDLE_FRAC].value * e->traced_step_ns) {
        struct finding *told = findings_add(f, rule);
        tell(e, x.t, most, told);
        set_price(&x, most, told);
    }
    stretch_sums_release(&x.idle);
    stretches_release(&idle);
    mem_free(x.work);
}
