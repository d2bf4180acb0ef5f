/*
 * Predicted figures as text: a step after a change, with its interval, and how well the
 * replay that they come from gives the measured steps back.
 */
#include "base/text_fit.h"
#include "base/units.h"
#include "price/price_text.h"
#include "report/view_parts.h"

#include <limits.h>
#include <math.h>

const char *view_told(struct view *v, const char *s)
{
    return text_clean(&v->arena, s, INT_MAX);
}

const char *view_step_ms(struct view *v, double ns)
{
    return price_step_ms(&v->arena, ns);
}

const char *view_part_ms(struct view *v, double step_ns, double ns)
{
    return price_part_ms(&v->arena, step_ns, ns);
}

const char *view_change(struct view *v, double step_ns, double gain_ns)
{
    return price_change(&v->arena, step_ns, gain_ns);
}

const char *view_predicted(struct view *v, double step_ns, double gain_ns)
{
    return price_predicted(&v->arena, step_ns, gain_ns);
}

const char *view_interval(struct view *v, double step_ns, const struct gain *g)
{
    return price_interval(&v->arena, step_ns, g);
}

const char *view_interval_words(struct view *v, double step_ns, const struct gain *g)
{
    return price_interval_words(&v->arena, step_ns, g);
}

static const double LEAST_UNEXPLAINED_FRAC = 0.005; /* what rounds to 1 % */

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
