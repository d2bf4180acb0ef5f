/* Products in float32 where a lower precision is to be had. */
#include "findings/evidence_text.h"
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/price.h"
#include "findings/replaced.h"

#include "analyze/efficiency.h"

#include <math.h>
#include <stdio.h>

/* Of the products' work, by type of the factors; 0 where nothing is known. */
static double f32_frac(const struct evidence *e)
{
    static const char *const lower[] = {"work.flop.bf16", "work.flop.f16",
                                        "work.flop.f8"};
    double f32 = run_fact(e->run, e->rank_row, "work.flop.f32"), all = f32;
    if (isnan(f32))
        return 0;
    for (size_t i = 0; i < sizeof lower / sizeof *lower; i++) {
        double flop = run_fact(e->run, e->rank_row, lower[i]);
        all += isnan(flop) ? 0 : flop;
    }
    return all > 0 ? f32 / all : 0;
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

static bool set_model(const struct rule *rule, const struct evidence *e, double f32,
                      struct finding *x)
{
    enum { F32_FRAC, PRODUCTS_FRAC };
    if (f32 < rule->limit[F32_FRAC].value || !e->has_device || !device_has_faster(e))
        return false;
    edit_list_release(&x->edits);
    edit_products(e, &x->edits);
    if (price_share(e, &x->edits) < rule->limit[PRODUCTS_FRAC].value)
        return false;
    edit_list_set_keep(&x->edits, 0.5); /* half the bytes: docs/rules/precision-f32.md */
    x->price = PRICE_MODELLED;
    x->low_frac = 0.2;
    x->high_frac = 1.7;
    snprintf(x->missing, sizeof x->missing,
             "the products' own time in bfloat16: taken as half, as their bytes are");
    return true;
}

void rule_precision_f32(const struct rule *rule, const struct evidence *e,
                        struct findings *f)
{
    enum { F32_FRAC, PRODUCTS_FRAC, MEASURED_FRAC };
    double f32 = f32_frac(e);
    if (f32 < rule->limit[MEASURED_FRAC].value)
        return;
    struct finding *x = findings_add(f, rule);
    replaced_edit_model(e, &x->edits);
    if (!replaced_as_measured(e, x, NAN) && !set_model(rule, e, f32, x)) {
        edit_list_release(&x->edits);
        f->n--;
        return;
    }
    snprintf(x->where, sizeof x->where, "the model's forward and backward pass");
    evidence_say(x, "{} of the work of products is in float32",
                 quantity_percent("float32_frac", f32, 0));
}
