/* Time in which the step waits for its batch, with and without workers. */
#include "evidence/repeated.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/statements.h"
#include "rules/fetches.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns the part of fetching that stays. */
static double tell_price(struct finding *x, const struct evidence *e,
                         const struct fetches *f)
{
    double keep = fetches_price(x, e, f);
    snprintf(x->where, sizeof x->where, "%s", evidence_name(e, f->longest));
    statements_place_part(e, SAMPLE_PART_INPUT, x);
    snprintf(
        x->missing, sizeof x->missing, "%s",
        keep == 0 ? "what worker processes take from the host's cores"
        : isnan(f->computing_frac)
            ? "how much of the fetch computes: all cores are busy with operators, and "
              "a worker would share them"
            : "what a worker's computing takes from operators that keep all cores "
              "busy");
    return keep;
}

enum { FETCHING_FRAC, COMPUTING_FRAC, MEMORY_FRAC };

static void tell_fetch(struct finding *x, const struct fetches *f)
{
    evidence_say(x, "{} of a step goes into fetching its batch{}; nothing loads ahead",
                 quantity_percent("fetching_frac", f->share_frac, 1),
                 quantity_words(isnan(f->timed_ns) ? "" : " (timed without the tracer)"));
    if (isnan(f->computing_frac))
        return;
    bool all = f->computing_frac >= 0.995; /* else a rest of 0 % would wait */
    struct quantity computing =
        quantity_share("computing_of_fetching_frac", f->computing_frac);
    if (all)
        computing.words = "all";
    evidence_say(x, "; {} of that computes{}", computing,
                 quantity_words(all ? "" : ", the rest waits"));
}

/* Where workers would compete for busy cores, and items are the same whenever they are
 * made, making them once is the better fix. What waits, a worker waits for as well. */
static bool better_prepared(const struct rule *rule, const struct fetches *f,
                            const struct items *items, double workers_keep)
{
    return items->same && f->computing_frac >= rule->limit[COMPUTING_FRAC].value &&
           f->stacking_frac < workers_keep &&
           items->count * items->bytes <=
               rule->limit[MEMORY_FRAC].value * items->free_bytes;
}

static void tell_prepared(struct finding *x, const struct fetches *f,
                          const struct items *items)
{
    fetches_price_prepared(x, f);
    x->fix = rule_other_fix(x->rule);
    evidence_say(
        x,
        ". Workers would compete for cores that operators keep busy, but items are "
        "made without random numbers, and all {} of them, {} each, fit the free "
        "memory: prepared once, they leave {} of a fetch, which puts the batch "
        "together",
        quantity_group("items", items->count), quantity_bytes("item_bytes", items->bytes),
        quantity_share("stacking_of_fetching_frac", f->stacking_frac));
    snprintf(x->missing, sizeof x->missing,
             "preparing itself, once: it pays where items come again, in this training "
             "or the next");
}

void rule_input_bound(const struct rule *rule, const struct evidence *e,
                      struct findings *f)
{
    struct fetches fetches = fetches_find(e);
    /* collate-work is asked before: the same time under a name that says more */
    if (!fetches.longest || fetches.workers || findings_have(f, "collate-work") ||
        fetches.share_frac < rule->limit[FETCHING_FRAC].value) {
        edit_list_release(&fetches.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    struct items items = fetches_items(e);
    double keep = tell_price(x, e, &fetches);
    tell_fetch(x, &fetches);
    if (better_prepared(rule, &fetches, &items, keep))
        tell_prepared(x, &fetches, &items);
}

/* What the steps that begin an epoch take more than others, where workers are started
 * anew. */
static bool tell_epochs(const struct rule *rule, const struct evidence *e,
                        struct findings *f)
{
    enum { WAITING_FRAC, STEPS_FRAC };
    struct repeated r = repeated_in_series(e, TIMING_KIND_EPOCH);
    double a_step_ns = r.one_ns / r.interval;
    if (r.hits < 2 || (double)r.hits > rule->limit[STEPS_FRAC].value * (double)r.steps ||
        isnan(a_step_ns) || a_step_ns < rule->limit[WAITING_FRAC].value * e->step_ns)
        return false;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_INTERVAL;
    x->holds_ns = x->direct_gain_ns = a_step_ns;
    x->holds_timed = true;
    x->low_frac = 0.5; /* docs/rules/prefetch-short.md */
    x->fix = rule_other_fix(rule);
    statements_place_part(e, SAMPLE_PART_INPUT, x);
    evidence_say(
        x,
        "a new epoch takes {} more than other steps, {}, of which {} is spent on "
        "starting the DataLoader's workers anew: {} of all time",
        quantity_time("more_ms", r.one_ns), quantity_every("interval_steps", r.interval),
        quantity_time("starting_ms", r.cost_ns),
        quantity_percent("time_frac", a_step_ns / e->step_ns, 1));
    snprintf(x->missing, sizeof x->missing,
             "what the first batches of an epoch wait for in any case");
    return true;
}

void rule_prefetch_short(const struct rule *rule, const struct evidence *e,
                         struct findings *f)
{
    enum { WAITING_FRAC };
    if (tell_epochs(rule, e, f))
        return;
    struct fetches fetches = fetches_find(e);
    if (!fetches.longest || !fetches.workers ||
        fetches.share_frac < rule->limit[WAITING_FRAC].value) {
        edit_list_release(&fetches.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    tell_price(x, e, &fetches);
    evidence_say(
        x, "workers load ahead, and still {} of a step waits for them{}",
        quantity_percent("waiting_frac", fetches.share_frac, 1),
        quantity_words(isnan(fetches.timed_ns) ? "" : " (timed without the tracer)"));
    snprintf(x->missing, sizeof x->missing,
             "whether the workers compute or wait, and which cores more of them would "
             "have");
}
