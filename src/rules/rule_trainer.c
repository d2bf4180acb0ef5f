/* Switches of Gait's own trainer that cost time. */
#include "base/units.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/tried_setting.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of the gain that is replayed for products alone: docs/rules/trainer-bf16.md */
static const double PRECISION_GAIN_LOW = 0.7, PRECISION_GAIN_HIGH = 1.5;

static bool is_on(const struct evidence *e, const char *key)
{
    return run_fact(e->run, e->rank_row, key) > 0;
}

static bool is_off(const struct evidence *e, const char *key)
{
    return run_fact(e->run, e->rank_row, key) == 0;
}

static bool is_set_to(const struct evidence *e, const char *key, const char *value)
{
    return !strcmp(run_fact_text(e->run, e->rank_row, key), value);
}

typedef bool op_chosen_fn(const char *name);

/* Operators of the main thread in the window, a step. */
struct op_sum {
    double ns, flop;
    size_t n;
};

static struct op_sum sum_ops(const struct evidence *e, op_chosen_fn *chosen,
                             struct edit_list *edits)
{
    struct op_sum s = {0};
    if (e->main_thread == SIZE_MAX)
        return s;
    const struct host_thread *t = &e->threads[e->main_thread];
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if (op->kind != SPAN_KIND_OP || !chosen(evidence_name(e, op)))
            continue;
        s.ns += (double)host_op_ns(op) / (double)e->steps;
        s.flop += (double)e->run->spans.flop[op->span] / (double)e->steps;
        s.n++;
        if (edits)
            edit_list_host(edits, t->lane, op->begin_ns, op->end_ns, 1);
    }
    return s;
}

/* Edits shorten what they hold from now_ns to between least_ns and now_ns: half way is
 * told, and the interval is all of it. */
static void tell_half_way(struct finding *x, const struct evidence *e,
                          struct edit_list *edits, double now_ns, double least_ns)
{
    x->price = PRICE_MODELLED;
    x->edits = *edits;
    x->holds_ns = evidence_of_step_ns(e, now_ns);
    edit_list_set_keep(&x->edits, (1 + least_ns / now_ns) / 2);
    x->low_frac = 0;
    x->high_frac = 2;
}

/* Was it tried? Then that decides, and is told where it gains. */
static bool tell_as_tried(const struct rule *rule, const struct evidence *e,
                          struct findings *f)
{
    struct tried_setting t = tried_setting_of(e, rule->name);
    tried_setting_tell(&t, e, f, rule);
    return t.gain_frac.n > 0;
}

void rule_trainer_engine(const struct rule *rule, const struct evidence *e,
                         struct findings *f)
{
    tell_as_tried(rule, e, f);
}

/* --- attention --- */

static bool is_attention(const char *name)
{
    return !strcmp(name, "attention.forward") || !strcmp(name, "attention.backward");
}

void rule_trainer_plain_attention(const struct rule *rule, const struct evidence *e,
                                  struct findings *f)
{
    enum { SHARE_FRAC };
    struct edit_list edits = {0};
    double rate = run_fact(e->run, e->rank_row, "ceiling.f32_flop_per_s");
    if (!is_set_to(e, "config.attention", "plain") || tell_as_tried(rule, e, f))
        return;
    struct op_sum s = sum_ops(e, is_attention, &edits);
    double least_ns = rate > 0 ? s.flop / rate * 1e9 : 0;
    if (s.ns < rule->limit[SHARE_FRAC].value * e->traced_step_ns || least_ns >= s.ns) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    tell_half_way(x, e, &edits, s.ns, least_ns);
    snprintf(x->where, sizeof x->where, "attention: plain");
    evidence_say(x,
                 "all scores are kept; attention takes {} a step ({}), {} at the "
                 "rate that products reach",
                 quantity_time("attention_ms", s.ns),
                 quantity_percent("attention_frac", s.ns / e->traced_step_ns, 1),
                 quantity_time("least_ms", least_ns));
    snprintf(x->missing, sizeof x->missing, "what tiled attention takes with this shape");
}

/* --- products in parts --- */

