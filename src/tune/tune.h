/*
 * Which settings make the same training fastest here: searched by running them.
 *
 *   1. the config's own steps are recorded: what can gain nothing is not tried (baseline.h)
 *   2. each value alone, against the config as given
 *   3. what the gains alone promise together is predicted for every plan; the most
 *      promising race, half of them leaving in each round
 *   4. around the winner each setting is changed once more: what does not pay goes back
 *      to what was given
 *   5. the winner against the config as given, with verify's gates on the model
 *
 * A value that makes another model is never taken.
 */
#ifndef GAIT_TUNE_TUNE_H
#define GAIT_TUNE_TUNE_H

#include "tune/baseline.h"
#include "tune/space.h"
#include "tune/trial.h"

/* Fills in time, bytes and why_not of a comparison of two configs. The proof is wanted of
 * the last one alone: NULL else. */
typedef void tune_measure(void *context, struct trial *trial, const struct config side[2],
                          double budget_s, struct proof *proof);

struct tune_options {
    double budget_s;       /* of all comparisons together */
    const char *keep;      /* settings that stay as they are: "precision,threads" */
    const char *path;      /* where trials are kept; NULL: nowhere */
    tune_measure *measure; /* NULL: both are trained, as gait verify does */
    void *context;
};

enum { TUNE_BATCHES_MAX = 6 };

struct tune_result {
    struct tune_space space, dropped; /* searched; left out, as no gain is in it */
    struct baseline baseline;
    struct trials trials;
    struct tune_plan best;
    /* Of each setting that the best changes: what going back to the given costs, and what
     * it gained alone. NAN: not run. */
    double going_back[TUNE_SETTINGS_MAX], alone[TUNE_SETTINGS_MAX];
    bool faster;        /* the best is not the config as given */
    struct proof proof; /* of the best, where it is faster */
    double
        prediction_error; /* median of |predicted / measured - 1|, stage 3; NAN: none */
    size_t predictions;
    struct tune_batch {
        int64_t size;
        struct trial trial;    /* against the best */
    } batch[TUNE_BATCHES_MAX]; /* twice the batch, four times, … */
    size_t batches;
    bool cut_short; /* the budget ended before all was tried */
    char busy[128]; /* while it searched: "other programs took 0.98 CPUs", or "" */
    double timed_s; /* of all comparisons, those of the file too */
};

/* The caller calls tune_release() whatever the status. */
enum status tune_run(struct tune_result *out, const struct config *config,
                     const struct tune_options *options, struct err *err);
void tune_release(struct tune_result *r);

/* Samples a second of a batch over those of the best; NAN: it did not run. */
double tune_batch_gain(const struct tune_batch *b, const struct config *config);
/* The given config as the best plan has it; the caller releases *out. */
void tune_best_config(struct config *out, const struct tune_result *r,
                      const struct config *config);

#endif
