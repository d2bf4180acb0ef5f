#include "price/price_figures.h"

#include <math.h>

double price_ratio(const struct findings *f, double gain_ns)
{
    return f->step_ns > 0 ? price_at_least_0(f->step_ns - gain_ns) / f->step_ns : NAN;
}

struct price_figures price_figures(const struct findings *f, const struct gain *g,
                                   double step_ns, double frac)
{
    return (struct price_figures){
        .gain_ns = g->ns,
        .step_ns = price_at_least_0(step_ns - g->ns),
        .low_ns = price_at_least_0(step_ns - g->high_ns),
        .high_ns = price_at_least_0(step_ns - g->low_ns),
        .ratio = frac * price_ratio(f, g->ns),
        .ratio_low = frac * price_ratio(f, g->high_ns),
        .ratio_high = frac * price_ratio(f, g->low_ns),
        .ceiling_ns = NAN,
    };
}

struct price_figures price_figures_of(const struct findings *f, const struct finding *x)
{
    double step_ns = x->apart || x->unpriced ? NAN : f->step_ns;
    double frac = (x->apart && !(x->samples > 0)) || x->unpriced ? NAN : 1;
    double told = x->unpriced ? NAN : 1;
    struct gain g = {told * x->gain_ns, told * x->gain_low_ns, told * x->gain_high_ns};
    struct price_figures p = price_figures(f, &g, step_ns, frac);
    p.ceiling_ns = price_at_least_0(step_ns - x->ceiling_ns);
    return p;
}
