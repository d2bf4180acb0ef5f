/*
 * What each optimisation of the trainer is worth here, really run: with and without it,
 * alone, and those that the config has on one after another, in turns (proof.h); beside it
 * what was to be expected.
 */
#ifndef GAIT_TUNE_ABLATION_H
#define GAIT_TUNE_ABLATION_H

#include "verify/proof.h"

enum { ABLATIONS_MAX = 16 };

struct ablation_switch {
    const char *what;           /* as told */
    const char *key, *off, *on; /* the setting */
    bool llama;                 /* only this family has it */
};

struct ablation {
    const struct ablation_switch *of;
    bool is_on;         /* in the config as given */
    struct proof alone; /* the config with it off (0) and on (1), all else as given */
    /* Everything off that is on (0); it and those before it on (1). No pairs: not run. */
    struct proof all;
    /* Predicted speed-ups: alone, where all that it changes took no time by the spans of
     * a run with it off, NAN: that is all of the step; and of those so far, if what each
     * gains alone multiplied, NAN: it is off. */
    double alone_at_most, all_predicted;
    char why_not[200]; /* it could not be measured, or "" */
};

struct ablations {
    struct ablation row[ABLATIONS_MAX];
    size_t n;
    bool cut_short; /* the budget ended before all was run */
    char busy[128]; /* meanwhile: "other programs took 0.98 CPUs", or "" */
};

/* budget_s of wall time is shared out among all comparisons. */
enum status ablation_run(struct ablations *out, const struct config *config,
                         double budget_s, struct err *err);

#endif
