#include "tune/tuner.h"

#include "base/log.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

void trial_put_plan(char out[TRIAL_PLAN_BYTES], const struct tune_space *s,
                    struct tune_plan p)
{
    struct strbuf text;
    strbuf_init(&text);
    plan_text(&text, s, p);
    snprintf(out, TRIAL_PLAN_BYTES, "%s", text.s);
    strbuf_release(&text);
}

bool tuner_out_of_time(struct tuner *t)
{
    bool over = time_share_left_s(&t->time) <= 0;
    t->out->cut_short |= over;
    return over;
}

static void say(const struct tuner *t, const struct trial *trial, bool known)
{
    struct strbuf line;
    strbuf_init(&line);
    strbuf_printf(&line, "%-9s %s: ", trial_stage_word[trial->stage], trial->after);
    if (*trial->why_not)
        strbuf_printf(&line, "not taken: %s", trial->why_not);
    else
        strbuf_printf(&line, "%s %%", unit_signed(100 * trial->time.change, 1).s);
    if (!*trial->why_not && isfinite(trial->time.high))
        strbuf_printf(&line, " [%s, %s]", unit_signed(100 * trial->time.low, 1).s,
                      unit_signed(100 * trial->time.high, 1).s);
    if (trial->stage == TRIAL_AROUND)
        strbuf_puts(&line, " against the best so far");
    if (known)
        strbuf_puts(&line, " (known)");
    double left_s = time_share_left_s(&t->time);
    if (left_s > 0)
        strbuf_printf(&line, "; about %s left", unit_ns_of(left_s * 1e9).s);
    log_line("%s", line.s);
    strbuf_release(&line);
}

void measure_by_training(void *context, struct trial *trial, const struct config side[2],
                         double budget_s, struct proof *proof)
{
    struct proof p = {.rounded = false};
    struct proof_options o = {.budget_s = budget_s};
    struct err why = ERR_INIT;
    (void)context;
    if (proof_measure(&p, &side[0], &side[1], &o, &why)) {
        snprintf(trial->why_not, sizeof trial->why_not, "%.199s", why.text);
        return;
    }
    struct other_model other = proof_other_model(&p);
    trial->time = p.time;
    memcpy(trial->bytes, p.bytes, sizeof trial->bytes);
    if (trial->stage != TRIAL_BATCH && *other.why)
        snprintf(trial->why_not, sizeof trial->why_not, "another model: %.180s",
                 other.why);
    if (proof)
        *proof = p;
}

/* One that is no valid config is known not to run. */
static void measure(struct tuner *t, struct trial *trial, const struct config side[2],
                    double units)
{
    if (*trial->why_not)
        return;
    t->measure(t->context, trial, side, time_share_next_s(&t->time, units),
               trial->stage == TRIAL_LAST ? &t->out->proof : NULL);
    time_share_end(&t->time, trial->time.took_s);
}

/* What an earlier search measured holds, but where it told nothing for want of time. */
static bool holds(const struct tuner *t, const struct trial *known, double units)
{
    return *known->why_not || trial_tells(known) != 0 ||
           known->time.high - known->time.low <= 2 * AB_NARROW ||
           2 * known->time.took_s > time_share_of_s(&t->time, units);
}

enum status match_configs(struct tuner *t, struct trial *trial,
                          const struct config side[2], double units,
                          const struct trial **out, struct err *err)
{
    /* The last one is a proof: its numbers are more than a trial keeps. */
    bool again = trial->stage == TRIAL_LAST;
    const struct trial *known =
        again ? NULL
              : trials_find(&t->out->trials, trial->stage, trial->round, trial->before,
                            trial->after);
    enum status s = STATUS_OK;
    if (known && !holds(t, known, units))
        known = NULL;
    if (!known) {
        measure(t, trial, side, units);
        s = trials_keep(&t->out->trials, trial, out, err);
    } else {
        *out = known;
        t->time.parts_left -= units;
    }
    t->out->timed_s += (*out)->time.took_s;
    say(t, *out, known != NULL);
    return s;
}

enum status match_run(struct tuner *t, const struct match *m, const struct trial **out,
                      struct err *err)
{
    struct trial trial = trial_new(m->stage, m->round, m->predicted);
    const struct tune_space *space = &t->out->space;
    struct config side[2];
    struct err why = ERR_INIT;
    trial_put_plan(trial.before, space, m->before);
    trial_put_plan(trial.after, space, m->after);
    enum status first = plan_config(&side[0], t->config, space, m->before, &why);
    enum status second = plan_config(&side[1], t->config, space, m->after, &why);
    if (first != STATUS_OK || second != STATUS_OK)
        snprintf(trial.why_not, sizeof trial.why_not, "%.199s", why.text);
    enum status s = match_configs(t, &trial, side, m->units, out, err);
    config_release(&side[0]);
    config_release(&side[1]);
    return s;
}
