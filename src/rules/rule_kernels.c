/* A GPU that spends its time in elementwise, copy and reduction kernels of eager PyTorch:
 * each goes over memory once more, where one fused kernel would go over it once. */
#include "analyze/device_peaks.h"
#include "base/mem.h"
#include "evidence/code_place.h"
#include "price/evidence_text.h"
#include "price/price.h"
#include "rules/kernel_chains.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>

/* Of what the chains hold: the bytes of so much must be known. Without shapes nothing
 * says that kernels in a row go over the same numbers. */
static const double KNOWN_MIN_FRAC = 0.5;

/* A pass of less may find its numbers in the cache, and tells no bandwidth of memory. */
static const double BANDWIDTH_MIN_BYTES = 16e6;

enum { GROUPS_TOLD = 3 };

/* --- bandwidth --- */

/* The highest that a pass of this recording reached, in bytes per ns; 0: no pass is large
 * enough to tell. What is above the listed one came from a cache, or from several kernels
 * of one operator. */
static double best_bandwidth(const struct evidence *e, const struct kernel_chains *c)
{
    const struct device_peak *peak =
        device_peak_find(run_name(e->run, e->run->ranks.device[e->rank_row]));
    double best = 0, listed = peak ? device_peak_bytes_per_s(peak) / 1e9 : 0;
    for (size_t i = 0; i < c->n_passes; i++) {
        const struct kernel_pass *p = &c->pass[i];
        double ns = (double)e->run->spans.dur_ns[p->span];
        double of_pass = p->bytes >= BANDWIDTH_MIN_BYTES && ns > 0 ? p->bytes / ns : 0;
        if (!(listed > 0 && of_pass > listed))
            best = fmax(best, of_pass);
    }
    return best;
}

/* --- price --- */

/* Of each chain stays what its longest pass takes; or, at this bandwidth (0: none), what
 * the bytes of its largest pass take: a fused kernel moves no less. */
static void edit_kernels(const struct kernel_chains *c, double bandwidth,
                         struct edit_list *edits)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct kernel_chain *chain = &c->chain[i];
        double stays_ns = chain->longest_ns;
        if (bandwidth > 0 && chain->most_bytes > 0)
            stays_ns = fmin(stays_ns, chain->most_bytes / bandwidth);
        for (size_t k = 0; k < chain->n && chain->ns > 0; k++)
            edit_list_work(edits, c->pass[chain->first + k].span, stays_ns / chain->ns);
    }
}

/* The operator that launched it; NULL: none is recorded. */
static const struct host_op *operator_of(const struct kernel_pass *p)
{
    return p->call && p->call->op_parent >= 0 ? &p->thread->op[p->call->op_parent] : NULL;
}

/* The host launches one kernel instead of n: of the operators that launch them alone, as
 * much stays as one takes. Python between them stays. */
static void edit_operators(const struct kernel_chains *c, struct edit_list *edits)
{
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->chain[i].n; k++) {
            const struct kernel_pass *p = &c->pass[c->chain[i].first + k];
            const struct host_op *op = operator_of(p);
            if (!op)
                continue;
            edit_list_dispatch(edits, p->thread->lane, op->begin_ns, op->end_ns,
                               1 / (double)c->chain[i].n);
        }
}

/* Of the host, in these operators. */
static double operators_ns(const struct kernel_chains *c)
{
    double ns = 0;
    const struct host_op *last = NULL; /* one operator may launch several kernels */
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->chain[i].n; k++) {
            const struct kernel_pass *p = &c->pass[c->chain[i].first + k];
            const struct host_op *op = operator_of(p);
            if (!op)
                continue;
            ns += op == last ? 0 : (double)host_op_ns(op);
            last = op;
        }
    return ns;
}

static double gain_of(const struct evidence *e, const struct kernel_chains *c,
                      double bandwidth, bool operators)
{
    struct edit_list edits = {0};
    edit_kernels(c, bandwidth, &edits);
    if (operators)
        edit_operators(c, &edits);
    double ns = price_traced_gain_ns(e, &edits);
    edit_list_release(&edits);
    return ns;
}

static void set_price(const struct evidence *e, const struct kernel_chains *c,
                      double bandwidth, struct finding *x)
{
    edit_kernels(c, 0, &x->edits);
    edit_operators(c, &x->edits);
    double gain_ns = price_traced_gain_ns(e, &x->edits);
    double most_ns = gain_of(e, c, bandwidth, true);
    double device_ns = gain_of(e, c, 0, false);
    x->price = PRICE_MODELLED;
    /* docs/rules/kernels-unfused.md */
    x->low_frac = gain_ns > 0 ? fmin(1, device_ns / gain_ns) / 2 : 0;
    x->high_frac = gain_ns > 0 && most_ns > gain_ns ? most_ns / gain_ns : 1;
    snprintf(x->missing, sizeof x->missing,
             "Python between the operators, which compiling removes too; what compiling "
             "takes at the start");
}

/* --- what is said --- */

/* Passes in chains by the place in the program that launched them; without such a place
 * by kernel. */
struct group {
    double ns;
    const struct kernel_pass *longest; /* NULL: there is none, or it was told */
};

