/* How long the training will take, by what was measured. */
#ifndef GAIT_DIAGNOSE_ESTIMATE_H
#define GAIT_DIAGNOSE_ESTIMATE_H

#include "diagnose/facts.h"

struct estimate {
    bool known;
    struct reason why_not;
    int64_t steps; /* that are left to do */
    int64_t evaluations, checkpoints;
    double s;             /* all of it */
    double low_s, high_s; /* by the interval of a step's median; NAN: too few steps */
    /* Of s; 0 where there are none, or where one could not be timed. */
    double evaluations_s, checkpoints_s;
};

struct estimate estimate_time(const struct training_facts *f);
/* The interval, in steps, at which something that takes ns has that share of their time. */
double estimate_interval(const struct training_facts *f, double ns, double share);

bool estimate_is_long(const struct estimate *e);

#endif
