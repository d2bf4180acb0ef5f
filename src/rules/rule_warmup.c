/* Steps at the beginning that are far longer than the others: an average over all steps
 * is not what a step takes. */
#include "base/mem.h"
#include "base/stats.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "rules/rule.h"

#include <stdio.h>

void rule_warmup_in_average(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    enum { LONG_RATIO, STEPS_MIN };
    const struct steps *s = &e->run->steps;
    if (e->untraced)
        return; /* the recorder warmed up, and the median of untraced steps is told */
    double *ms = mem_alloc((s->table.n + 1) * sizeof *ms);
    size_t n = 0, warm = 0;
    for (size_t i = 0; i < s->table.n; i++)
        if (s->rank[i] == e->rank_row)
            ms[n++] = (double)(s->end_ns[i] - s->begin_ns[i]) / 1e6;
    double all_ms = n ? stats_mean(ms, n) : 0;
    double median_ms = n ? stats_median(ms, n) : 0;
    while (warm < n && ms[warm] > rule->limit[LONG_RATIO].value * median_ms)
        warm++;
    if (warm && (double)(n - warm) >= rule->limit[STEPS_MIN].value) {
        double rest_ms = stats_mean(ms + warm, n - warm);
        struct finding *x = findings_add(f, rule);
        x->price = PRICE_INTERVAL;
        x->apart = true;
        x->holds_ns = (all_ms - rest_ms) * 1e6;
        x->direct_gain_ns = x->holds_ns;
        if (warm > 1)
            snprintf(x->where, sizeof x->where, "the first %zu of %zu steps", warm, n);
        else
            snprintf(x->where, sizeof x->where, "the first of %zu steps", n);
        evidence_say(
            x,
            "{} times as long as the median; the mean of all is {} ms, of the rest "
            "{} ms: the gain is of that mean",
            quantity_digits("warmup_ratio", QUANTITY_RATIO,
                            stats_mean(ms, warm) / median_ms, 3),
            quantity_digits("mean_ms", QUANTITY_MS, all_ms, 4),
            quantity_digits("mean_without_warmup_ms", QUANTITY_MS, rest_ms, 4));
        evidence_beside(x, quantity_whole("long_steps", (double)warm),
                        quantity_whole("steps", (double)n));
    }
    mem_free(ms);
}
