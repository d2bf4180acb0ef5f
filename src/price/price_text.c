#include "price/price_text.h"

#include "base/strbuf.h"
#include "base/units.h"

#include <math.h>
#include <stdarg.h>

static const double LEAST_LEFT_FRAC = 0.005; /* of a step, what reads as nothing */

const char *price_printf(struct arena *a, const char *fmt, ...)
{
    struct strbuf text;
    va_list args;
    strbuf_init(&text);
    va_start(args, fmt);
    strbuf_vprintf(&text, fmt, args);
    va_end(args);
    const char *kept = arena_strndup(a, text.s, text.len);
    strbuf_release(&text);
    return kept;
}

static int step_decimals(double ns)
{
    double ms = fabs(ns) / 1e6;
    return ms >= 10 ? 1 : ms >= 1 ? 2 : 3;
}

const char *price_step_ms(struct arena *a, double ns)
{
    return price_part_ms(a, ns, ns);
}

const char *price_part_ms(struct arena *a, double step_ns, double ns)
{
    return price_printf(a, "%s ms", unit_number(ns / 1e6, step_decimals(step_ns)).s);
}

const char *price_change(struct arena *a, double step_ns, double gain_ns)
{
    double percent = step_ns > 0 ? 100 * gain_ns / step_ns : NAN;
    if (!isfinite(percent))
        return "N/A";
    return price_printf(a, "%s %%",
                        unit_signed(-percent, fabs(percent) < 9.95 ? 1 : 0).s);
}

const char *price_predicted(struct arena *a, double step_ns, double gain_ns)
{
    return price_printf(a, "%s (%s)", price_part_ms(a, step_ns, step_ns - gain_ns),
                        price_change(a, step_ns, gain_ns));
}

/* A gain that may be none has no upper end that says more than the step as it is; one
 * that may be the whole step no lower end. */
bool gain_may_be_none(const struct gain *g)
{
    return g->ns > 0 && g->low_ns <= 0;
}

static bool may_be_all(double step_ns, const struct gain *g)
{
    return g->high_ns > (1 - LEAST_LEFT_FRAC) * step_ns;
}

const char *price_interval(struct arena *a, double step_ns, const struct gain *g)
{
    const char *low = price_part_ms(a, step_ns, step_ns - g->high_ns);
    const char *high = price_part_ms(a, step_ns, fmax(0, step_ns - g->low_ns));
    if (gain_may_be_none(g))
        return may_be_all(step_ns, g) ? "any gain, or none"
                                      : price_printf(a, "at least %s", low);
    if (may_be_all(step_ns, g))
        return price_printf(a, "up to %s", high);
    return price_printf(
        a, "%s to %s",
        unit_number((step_ns - g->high_ns) / 1e6, step_decimals(step_ns)).s, high);
}

const char *price_interval_words(struct arena *a, double step_ns, const struct gain *g)
{
    bool ends = gain_may_be_none(g) || may_be_all(step_ns, g);
    return price_printf(
        a, "90 %%%s%s%s", ends ? ": " : " within ", price_interval(a, step_ns, g),
        gain_may_be_none(g) && !may_be_all(step_ns, g) ? ", perhaps no gain" : "");
}

const char *price_apart_ms(struct arena *a, double step_ns, const struct finding *x,
                           double gain_ns)
{
    double samples = x->samples > 0 ? x->samples : 1, ns = gain_ns > 0 ? gain_ns : 0;
    return price_part_ms(a, step_ns / samples, ns / samples);
}

const char *price_apart(struct arena *a, double step_ns, const struct finding *x)
{
    return price_printf(a, "%s less %s", price_apart_ms(a, step_ns, x, x->gain_ns),
                        x->samples > 0 ? "per sample" : "outside the step");
}

const char *price_told(struct arena *a, double step_ns, const struct finding *x)
{
    const struct gain gain = {x->gain_ns, x->gain_low_ns, x->gain_high_ns};
    if (x->unpriced)
        return price_printf(a, "not predicted: %s", x->doubt);
    if (x->apart && gain_may_be_none(&gain))
        return price_printf(a, "%s, 90 %%: up to %s", price_apart(a, step_ns, x),
                            price_apart_ms(a, step_ns, x, gain.high_ns));
    if (x->apart)
        return price_printf(a, "%s, 90 %% within %s and %s", price_apart(a, step_ns, x),
                            price_apart_ms(a, step_ns, x, gain.low_ns),
                            price_apart_ms(a, step_ns, x, gain.high_ns));
    return price_printf(a, "%s, %s", price_predicted(a, step_ns, x->gain_ns),
                        price_interval_words(a, step_ns, &gain));
}
