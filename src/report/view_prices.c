/*
 * Predicted figures as text: a step after a change, with its interval, and how well the
 * replay that they come from gives the measured steps back.
 */
#include "base/units.h"
#include "report/text_fit.h"
#include "report/view_parts.h"

#include <limits.h>
#include <math.h>

const char *view_told(struct view *v, const char *s)
{
    return text_clean(&v->arena, s, INT_MAX);
}

static int step_decimals(double ns)
{
    double ms = fabs(ns) / 1e6;
    return ms >= 10 ? 1 : ms >= 1 ? 2 : 3;
}

const char *view_step_ms(struct view *v, double ns)
{
    return view_printf(v, "%s ms", view_number(v, ns / 1e6, step_decimals(ns)));
}

/* With as many digits as the step, so that a column of them lines up. */
const char *view_part_ms(struct view *v, double step_ns, double ns)
{
    return view_printf(v, "%s ms", view_number(v, ns / 1e6, step_decimals(step_ns)));
}

const char *view_change(struct view *v, double step_ns, double gain_ns)
{
    double percent = step_ns > 0 ? 100 * gain_ns / step_ns : NAN;
    if (!isfinite(percent))
        return "N/A";
    return view_printf(v, "%s %%", unit_signed(-percent, fabs(percent) < 9.95 ? 1 : 0).s);
}

const char *view_predicted(struct view *v, double step_ns, double gain_ns)
{
    return view_printf(v, "%s (%s)", view_part_ms(v, step_ns, step_ns - gain_ns),
                       view_change(v, step_ns, gain_ns));
}

static const double LEAST_UNEXPLAINED_FRAC = 0.005; /* what rounds to 1 % */
static const double LEAST_LEFT_FRAC = 0.005;        /* of a step, what reads as nothing */

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

const char *view_interval(struct view *v, double step_ns, const struct gain *g)
{
    const char *low = view_part_ms(v, step_ns, step_ns - g->high_ns);
    const char *high = view_part_ms(v, step_ns, fmax(0, step_ns - g->low_ns));
    if (gain_may_be_none(g))
        return may_be_all(step_ns, g) ? "any gain, or none"
                                      : view_printf(v, "at least %s", low);
    if (may_be_all(step_ns, g))
        return view_printf(v, "up to %s", high);
    return view_printf(
        v, "%s to %s",
        view_number(v, (step_ns - g->high_ns) / 1e6, step_decimals(step_ns)), high);
}

const char *view_interval_words(struct view *v, double step_ns, const struct gain *g)
{
    bool ends = gain_may_be_none(g) || may_be_all(step_ns, g);
    return view_printf(
        v, "90 %%%s%s%s", ends ? ": " : " within ", view_interval(v, step_ns, g),
        gain_may_be_none(g) && !may_be_all(step_ns, g) ? ", perhaps no gain" : "");
}

/* What the replay is off by says nothing of a cause: it is told where it is much. */
static const double LEAST_REPLAY_ERROR_FRAC = 0.01;

const char *view_replay_doubt(struct view *v, const struct findings *f)
{
    if (fabs(f->replay_error_frac) < LEAST_REPLAY_ERROR_FRAC &&
        f->unexplained_frac <= LEAST_UNEXPLAINED_FRAC)
        return "";
    const char *of = f->window_steps > 1
                         ? view_printf(v, "the %zu kept steps come out", f->window_steps)
                     : f->window_steps ? "the kept step comes out"
                                       : "what is kept comes out";
    const char *unexplained = f->unexplained_frac > LEAST_UNEXPLAINED_FRAC
                                  ? view_printf(v, ", and %s of the time is unexplained",
                                                unit_percent(f->unexplained_frac).s)
                                  : "";
    return view_printf(v, "; replayed unchanged, %s %.1f %% off%s", of,
                       100 * fabs(f->replay_error_frac), unexplained);
}
