/*
 * Loss and speed of a whole training in bounded memory: each point is the mean of so many
 * steps, and where the points run out two become one and the next take twice as many.
 */
#ifndef GAIT_LIVE_LIVE_CURVE_H
#define GAIT_LIVE_LIVE_CURVE_H

#include <stdint.h>

enum { LIVE_POINTS_MAX = 256 }; /* even */

struct live_point {
    int64_t step; /* the last of its steps */
    double loss, tokens_per_s;
};

struct live_curve {
    int64_t stride; /* steps of a point */
    int n;
    struct live_point point[LIVE_POINTS_MAX];
    /* of the point that is not complete yet; not in the file */
    int64_t open_steps;
    double open_loss, open_s;
};

void live_curve_init(struct live_curve *c);
void live_curve_add(struct live_curve *c, int64_t step, double loss, double tokens,
                    double dur_s);

#endif
