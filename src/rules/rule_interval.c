/* Work that comes every few steps and would do less often: evaluation, checkpoints. */
#include "evidence/repeated.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "rules/rule.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool holds(const char *name, const char *word)
{
    for (; *name; name++) {
        size_t i = 0;
        while (word[i] && tolower((unsigned char)name[i]) == word[i])
            i++;
        if (!word[i])
            return true;
    }
    return false;
}

/* "train.py(31): evaluate": the function; else the whole name. */
static const char *function_of(const char *name)
{
    const char *colon = strstr(name, ".py(") ? strrchr(name, ':') : NULL;
    return colon ? colon + 1 : name;
}

static bool is_evaluation(const char *name)
{
    const char *f = function_of(name);
    return !strstr(name, "nn.Module: ") && !holds(f, "evaluate_function") &&
           (holds(f, "evaluate") || holds(f, "validate") || holds(f, "validation"));
}

static bool is_saving(const char *name)
{
    const char *f = function_of(name);
    return (strstr(name, "serialization.py(") && holds(f, "save")) ||
           holds(f, "torch.save") || holds(f, "save_checkpoint");
}

struct subject {
    enum timing_kind what;
    repeated_name_fn *is_it; /* in the window */
    const char *told;
    double most_frac; /* of the steps: what comes more often is a part of the step */
};

static void tell_text(struct finding *x, const struct repeated *r,
                      const struct subject *s, double step_ns)
{
    evidence_say(x, "{} takes {}, {}: {} of all time; priced for every {}",
                 quantity_words(s->told), quantity_time("cost_ms", r->cost_ns),
                 quantity_every("interval_steps", r->interval),
                 quantity_percent("time_frac", r->one_ns / r->interval / step_ns, 1),
                 quantity_digits("priced_interval_steps", QUANTITY_COUNT,
                                 REPEATED_RARER * r->interval, 3));
    if (r->more_ns > 0)
        evidence_say(x, " (it is in {} of {} untraced steps: {} more than without)",
                     quantity_whole("steps_with_it", (double)r->hits),
                     quantity_whole("untraced_steps", (double)r->steps),
                     quantity_time("more_ms", r->more_ns));
}

/* Timed without the tracer: the window may not even hold one. */
static bool tell_series(const struct rule *rule, const struct evidence *e,
                        struct findings *f, const struct subject *s)
{
    enum { SHARE_FRAC };
    struct repeated r = repeated_in_series(e, s->what);
    if (!r.hits || (double)r.hits > s->most_frac * (double)r.steps)
        return false;
    double a_step_ns = r.one_ns / r.interval;
    if (isnan(a_step_ns) || a_step_ns < rule->limit[SHARE_FRAC].value * e->step_ns)
        return true;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_INTERVAL;
    x->holds_ns = a_step_ns;
    x->holds_timed = true;
    x->direct_gain_ns = r.one_ns * (1 / r.interval - 1 / (REPEATED_RARER * r.interval));
    tell_text(x, &r, s, e->step_ns);
    return true;
}

static void tell_window(const struct rule *rule, const struct evidence *e,
                        struct findings *f, const struct subject *s)
{
    enum { SHARE_FRAC };
    struct edit_list edits = {0};
    const char *where = "";
    struct repeated r = repeated_in_window(e, s->is_it, &edits, &where);
    double a_step_ns = r.hits ? r.cost_ns * (double)r.hits / (double)r.steps : NAN;
    if (isnan(r.interval) ||
        a_step_ns < rule->limit[SHARE_FRAC].value * e->traced_step_ns) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_REPLAYED;
    x->holds_ns = evidence_of_step_ns(e, a_step_ns);
    x->edits = edits;
    edit_list_set_keep(&x->edits, 1 / REPEATED_RARER);
    snprintf(x->where, sizeof x->where, "%s", where);
    tell_text(x, &r, s, e->traced_step_ns);
    snprintf(x->missing, sizeof x->missing,
             "how often it comes beyond the %zu recorded steps", r.steps);
    evidence_beside(x, quantity_whole("recorded_steps", (double)r.steps));
}

static void tell(const struct rule *rule, const struct evidence *e, struct findings *f,
                 const struct subject *s)
{
    if (!tell_series(rule, e, f, s))
        tell_window(rule, e, f, s);
}

void rule_evaluation_often(const struct rule *rule, const struct evidence *e,
                           struct findings *f)
{
    enum { SHARE_FRAC, STEPS_FRAC };
    tell(rule, e, f,
         &(struct subject){TIMING_KIND_EVALUATE, is_evaluation, "an evaluation",
                           rule->limit[STEPS_FRAC].value});
}

void rule_checkpoint_often(const struct rule *rule, const struct evidence *e,
                           struct findings *f)
{
    tell(rule, e, f, &(struct subject){TIMING_KIND_SAVE, is_saving, "saving", 1});
}
