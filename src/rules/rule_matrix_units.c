/* Products in f32 on the ordinary multipliers of a device that has units for matrices. */
#include "analyze/kernel_kind.h"
#include "base/mem.h"
#include "price/evidence_text.h"
#include "price/price.h"
#include "rules/device_calls.h"
#include "rules/rule.h"

#include <stdio.h>

/* By name id: is it a product in f32 beside the matrix units? Names are few, kernels are
 * not. */
static uint8_t *plain_products(const struct run *run)
{
    uint8_t *plain = mem_zalloc(run->names.n + 1, 1);
    uint8_t *seen = mem_zalloc(run->names.n + 1, 1);
    for (size_t i = 0; i < run->spans.table.n; i++) {
        name_id id = run->spans.name[i];
        if (run->spans.kind[i] != SPAN_KIND_KERNEL || seen[id])
            continue;
        const char *name = run_name(run, id);
        seen[id] = 1;
        plain[id] = kernel_units_of(name) == KERNEL_UNITS_PLAIN &&
                    kernel_precision_of(name) == PRECISION_F32;
    }
    mem_free(seen);
    return plain;
}

void rule_tensor_cores_unused(const struct rule *rule, const struct evidence *e,
                              struct findings *f)
{
    enum { HELD_FRAC, LEAST_RATIO };
    const struct spans *s = &e->run->spans;
    const char *device = run_name(e->run, e->run->ranks.device[e->rank_row]);
    const struct device_peak *peak = device_peak_find(device);
    if (!peak || peak->f32 <= 0 ||
        peak->tf32 < rule->limit[LEAST_RATIO].value * peak->f32)
        return;
    double least = peak->f32 / peak->tf32; /* what would stay at the listed peaks */
    struct edit_list edits = {0};
    int64_t longest = -1, held_ns = 0;
    size_t kernels = 0;
    uint8_t *plain = plain_products(e->run);
    for (size_t i = 0; i < s->table.n; i++) {
        if (s->kind[i] != SPAN_KIND_KERNEL || !plain[s->name[i]] ||
            !device_work_in_window(e, (int64_t)i))
            continue;
        edit_list_work(&edits, (int64_t)i, (1 + least) / 2);
        held_ns += s->dur_ns[i];
        kernels++;
        if (longest < 0 || s->dur_ns[i] > s->dur_ns[longest])
            longest = (int64_t)i;
    }
    mem_free(plain);
    if (longest < 0 || (double)held_ns / (double)e->steps <
                           rule->limit[HELD_FRAC].value * e->traced_step_ns) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    double middle_ns = price_traced_gain_ns(e, &edits);
    edit_list_set_keep(&edits, least);
    double most_ns = price_traced_gain_ns(e, &edits);
    edit_list_set_keep(&edits, (1 + least) / 2);
    x->edits = edits;
    x->holds_ns = evidence_of_step_ns(e, (double)held_ns / (double)e->steps);
    x->price = PRICE_MODELLED;
    x->low_frac = 0;
    x->high_frac = middle_ns > 0 && most_ns > middle_ns ? most_ns / middle_ns : 1;
    snprintf(x->where, sizeof x->where, "%s",
             analysis_label(e->analysis, LANE_KIND_DEVICE, s->name[longest]));
    evidence_say(
        x,
        "{} a step in f32, beside the matrix units; with these the {} is listed "
        "with {} TFLOP/s instead of {}",
        quantity_plural("products_per_step", (double)kernels / (double)e->steps,
                        "product", "products"),
        quantity_words(device),
        quantity_number("tf32_peak_tflop_per_s", QUANTITY_TFLOP_PER_S, peak->tf32, 0),
        quantity_number("f32_peak_tflop_per_s", QUANTITY_TFLOP_PER_S, peak->f32, 1));
    snprintf(x->missing, sizeof x->missing,
             "how near the products come to either peak: small ones and those bound by "
             "memory gain less, down to nothing");
}
