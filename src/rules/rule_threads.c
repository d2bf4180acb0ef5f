/* Too few threads for the cores, or more than there are: PyTorch's and the trainer's. */
#include "base/mem.h"
#include "base/units.h"
#include "evidence/host_cores.h"
#include "evidence/outer_ops.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/replaced.h"
#include "price/tried_setting.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a step, operators that are long enough to be split among threads: what each takes
 * without those that it calls, where that is at least least_ns. */
static double split_frac(const struct evidence *e, double least_ns)
{
    double ns = 0;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        double *own_ns = mem_zalloc(t->n + 1, sizeof *own_ns);
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            if (op->kind != SPAN_KIND_OP)
                continue;
            own_ns[i] += (double)host_op_ns(op);
            if (op->op_parent >= 0)
                own_ns[op->op_parent] -= (double)host_op_ns(op);
        }
        for (size_t i = 0; i < t->n; i++)
            ns += own_ns[i] >= least_ns ? own_ns[i] : 0;
        mem_free(own_ns);
    }
    return fmin(1, ns / (double)e->steps / e->traced_step_ns);
}

/* What is not the model, for which alone the other number of threads was measured: the
 * optimizer, the loss, clipping. Operators long enough to be split keep the same part. */
static void edit_rest(const struct evidence *e, struct finding *x, double least_ns)
{
    double now_ns, instead_ns;
    if (!evidence_replacement(e, x->rule->name, &now_ns, &instead_ns) || now_ns <= 0)
        return;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n_outer; i++) {
            const struct host_op *op = outer_op_at(t, i);
            if (!replaced_is_models(e, t, i) && (double)host_op_ns(op) >= least_ns)
                evidence_edit_op(e, &x->edits, t, op, fmin(1, instead_ns / now_ns),
                                 false);
        }
    }
}

/* what: "cores" or "CPUs", for so many of them. */
static const char *noun(const char *what, double n)
{
    return n != 1 ? what : !strcmp(what, "cores") ? "core" : "CPU";
}

/* most_frac: of the step, the most that may be gained; the least is nothing. Where the
 * recorder ran the model with the other number of threads, that counts. */
static struct finding *tell(const struct rule *rule, const struct evidence *e,
                            struct findings *f, const struct host_cores *c, double share,
                            const char *what, double most_frac, double split_min_ns)
{
    struct finding *x = findings_add(f, rule);
    replaced_edit_model(e, &x->edits);
    if (replaced_as_measured(e, x, NAN)) {
        edit_rest(e, x, split_min_ns);
    } else {
        edit_list_release(&x->edits);
        x->price = PRICE_MODELLED;
        x->direct_gain_ns = most_frac * e->step_ns / 2;
        x->low_frac = 0;
        x->high_frac = 2;
    }
    snprintf(x->where, sizeof x->where, "%s, %.3g %s%s",
             unit_plural(c->threads, "thread", "threads").s, share, noun(what, share),
             c->neighbours > 1 ? " a process" : "");
    return x;
}

static void find_few(const struct rule *rule, const struct evidence *e,
                     struct findings *f, double used_frac, double split_min_ns)
{
    struct host_cores c = host_cores(e);
    /* CPUs do not count: a second thread of a core that is busy gains little */
    if (isnan(c.threads) || isnan(c.cores) || c.threads >= c.cores ||
        c.threads > used_frac * c.cores)
        return;
    double split = split_frac(e, split_min_ns);
    double most = split * (1 - c.threads / c.cores);
    struct finding *x = tell(rule, e, f, &c, c.cores, "cores", most, split_min_ns);
    x->holds_ns = split * e->step_ns;
    evidence_say(x,
                 "operators use {} of {} cores; {} of a step is operators that more "
                 "threads could share",
                 quantity_whole("threads", c.threads),
                 quantity_digits("cores", QUANTITY_COUNT, c.cores, 3),
                 quantity_percent("shared_frac", split, 0));
    if (x->price == PRICE_MODELLED)
        snprintf(x->missing, sizeof x->missing,
                 "how these operators scale: products nearly in full, what memory bounds "
                 "hardly");
}

static void find_many(const struct rule *rule, const struct evidence *e,
                      struct findings *f, double over_ratio, double split_min_ns)
{
    struct host_cores c = host_cores(e);
    /* as many as CPUs run at once, also where two of them are one core */
    if (isnan(c.threads) || isnan(c.cpus) || c.threads < over_ratio * c.cpus)
        return;
    double split = split_frac(e, split_min_ns);
    /* at worst each thread waits for all others that share its CPU */
    double most = split * (1 - c.cpus / c.threads);
    const char *what = c.cpus <= c.cores ? "cores" : "CPUs";
    struct finding *x = tell(rule, e, f, &c, c.cpus, what, most, split_min_ns);
    x->holds_ns = split * e->step_ns;
    evidence_say(x,
                 "operators use {} threads on {} {} and wait in turns: {} of a "
                 "step is operators that threads share",
                 quantity_whole("threads", c.threads),
                 quantity_digits("cpus", QUANTITY_COUNT, c.cpus, 3),
                 quantity_words(noun(what, c.cpus)),
                 quantity_percent("shared_frac", split, 0));
    if (x->price == PRICE_MODELLED)
        snprintf(x->missing, sizeof x->missing,
                 "how long threads wait for each other at the end of each operator");
}

void rule_threads_few(const struct rule *rule, const struct evidence *e,
                      struct findings *f)
{
    enum { USED_FRAC, SPLIT_MIN_NS };
    find_few(rule, e, f, rule->limit[USED_FRAC].value, rule->limit[SPLIT_MIN_NS].value);
}

void rule_threads_oversubscribed(const struct rule *rule, const struct evidence *e,
                                 struct findings *f)
{
    enum { OVER_RATIO, SPLIT_MIN_NS };
    find_many(rule, e, f, rule->limit[OVER_RATIO].value, rule->limit[SPLIT_MIN_NS].value);
}

/* Either way: the cure is the same line. Where the trainer tried it, that decides. */
void rule_trainer_threads(const struct rule *rule, const struct evidence *e,
                          struct findings *f)
{
    enum { USED_FRAC, OVER_RATIO, SPLIT_MIN_NS };
    struct tried_setting t = tried_setting_of(e, rule->name);
    struct finding *x = tried_setting_tell(&t, e, f, rule);
    if (x)
        x->own_fix = (struct rule_fix){.rule = rule->name, .gait = t.instead};
    if (t.gain_frac.n)
        return;
    find_few(rule, e, f, rule->limit[USED_FRAC].value, rule->limit[SPLIT_MIN_NS].value);
    find_many(rule, e, f, rule->limit[OVER_RATIO].value, rule->limit[SPLIT_MIN_NS].value);
}
