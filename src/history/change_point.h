/*
 * Did the level of a series change, and since when? For each stretch of it, the rank sum
 * of its values, standardised; the largest of them is held against the same of shuffled
 * series. A stretch may end before the series does: a slow-down that was taken back hides
 * from a test with a single cut (circular binary segmentation, Olshen et al. 2004, with
 * ranks). Nothing is assumed of the values but that, without a change, any
 * order of them is as likely: no distribution, no known spread. Equal input, equal answer:
 * the shuffling begins with a fixed seed.
 */
#ifndef GAIT_HISTORY_CHANGE_POINT_H
#define GAIT_HISTORY_CHANGE_POINT_H

#include <stddef.h>

enum {
    CHANGE_POINT_MIN_POINTS = 8, /* of fewer, even the clearest step is no surprise */
    CHANGE_POINT_MIN_SIDE = 3,   /* one or two outliers at an end are no new level */
    CHANGE_POINT_SHUFFLES = 1999,
};
#define CHANGE_POINT_ALPHA 0.05

struct change_point {
    size_t begin, end; /* values [begin, end) have another level; end may be n */
    double p;          /* that a series without a change has one as clear; NAN: too few */
};

struct change_point change_point_find(const double *v, size_t n);

/* How far values [cut, end) lie above [begin, cut): the median of all differences. */
double change_point_shift(const double *v, size_t begin, size_t cut, size_t end);

#endif
