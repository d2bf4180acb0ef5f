/* The search while it runs; private to tune. */
#ifndef GAIT_TUNE_TUNER_H
#define GAIT_TUNE_TUNER_H

#include "tune/tune.h"
#include "verify/time_share.h"

struct tuner {
    struct tune_result *out;
    const struct config *config;
    tune_measure *measure;
    void *context;
    struct time_share time;
};

struct match {
    enum trial_stage stage;
    int round;
    struct tune_plan before, after;
    double predicted; /* change; NAN: none */
    double units;     /* of the budget */
};

/* Is the budget over? What is not begun then is left out, and told. */
bool tuner_out_of_time(struct tuner *t);

/* Both are trained. */
tune_measure measure_by_training;

enum { TUNE_AROUND_PASSES = 2 };

/* Run it, or take it from the file. *out holds until the next one. */
enum status match_run(struct tuner *t, const struct match *m, const struct trial **out,
                      struct err *err);
/* The same of two configs that are no plans of the space. */
enum status match_configs(struct tuner *t, struct trial *trial,
                          const struct config side[2], double units,
                          const struct trial **out, struct err *err);

/* Stages 2 to 4. */
enum status search_alone(struct tuner *t, struct err *err);
enum status search_together(struct tuner *t, struct err *err);
enum status search_around(struct tuner *t, struct err *err);
/* Larger batches of the best. */
enum status search_batches(struct tuner *t, struct err *err);

/* What was measured of one value alone, or NULL. */
const struct trial *alone_of(const struct tuner *t, size_t setting, unsigned char value);

#endif