/* The trainer calls them so whether they are one product or several. */
static bool is_qkv(const char *name)
{
    return !strncmp(name, "qkv.", 4);
}

static bool is_gate_up(const char *name)
{
    return !strncmp(name, "mlp_up.", 7);
}

static bool is_qkv_or_gate_up(const char *name)
{
    return is_qkv(name) || is_gate_up(name);
}

static bool is_down(const char *name)
{
    return !strncmp(name, "mlp_down.", 9);
}

void rule_trainer_unfused(const struct rule *rule, const struct evidence *e,
                          struct findings *f)
{
    enum { SHARE_FRAC };
    struct edit_list edits = {0};
    bool qkv = is_off(e, "config.fused_qkv");
    bool gate_up =
        is_off(e, "config.fused_gate_up") && is_set_to(e, "config.model", "llama");
    if ((!qkv && !gate_up) || tell_as_tried(rule, e, f))
        return;
    struct op_sum parts = sum_ops(e,
                                  qkv && gate_up ? is_qkv_or_gate_up
                                  : qkv          ? is_qkv
                                                 : is_gate_up,
                                  &edits);
    struct op_sum large = sum_ops(e, is_down, NULL);
    /* as fast as the largest products of this run */
    double least_ns = large.flop > 0 ? parts.flop * large.ns / large.flop : 0;
    if (!parts.n || parts.ns < rule->limit[SHARE_FRAC].value * e->traced_step_ns ||
        least_ns >= parts.ns) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    tell_half_way(x, e, &edits, parts.ns, least_ns);
    snprintf(x->where, sizeof x->where, "%s%s%s", qkv ? "fused_qkv: false" : "",
             qkv && gate_up ? ", " : "", gate_up ? "fused_gate_up: false" : "");
    evidence_say(x,
                 "products in parts take {} a step, {} at the rate of this run's "
                 "larger products",
                 quantity_time("products_ms", parts.ns),
                 quantity_time("least_ms", least_ns));
    snprintf(x->missing, sizeof x->missing, "what one product takes instead of several");
}

/* --- precision --- */

static double memory_of(const struct evidence *e, enum memory_class what)
{
    const struct memories *m = &e->run->memories;
    double most = NAN;
    for (size_t i = 0; i < m->table.n; i++)
        if (m->rank[i] == e->rank_row && m->what[i] == what)
            most = fmax(most, (double)m->bytes[i]);
    return most;
}

/* The linear layers of model/model.c; each has a product forward and two backward. */
static bool is_product(const char *name)
{
    static const char *const layers[] = {"qkv.", "attention_output.", "mlp_up.",
                                         "mlp_down.", "head."};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        if (!strncmp(name, layers[i], strlen(layers[i])))
            return true;
    return false;
}

/* A step in either precision, by what one linear's products were timed to take. */
struct precisions {
    double now_ns, instead_ns; /* of the linear */
    const char *now, *instead;
};

static void say_what_changes(const struct evidence *e, const struct precisions *p,
                             struct finding *x, const char *unknown)
{
    double activations = memory_of(e, MEMORY_CLASS_ACTIVATIONS);
    bool grows = isfinite(activations) && !strcmp(p->instead, "f32");
    snprintf(x->missing, sizeof x->missing, "%slosses change%s%s%s", unknown,
             grows ? ", activations take up to " : "",
             grows ? unit_bytes(activations).s : "", grows ? " more memory" : "");
}

