/* An optimizer that goes over its parameters one by one, several passes each. */
#include "evidence/outer_ops.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/price.h"
#include "price/replaced.h"
#include "rules/own_optimizer.h"
#include "rules/rule.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* docs/rules/optimizer-unfused.md: a fused pass moves about twice what the longest of the
 * loop's passes moves; one to three times are thought possible. */
static const double FUSED_PASSES = 2, FUSED_PASSES_MOST = 3;

/* What one call of Optimizer.step does. */
struct optimizer_step {
    size_t ops;        /* calls that work, one parameter each */
    bool fused;        /* all parameters in one call */
    double ns;         /* of those calls */
    double *ns_of;     /* (names) by operator; the caller's, zeroed before and after */
    double longest_ns; /* of all calls of one operator together */
    size_t first, end; /* its outer ops */
};

static bool is_fused(const struct evidence *e, const char *name)
{
    if (!strncmp(name, "aten::_fused_", 13))
        return true;
    /* without a device foreach is a loop over the parameters too */
    return e->has_device && !strncmp(name, "aten::_foreach_", 15);
}

static void look_at(const struct evidence *e, const struct host_thread *t,
                    const struct host_op *mark, size_t *outer, struct optimizer_step *s)
{
    size_t first = *outer;
    for (; *outer < t->n_outer && outer_op_at(t, *outer)->begin_ns < mark->end_ns;
         ++*outer) {
        const struct host_op *op = outer_op_at(t, *outer);
        if (op->begin_ns < mark->begin_ns) {
            first = *outer + 1;
            continue;
        }
        s->fused = s->fused || is_fused(e, evidence_name(e, op));
        if (outer_op_sort(e, op) & OP_SORT_VIEW)
            continue;
        name_id name = e->run->spans.name[op->span];
        s->ops++;
        s->ns_of[name] += outer_op_ns(e, t, op);
    }
    for (size_t i = first; i < *outer; i++) {
        double *ns = &s->ns_of[e->run->spans.name[outer_op_at(t, i)->span]];
        s->ns += *ns;
        s->longest_ns = *ns > s->longest_ns ? *ns : s->longest_ns;
        *ns = 0;
    }
    s->first = first;
    s->end = *outer;
}

static bool is_one_of(const char *name, const char *const *classes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(name, classes[i], strlen(classes[i])))
            return true;
    return false;
}

#define IS_ONE_OF(name, list) is_one_of(name, list, sizeof list / sizeof *list)

/* Has PyTorch this optimizer in one pass? On the host only some of its own; of a job's
 * own class its passes tell. */
static bool has_other_form(const struct evidence *e, const struct host_thread *t,
                           const struct host_op *mark, const struct optimizer_step *s,
                           struct own_optimizer *own)
{
    static const char *const fused[] = {"Adam.", "AdamW.", "SGD.", "Adagrad."};
    static const char *const foreach[] = {"Adadelta.", "Adamax.",  "ASGD.", "NAdam.",
                                          "RAdam.",    "RMSprop.", "Rprop."};
    static const char *const single[] = {"Adafactor.", "LBFGS.", "Muon.", "SparseAdam."};
    const char *name = strchr(evidence_name(e, mark), '#') + 1;
    *own = (struct own_optimizer){0};
    if (IS_ONE_OF(name, fused))
        return true;
    if (IS_ONE_OF(name, foreach) || IS_ONE_OF(name, single))
        return e->has_device && IS_ONE_OF(name, foreach);
    *own = own_optimizer_of(e, t, s->first, s->end, s->ns_of);
    return own->nearest != NULL;
}

struct optimizer_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *mark; /* the longest */
    const char *nearest;        /* of a class of the job's own; NULL: PyTorch's */
    double ns, least_ns, fused_ns, most_ns;
    size_t ops;
    bool others; /* some steps of optimizers are fine */
};

/* What the fused pass would take, modelled. */
static void add_fused(struct optimizer_sum *sum, const struct optimizer_step *s,
                      const struct own_optimizer *own)
{
    if (own->nearest) {
        sum->least_ns += own->keep_least * s->ns;
        sum->fused_ns += own->keep * s->ns;
        sum->most_ns += own->keep_most * s->ns;
    } else {
        sum->least_ns += s->longest_ns;
        sum->fused_ns += FUSED_PASSES * s->longest_ns;
        sum->most_ns += FUSED_PASSES_MOST * s->longest_ns;
    }
}

