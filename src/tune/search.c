/* Stages 2 to 4 of tune.h. */
#include "base/stats.h"
#include "tune/tuner.h"

#include <math.h>
#include <stdlib.h>

enum { RACERS = 4 };

static const struct tune_plan as_given;

const struct trial *alone_of(const struct tuner *t, size_t setting, unsigned char value)
{
    struct tune_plan p = as_given;
    struct strbuf text;
    strbuf_init(&text);
    p.value[setting] = value;
    plan_text(&text, &t->out->space, p);
    const struct trial *trial =
        trials_find(&t->out->trials, TRIAL_ALONE, 0, "as given", text.s);
    strbuf_release(&text);
    return trial;
}

enum status search_alone(struct tuner *t, struct err *err)
{
    const struct tune_space *space = &t->out->space;
    enum status s = STATUS_OK;
    for (size_t i = 0; i < space->n; i++)
        for (unsigned char v = 1; v < space->setting[i].n && s == STATUS_OK; v++) {
            if ((i || v > 1) && tuner_out_of_time(t))
                return STATUS_OK;
            struct match m = {.stage = TRIAL_ALONE, .predicted = NAN, .units = 1};
            const struct trial *trial;
            m.after.value[i] = v;
            s = match_run(t, &m, &trial, err);
        }
    return s;
}

/* --- together --- */

/* Time over the given one's; what tells nothing, and what cannot be taken, is no reason
 * to change anything. */
static double factor(const struct tuner *t, size_t setting, unsigned char value)
{
    const struct trial *trial = value ? alone_of(t, setting, value) : NULL;
    if (!value)
        return 1;
    return trial && !*trial->why_not && trial_tells(trial) < 0 ? 1 + trial->time.change
                                                               : INFINITY;
}

struct racer {
    struct tune_plan plan;
    double predicted; /* time over the given one's */
    double measured;  /* the same, of the last round; INFINITY: not taken */
    int tells;        /* trial_tells() of it */
};

static void keep_promising(struct racer *r, size_t *n, struct tune_plan plan,
                           double predicted)
{
    size_t at = *n < RACERS ? (*n)++ : RACERS;
    while (at > 0 && r[at - 1].predicted > predicted) {
        if (at < RACERS)
            r[at] = r[at - 1];
        at--;
    }
    if (at < RACERS)
        r[at] = (struct racer){plan, predicted, INFINITY, 0};
}

/* All plans by what their settings gain alone: gains of different work multiply. */
static size_t propose(const struct tuner *t, struct racer *r)
{
    const struct tune_space *space = &t->out->space;
    double of[TUNE_SETTINGS_MAX][TUNE_VALUES_MAX];
    size_t n = 0;
    struct tune_plan p = as_given;
    for (size_t i = 0; i < space->n; i++)
        for (unsigned char v = 0; v < space->setting[i].n; v++)
            of[i][v] = factor(t, i, v);
    do {
        double predicted = 1;
        for (size_t i = 0; i < space->n; i++)
            predicted *= of[i][p.value[i]];
        if (predicted < 1)
            keep_promising(r, &n, p, predicted);
    } while (plan_next(&p, space));
    return n;
}

static int by_measured(const void *a, const void *b)
{
    const struct racer *x = a, *y = b;
    return (x->measured > y->measured) - (x->measured < y->measured);
}

static size_t settings_changed(const struct tuner *t, struct tune_plan p)
{
    size_t n = 0;
    for (size_t i = 0; i < t->out->space.n; i++)
        n += p.value[i] != 0;
    return n;
}

/* One round. A plan of a single setting is predicted by its own measurement: that tells
 * nothing of predictions. */
static enum status race(struct tuner *t, struct racer *r, size_t n, int round,
                        double units, struct err *err)
{
    enum status s = STATUS_OK;
    for (size_t i = 0; i < n && s == STATUS_OK; i++) {
        const struct trial *trial;
        if ((i || round) && tuner_out_of_time(t))
            break; /* the first is what promises most */
        struct match m = {
            .stage = TRIAL_TOGETHER,
            .round = round,
            .after = r[i].plan,
            .predicted = settings_changed(t, r[i].plan) > 1 ? r[i].predicted - 1 : NAN,
            .units = units};
        s = match_run(t, &m, &trial, err);
        if (s != STATUS_OK)
            break;
        r[i].measured = *trial->why_not ? INFINITY : 1 + trial->time.change;
        r[i].tells = trial_tells(trial);
    }
    qsort(r, n, sizeof *r, by_measured);
    return s;
}

/* Of each plan that raced, by its last round. */
static void judge_predictions(struct tuner *t, const struct racer *r, size_t n,
                              int rounds)
{
    double error[RACERS];
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        char after[TRIAL_PLAN_BYTES];
        const struct trial *last = NULL;
        trial_put_plan(after, &t->out->space, r[i].plan);
        for (int round = 0; round < rounds; round++) {
            const struct trial *of =
                trials_find(&t->out->trials, TRIAL_TOGETHER, round, "as given", after);
            last = of ? of : last;
        }
        if (last && !*last->why_not && !isnan(last->predicted))
            error[found++] = fabs((1 + last->predicted) / (1 + last->time.change) - 1);
    }
    t->out->predictions = found;
    t->out->prediction_error = found ? stats_median(error, found) : NAN;
}

enum status search_together(struct tuner *t, struct err *err)
{
    struct racer r[RACERS];
    size_t n = propose(t, r);
    enum status s = STATUS_OK;
    int round = 0;
    for (size_t left = n; left && (left > 1 || !round) && s == STATUS_OK; left /= 2)
        s = race(t, r, left, round++, (double)n / (double)left, err);
    judge_predictions(t, r, n, round);
    /* It promised something: a short race that tells nothing does not take that back. The
     * proof at the end decides. */
    if (n && isfinite(r[0].measured) && r[0].tells <= 0)
        t->out->best = r[0].plan;
    return s;
}

/* --- around --- */

/* The given value comes back where it is not slower; any other must be faster. */
static bool takes(const struct trial *trial, bool given)
{
    if (*trial->why_not)
        return false;
    return given ? trial_tells(trial) <= 0 : trial_tells(trial) < 0;
}

static enum status try_around(struct tuner *t, size_t i, unsigned char v, int pass,
                              bool *changed, struct err *err)
{
    struct tune_result *out = t->out;
    const struct trial *trial;
    struct match m = {.stage = TRIAL_AROUND,
                      .round = pass,
                      .before = out->best,
                      .after = out->best,
                      .predicted = NAN,
                      .units = 1};
    m.after.value[i] = v;
    enum status s = match_run(t, &m, &trial, err);
    if (s != STATUS_OK)
        return s;
    if (takes(trial, !v)) {
        out->best = m.after;
        *changed |= v != 0; /* what goes back makes nothing else faster */
    }
    return STATUS_OK;
}

enum status search_around(struct tuner *t, struct err *err)
{
    const struct tune_space *space = &t->out->space;
    bool changed = !plan_equal(t->out->best, as_given);
    enum status s = STATUS_OK;
    for (int pass = 0; pass < TUNE_AROUND_PASSES && changed; pass++) {
        changed = false;
        if (pass)
            t->time.parts_left += (double)space_singles(space);
        for (size_t i = 0; i < space->n; i++) {
            for (unsigned char v = 0; v < space->setting[i].n && s == STATUS_OK; v++)
                if (v != t->out->best.value[i] && !tuner_out_of_time(t))
                    s = try_around(t, i, v, pass, &changed, err);
        }
    }
    return s;
}