/* All products are taken to keep the part that one linear's were timed to take. */
static void tell_by_linear(const struct rule *rule, const struct evidence *e,
                           struct findings *f, const struct precisions *p)
{
    enum { SHARE_FRAC, SLOWER_RATIO };
    struct edit_list edits = {0};
    if (!(p->instead_ns > 0) ||
        !(p->now_ns >= rule->limit[SLOWER_RATIO].value * p->instead_ns))
        return;
    struct op_sum s = sum_ops(e, is_product, &edits);
    if (s.ns < rule->limit[SHARE_FRAC].value * e->traced_step_ns) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_MODELLED;
    x->edits = edits;
    x->holds_ns = evidence_of_step_ns(e, s.ns);
    edit_list_set_keep(&x->edits, p->instead_ns / p->now_ns);
    x->low_frac = PRECISION_GAIN_LOW;
    x->high_frac = PRECISION_GAIN_HIGH;
    snprintf(x->where, sizeof x->where, "precision: %s", p->now);
    evidence_say(x,
                 "products take {} per step ({}) in {}; those of one linear were timed "
                 "on this machine: {} in {}, {} in {}",
                 quantity_time("products_ms", s.ns),
                 quantity_percent("products_frac", s.ns / e->traced_step_ns, 1),
                 quantity_words(p->now), quantity_time("linear_now_ms", p->now_ns),
                 quantity_words(p->now),
                 quantity_time("linear_instead_ms", p->instead_ns),
                 quantity_words(p->instead));
    say_what_changes(e, p, x, "linears of other shapes, and what else computes in it; ");
}

static void tell_precision(const struct rule *rule, const struct evidence *e,
                           struct findings *f, const struct precisions *p)
{
    if (!is_set_to(e, "config.precision", p->now))
        return;
    struct tried_setting t = tried_setting_of(e, rule->name);
    struct finding *x = tried_setting_tell(&t, e, f, rule);
    if (x)
        say_what_changes(e, p, x, "");
    else if (!t.gain_frac.n)
        tell_by_linear(rule, e, f, p);
}

static double timed_linear(const struct evidence *e, const char *key)
{
    return run_fact(e->run, e->rank_row, key);
}

void rule_trainer_f32(const struct rule *rule, const struct evidence *e,
                      struct findings *f)
{
    const struct precisions p = {timed_linear(e, "train.f32_products_ns"),
                                 timed_linear(e, "train.bf16_products_ns"), "f32",
                                 "bf16"};
    tell_precision(rule, e, f, &p);
}

void rule_trainer_bf16(const struct rule *rule, const struct evidence *e,
                       struct findings *f)
{
    const struct precisions p = {timed_linear(e, "train.bf16_products_ns"),
                                 timed_linear(e, "train.f32_products_ns"), "bf16", "f32"};
    tell_precision(rule, e, f, &p);
}

/* --- recomputation --- */

/* Forward operators in the backward phase are done again. */
static double again_ns(const struct evidence *e, struct edit_list *edits)
{
    const struct host_thread *t = &e->threads[e->main_thread];
    double ns = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        const char *name = evidence_name(e, op), *dot = strrchr(name, '.');
        bool forward = dot && (!strcmp(dot, ".forward") || !strcmp(dot, ".add"));
        if (op->kind != SPAN_KIND_OP || !forward || op->parent < 0 ||
            strcmp(evidence_name(e, &t->op[op->parent]), phase_text[PHASE_BACKWARD]))
            continue;
        ns += (double)host_op_ns(op) / (double)e->steps;
        edit_list_host(edits, t->lane, op->begin_ns, op->end_ns, 0);
    }
    return ns;
}

void rule_trainer_recompute(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    enum { SHARE_FRAC, FREE_FRAC };
    struct edit_list edits = {0};
    if (!is_on(e, "config.recompute") || e->main_thread == SIZE_MAX)
        return;
    /* at most, every layer would keep what one of them has now */
    double need = memory_of(e, MEMORY_CLASS_ACTIVATIONS) *
                  run_fact(e->run, e->rank_row, "config.layers");
    double available = run_fact(e->run, e->rank_row, "machine.memory_available_bytes");
    double ns = again_ns(e, &edits);
    if (!(need <= rule->limit[FREE_FRAC].value * available) ||
        ns < rule->limit[SHARE_FRAC].value * e->traced_step_ns) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_REPLAYED;
    x->edits = edits;
    x->holds_ns = evidence_of_step_ns(e, ns);
    snprintf(x->where, sizeof x->where, "recompute: true");
    evidence_say(x,
                 "forward operators are done again in the backward pass, {} a step; "
                 "without that at most {} of activations, {} are free",
                 quantity_time("recompute_ms", x->holds_ns),
                 quantity_bytes("activation_bytes", need),
                 quantity_bytes("free_bytes", available));
}
