#include "price/confidence.h"

#include "base/units.h"
#include "price/finding.h"

#include <stdio.h>

#define CONFIDENCE_TEXT(v, text) text,
const char *const confidence_text[CONFIDENCE_COUNT] = {CONFIDENCE_LIST(CONFIDENCE_TEXT)};

/* docs/findings.md: of the replayed window, what no edge explains */
#define UNEXPLAINED_NO_PRICE_FRAC 0.2
#define UNEXPLAINED_LOW_FRAC 0.1
#define UNEXPLAINED_MEDIUM_FRAC 0.02
/* of all edges, those that are inferred */
#define INFERRED_MEDIUM_FRAC 0.1
/* what clocks of ranks disagree by, of what they wait */
#define SKEW_MEDIUM_FRAC 0.25

double confidence_unexplained_frac(const struct evidence *e)
{
    double span_ns = (double)replay_span_ns(e->replay, NULL);
    double all_ns = span_ns * (double)e->run->ranks.table.n;
    return all_ns > 0 ? (double)e->replay->tally.unexplained_ns / all_ns : 0;
}

static double inferred_frac(const struct evidence *e)
{
    size_t all = 0;
    for (int k = 0; k < GRAPH_EDGE_COUNT; k++)
        all += e->replay->tally.edges[k];
    return all ? (double)findings_inferred(&e->replay->tally) / (double)all : 0;
}

/* What ranks waited is told by their clocks. */
static double skew_frac(const struct finding *x, const struct evidence *e)
{
    const struct rank_clocks *c = &e->analysis->job.clocks;
    if (x->price != PRICE_WAITS || x->gain_ns <= 0 || x->holds_timed)
        return 0;
    return (double)c->skew_median_ns / x->gain_ns;
}

static void lower_by(struct finding *x, enum confidence to, const char *why,
                     struct quantity number)
{
    if (to <= x->confidence)
        return;
    x->confidence = to;
    x->doubt_number = number;
    snprintf(x->doubt, sizeof x->doubt, "%s", why);
}

static void lower(struct finding *x, enum confidence to, const char *why)
{
    lower_by(x, to, why, (struct quantity){0});
}

static void withhold(struct finding *x)
{
    x->unpriced = true;
    x->gain_ns = x->gain_low_ns = x->gain_high_ns = x->ceiling_ns = 0;
}

void finding_withhold_price(struct finding *x, const char *why)
{
    snprintf(x->doubt, sizeof x->doubt, "%s", why);
    x->unpriced = true;
}

static void judge_replay(struct finding *x, const struct evidence *e)
{
    char why[FINDING_TEXT_MAX];
    double frac = confidence_unexplained_frac(e);
    snprintf(why, sizeof why, "no recorded edge explains %s of what was replayed",
             unit_percent(frac).s);
    if (frac > UNEXPLAINED_NO_PRICE_FRAC)
        withhold(x);
    struct quantity unexplained = quantity_share("unexplained_frac", frac);
    if (frac > UNEXPLAINED_LOW_FRAC)
        lower_by(x, CONFIDENCE_LOW, why, unexplained);
    else if (frac > UNEXPLAINED_MEDIUM_FRAC)
        lower_by(x, CONFIDENCE_MEDIUM, why, unexplained);
    frac = inferred_frac(e);
    snprintf(why, sizeof why, "%s of the edges are inferred, not recorded",
             unit_percent(frac).s);
    if (frac > INFERRED_MEDIUM_FRAC)
        lower_by(x, CONFIDENCE_MEDIUM, why, quantity_share("inferred_frac", frac));
}

static void judge_clocks(struct finding *x, const struct evidence *e)
{
    char why[FINDING_TEXT_MAX];
    double frac = skew_frac(x, e);
    snprintf(why, sizeof why, "the clocks of the ranks disagree by %s",
             unit_ns(e->analysis->job.clocks.skew_median_ns).s);
    if (frac > SKEW_MEDIUM_FRAC)
        lower_by(
            x, frac >= 1 ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM, why,
            quantity_time("skew_ms", (double)e->analysis->job.clocks.skew_median_ns));
    if (frac >= 1)
        withhold(x);
}

/* However good the ground is: what one step shows may be that step's alone, and a gain
 * that may be none is not sure. */
static void judge_reach(struct finding *x, const struct evidence *e)
{
    if (e->steps < 2 && !e->untraced)
        lower(x, CONFIDENCE_MEDIUM,
              e->whatif.window.steps ? "one step is all that is kept"
                                     : "there are no steps to compare");
    if (x->gain_low_ns <= 0)
        lower(x, CONFIDENCE_MEDIUM, "its interval reaches no gain");
}

void confidence_set(struct finding *x, const struct evidence *e)
{
    if (x->unpriced) { /* its rule said why */
        x->confidence = CONFIDENCE_LOW;
        withhold(x);
        return;
    }
    x->confidence = CONFIDENCE_HIGH;
    snprintf(x->doubt, sizeof x->doubt, "%s", price_text[x->price]);
    judge_clocks(x, e);
    if (x->price != PRICE_INTERVAL && x->price != PRICE_WAITS &&
        x->price != PRICE_SAMPLED && x->price != PRICE_RUN)
        judge_replay(x, e);
    if (x->price == PRICE_MODELLED)
        lower(x, x->low_frac <= 0 ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM,
              x->low_frac <= 0
                  ? "the replacement's cost is estimated; it may gain nothing"
                  : price_text[x->price]);
    else if (x->low_frac < 0.5)
        lower(x, CONFIDENCE_MEDIUM, "part of the replacement's cost is not known");
    if (x->reads_unseen)
        lower(x, CONFIDENCE_MEDIUM,
              "what reads results outside of operators, as .numpy(), is not seen");
    judge_reach(x, e);
}
