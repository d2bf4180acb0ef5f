/*
 * A budget of wall time that comparisons share. Each gets its part of what is left, less
 * what the one before took beside its timing (opening models, comparing them), so that
 * all of them end in time whatever the model is.
 */
#ifndef GAIT_VERIFY_TIME_SHARE_H
#define GAIT_VERIFY_TIME_SHARE_H

#include <stdint.h>

struct time_share {
    double budget_s;
    double parts_left; /* that it is still for */
    int64_t begin_ns;
    double beside_s;  /* of the last comparison, beside its timing */
    int64_t began_ns; /* the last comparison */
};

struct time_share time_share_begin(double budget_s, double parts);
double time_share_left_s(const struct time_share *t); /* at least 0 */
/* The seconds of timing that the next comparison would get, which is that many parts.
 * However little is left, both sides are run. */
double time_share_of_s(const struct time_share *t, double parts);
/* The same, and it begins. */
double time_share_next_s(struct time_share *t, double parts);
/* It ended, and so much of it was timing. */
void time_share_end(struct time_share *t, double timed_s);

#endif
