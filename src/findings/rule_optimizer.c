/* An optimizer that goes over its parameters one by one, several passes each. */
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/price.h"
#include "findings/replaced.h"

#include "base/mem.h"

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
}

/* Has PyTorch this optimizer in one pass? On the host only some of them. */
static bool has_other_form(const struct evidence *e, const char *mark)
{
    static const char *const fused[] = {"Adam.", "AdamW.", "SGD.", "Adagrad."};
    static const char *const foreach[] = {"Adadelta.", "Adamax.",  "ASGD.", "NAdam.",
                                          "RAdam.",    "RMSprop.", "Rprop."};
    const char *name = strchr(mark, '#') + 1;
    for (size_t i = 0; i < sizeof fused / sizeof *fused; i++)
        if (!strncmp(name, fused[i], strlen(fused[i])))
            return true;
    for (size_t i = 0; i < sizeof foreach / sizeof *foreach; i++)
        if (!strncmp(name, foreach[i], strlen(foreach[i])))
            return e->has_device;
    return false;
}

struct optimizer_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *mark; /* the longest */
    double ns, longest_ns;
    size_t ops;
    bool others; /* some steps of optimizers are fine */
};

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
        look_at(e, t, mark, &outer, &s);
        if (s.fused || (double)s.ops < rule->limit[LEAST_OPS] ||
            !has_other_form(e, evidence_name(e, mark))) {
            sum->others = true;
            continue;
        }
        evidence_edit_range(e, &sum->edits, t->lane, mark->begin_ns, mark->end_ns, 1);
        sum->ops += s.ops;
        /* without a device the host's time between the calls goes too */
        sum->ns += e->has_device ? s.ns : (double)host_op_ns(mark);
        sum->longest_ns += s.longest_ns;
        if (!sum->mark || host_op_ns(mark) > host_op_ns(sum->mark)) {
            sum->mark = mark;
            sum->thread = t;
        }
    }
}

static void set_model(struct finding *x, const struct optimizer_sum *sum)
{
    double least = sum->longest_ns / sum->ns, keep = FUSED_PASSES * least;
    keep = keep < 1 ? keep : 1;
    double most = FUSED_PASSES_MOST * least < 1 ? FUSED_PASSES_MOST * least : 1;
    edit_list_set_keep(&x->edits, keep);
    x->price = PRICE_MODELLED;
    if (keep < 1) {
        x->low_frac = (1 - most) / (1 - keep);
        x->high_frac = (1 - least) / (1 - keep);
    }
    snprintf(x->missing, sizeof x->missing,
             "the fused optimizer's own time: taken as %.0f of the loop's longest pass",
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
    snprintf(x->evidence, sizeof x->evidence,
             "%.0f operators a step in the optimizer, one parameter each, none fused; "
             "%.1f %% of a step",
             (double)sum.ops / (double)e->steps, 100 * price_share(e, &x->edits));
    if (!replaced_as_measured(e, x, sum.others ? NULL : "optimizer"))
        set_model(x, &sum);
}