static bool has_place(const struct kernel_pass *p)
{
    return p->call && code_place_known(p->call);
}

static name_id group_key(const struct evidence *e, const struct kernel_pass *p)
{
    return has_place(p) ? code_place_key(e, p->thread, p->call)
                        : e->run->spans.name[p->span];
}

/* (names) by key. The caller frees it. */
static struct group *group_passes(const struct evidence *e, const struct kernel_chains *c)
{
    const int64_t *dur_ns = e->run->spans.dur_ns;
    struct group *group = mem_zalloc(e->run->names.n + 1, sizeof *group);
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->chain[i].n; k++) {
            const struct kernel_pass *p = &c->pass[c->chain[i].first + k];
            struct group *g = &group[group_key(e, p)];
            g->ns += (double)dur_ns[p->span];
            if (!g->longest || dur_ns[p->span] > dur_ns[g->longest->span])
                g->longest = p;
        }
    return group;
}

/* The one that holds most; NULL: none is left. */
static struct group *largest(const struct evidence *e, struct group *group)
{
    struct group *most = NULL;
    for (size_t i = 0; i < e->run->names.n; i++)
        if (group[i].longest && (!most || group[i].ns > most->ns))
            most = &group[i];
    return most;
}

static void tell_group(struct finding *x, const struct evidence *e, const struct group *g,
                       int i)
{
    static const char *const name[GROUPS_TOLD] = {"first_ms", "second_ms", "third_ms"};
    const struct kernel_pass *p = g->longest;
    const char *label =
        analysis_label(e->analysis, LANE_KIND_DEVICE, e->run->spans.name[p->span]);
    char place[PLACE_NAME_MAX];
    if (has_place(p))
        code_place_name(place, sizeof place, e, p->thread, p->call);
    else
        snprintf(place, sizeof place, "%s", label);
    if (!i && has_place(p))
        code_place_where(x->where, sizeof x->where, e, p->thread, p->call);
    else if (!i)
        snprintf(x->where, sizeof x->where, "%s", label);
    evidence_say(
        x, "{}{} ({})", quantity_words(i ? ", " : ""), quantity_words(place),
        quantity_time(name[i], evidence_of_step_ns(e, g->ns / (double)e->steps)));
}

static void tell_groups(struct finding *x, const struct evidence *e,
                        const struct kernel_chains *c)
{
    struct group *group = group_passes(e, c), *most;
    for (int i = 0; i < GROUPS_TOLD && (most = largest(e, group)); i++) {
        tell_group(x, e, most, i);
        most->longest = NULL;
    }
    mem_free(group);
}

static void tell(struct finding *x, const struct evidence *e,
                 const struct kernel_chains *c, double bandwidth)
{
    size_t kernels = 0;
    for (size_t i = 0; i < c->n; i++)
        kernels += c->chain[i].n;
    evidence_say(x,
                 "unfused elementwise, copy, reduction and normalization kernels take {} "
                 "of the GPU's kernel time; per step, {} run in {}, each of which one "
                 "fused kernel could replace. Largest: ",
                 quantity_percent("unfused_frac", c->passes_ns / c->kernels_ns, 0),
                 quantity_plural("chained_kernels_per_step",
                                 (double)kernels / (double)e->steps, "kernel", "kernels"),
                 quantity_plural("chains_per_step", (double)c->n / (double)e->steps,
                                 "chain", "chains"));
    tell_groups(x, e, c);
    if (bandwidth > 0 && !x->unpriced)
        evidence_say(x, ". The fastest of them moves {}",
                     quantity_rate("best_bytes_per_s", 1e9 * bandwidth));
}

void rule_kernels_unfused(const struct rule *rule, const struct evidence *e,
                          struct findings *f)
{
    enum { LEAST_PASSES, HELD_FRAC, UNFUSED_FRAC };
    struct kernel_chains c;
    double now_ns, instead_ns, ns = 0, known_ns = 0;
    if (evidence_replacement(e, "elementwise-chain", &now_ns, &instead_ns))
        return; /* the recorder measured the other way: that rule tells it */
    kernel_chains_init(&c, e, (size_t)rule->limit[LEAST_PASSES].value);
    for (size_t i = 0; i < c.n; i++) {
        ns += c.chain[i].ns;
        known_ns += c.chain[i].known_ns;
    }
    if (c.n &&
        ns / (double)e->steps >= rule->limit[HELD_FRAC].value * e->traced_step_ns &&
        c.passes_ns >= rule->limit[UNFUSED_FRAC].value * c.kernels_ns) {
        struct finding *x = findings_add(f, rule);
        double bandwidth = best_bandwidth(e, &c);
        /* of the GPU, or of a host that takes longer: the price shortens both */
        x->holds_ns =
            evidence_of_step_ns(e, fmax(ns, operators_ns(&c)) / (double)e->steps);
        x->price = PRICE_MODELLED;
        if (known_ns >= KNOWN_MIN_FRAC * ns)
            set_price(e, &c, bandwidth, x);
        else
            finding_withhold_price(x, "without input shapes (record_shapes=True) nothing "
                                      "says how much a fused kernel would have to move");
        tell(x, e, &c, bandwidth);
    }
    kernel_chains_release(&c);
}
