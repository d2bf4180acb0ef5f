/* Products in float32 where a lower precision is to be had. */
#include "evidence/outer_ops.h"
#include "evidence/product_types.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/price.h"
#include "price/replaced.h"
#include "rules/device_calls.h"
#include "rules/rule.h"

#include "analyze/efficiency.h"

#include <math.h>
#include <stdio.h>

/* Of the products' work, by type of the factors; NAN where nothing is counted. */
static double counted_frac(const struct evidence *e)
{
    static const char *const lower[] = {"work.flop.bf16", "work.flop.f16",
                                        "work.flop.f8"};
    double f32 = run_fact(e->run, e->rank_row, "work.flop.f32"), all = f32;
    if (isnan(f32))
        f32 = all = 0;
    for (size_t i = 0; i < sizeof lower / sizeof *lower; i++) {
        double flop = run_fact(e->run, e->rank_row, lower[i]);
        all += isnan(flop) ? 0 : flop;
    }
    return all > 0 ? f32 / all : NAN;
}

/* Of the time of the products' kernels, by their names; 0: there are none. */
static double named_frac(const struct evidence *e)
{
    struct product_types p = product_types_of(e);
    return e->has_device && p.all_ns > 0 ? p.ns[PRECISION_F32] / p.all_ns : 0;
}

/* Does the device multiply lower precision faster, and did it not do so already? */
static bool device_has_faster(const struct evidence *e)
{
    struct efficiency eff;
    efficiency_of(&eff, e->analysis, (size_t)(e->rank - e->analysis->ranks), NULL);
    bool tf32 = eff.f32_is_tf32;
    const struct device_peak *peak =
        device_peak_find(run_name(e->run, e->run->ranks.device[e->rank_row]));
    if (!peak || tf32)
        return false;
    double f32 = device_peak_flop_per_s(peak, PRECISION_F32);
    return device_peak_flop_per_s(peak, PRECISION_BF16) > f32 ||
           device_peak_flop_per_s(peak, PRECISION_F16) > f32;
}

/* bfloat16 on the host and on devices that are faster in it, float16 on older ones. */
static bool device_has_bf16(const struct evidence *e)
{
    const struct device_peak *peak =
        device_peak_find(run_name(e->run, e->run->ranks.device[e->rank_row]));
    return !peak || device_peak_flop_per_s(peak, PRECISION_BF16) >
                        device_peak_flop_per_s(peak, PRECISION_F32);
}

static void edit_products(const struct evidence *e, struct edit_list *edits)
{
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n_outer; i++) {
            const struct host_op *op = outer_op_at(t, i);
            if (t->outer[i].place == OP_PLACE_CODE &&
                (outer_op_sort(e, op) & OP_SORT_PRODUCT))
                evidence_edit_op(e, edits, t, op, 1, true);
        }
    }
    size_t left = 0; /* the host's part stays as it is */
    for (size_t i = 0; i < edits->n; i++)
        if (edits->edit[i].kind == EDIT_WORK)
            edits->edit[left++] = edits->edit[i];
    edits->n = left;
}

static void edit_kernels(const struct evidence *e, struct edit_list *edits)
{
    const struct spans *s = &e->run->spans;
    for (size_t i = 0; i < s->table.n; i++)
        if (s->kind[i] == SPAN_KIND_KERNEL && device_work_in_window(e, (int64_t)i) &&
            product_is_f32(run_name(e->run, s->name[i])))
            edit_list_work(edits, (int64_t)i, 1);
}

static bool set_model(const struct rule *rule, const struct evidence *e, double f32,
                      bool counted, struct finding *x)
{
    enum { F32_FRAC, PRODUCTS_FRAC };
    if (f32 < rule->limit[F32_FRAC].value || !e->has_device || !device_has_faster(e))
        return false;
    edit_list_release(&x->edits);
    if (counted)
        edit_products(e, &x->edits);
    else
        edit_kernels(e, &x->edits);
    if (price_share(e, &x->edits) < rule->limit[PRODUCTS_FRAC].value)
        return false;
    edit_list_set_keep(&x->edits, 0.5); /* half the bytes: docs/rules/precision-f32.md */
    x->price = PRICE_MODELLED;
    x->low_frac = 0.2;
    x->high_frac = 1.7;
    snprintf(x->missing, sizeof x->missing,
             "the products' own time in %s: taken as half, as their bytes are",
             device_has_bf16(e) ? "bfloat16" : "float16");
    return true;
}

void rule_precision_f32(const struct rule *rule, const struct evidence *e,
                        struct findings *f)
{
    enum { F32_FRAC, PRODUCTS_FRAC, MEASURED_FRAC };
    double f32 = counted_frac(e);
    bool counted = isfinite(f32);
    if (!counted)
        f32 = named_frac(e);
    if (f32 < rule->limit[MEASURED_FRAC].value)
        return;
    struct finding *x = findings_add(f, rule);
    replaced_edit_model(e, &x->edits);
    if (!replaced_as_measured(e, x, NAN) && !set_model(rule, e, f32, counted, x)) {
        edit_list_release(&x->edits);
        f->n--;
        return;
    }
    if (!device_has_bf16(e))
        x->fix = rule_other_fix(rule);
    snprintf(x->where, sizeof x->where, "the model's forward and backward pass");
    evidence_say(x, "{} of the {} of products is in float32{}",
                 quantity_percent("float32_frac", f32, 0),
                 quantity_words(counted ? "work" : "kernel time"),
                 quantity_words(counted ? "" : ", as the kernels' names say"));
}