static void add_thread(const struct rule *rule, const struct evidence *e,
                       const struct host_thread *t, double *ns_of,
                       struct optimizer_sum *sum)
{
    enum { LEAST_OPS };
    size_t outer = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *mark = &t->op[i];
        if (!outer_ops_is_mark(evidence_name(e, mark), OP_PLACE_OPTIMIZER))
            continue;
        struct optimizer_step s = {.ns_of = ns_of};
        struct own_optimizer own;
        look_at(e, t, mark, &outer, &s);
        if (s.fused || (double)s.ops < rule->limit[LEAST_OPS].value ||
            !has_other_form(e, t, mark, &s, &own)) {
            sum->others = true;
            continue;
        }
        evidence_edit_range(e, &sum->edits, t->lane, mark->begin_ns, mark->end_ns, 1);
        sum->ops += s.ops;
        /* without a device the host's time between the calls goes too */
        sum->ns += e->has_device ? s.ns : (double)host_op_ns(mark);
        add_fused(sum, &s, &own);
        if (!sum->mark || host_op_ns(mark) > host_op_ns(sum->mark)) {
            sum->mark = mark;
            sum->nearest = own.nearest;
            sum->thread = t;
        }
    }
}

static double part_of(double ns, double all_ns)
{
    return ns < all_ns ? ns / all_ns : 1;
}

static void set_model(struct finding *x, const struct optimizer_sum *sum)
{
    double least = part_of(sum->least_ns, sum->ns), most = part_of(sum->most_ns, sum->ns);
    double keep = part_of(sum->fused_ns, sum->ns);
    edit_list_set_keep(&x->edits, keep);
    x->price = PRICE_MODELLED;
    if (keep < 1) {
        x->low_frac = (1 - most) / (1 - keep);
        x->high_frac = (1 - least) / (1 - keep);
    }
    if (sum->nearest)
        snprintf(x->missing, sizeof x->missing,
                 "the fused optimizer's own time: taken by what it moves, at the loop's "
                 "rate");
    else
        snprintf(x->missing, sizeof x->missing,
                 "the fused optimizer's own time: taken as %.0f of the loop's longest "
                 "pass",
                 FUSED_PASSES);
}

void rule_optimizer_unfused(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    struct optimizer_sum sum = {0};
    double *ns_of = mem_zalloc(e->run->names.n + 1, sizeof *ns_of);
    for (size_t k = 0; k < e->n_threads; k++)
        add_thread(rule, e, &e->threads[k], ns_of, &sum);
    mem_free(ns_of);
    if (!sum.mark || sum.ns <= 0) {
        edit_list_release(&sum.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = sum.edits;
    const char *line = evidence_line(e, sum.thread, sum.mark);
    snprintf(x->where, sizeof x->where, "%s%s%s", evidence_name(e, sum.mark),
             *line ? ", " : "", line);
    double traced_share = price_share(e, &x->edits);
    if (!replaced_as_measured(
            e, x, sum.others ? NAN : evidence_timing_median(e, TIMING_KIND_OPTIMIZER)))
        set_model(x, &sum);
    evidence_say(
        x,
        "{} operators a step in the optimizer, one parameter each, none fused{}{}; "
        "{} of a step",
        quantity_whole("operators_per_step", (double)sum.ops / (double)e->steps),
        quantity_words(sum.nearest ? "; by its passes it is nearest to torch.optim."
                                   : ""),
        quantity_words(sum.nearest ? sum.nearest : ""),
        quantity_percent("held_frac",
                         x->holds_timed ? x->holds_ns / e->step_ns : traced_share, 1));
    double timed_ns = evidence_timing_median(e, TIMING_KIND_OPTIMIZER);
    if (!x->holds_timed && !sum.others && !e->has_device && !isnan(timed_ns))
        evidence_say(x, "; timed without the tracer: {}",
                     quantity_time("timed_ms", timed_ns));
}
