/*
 * What two recordings of one job carry of the same parameters, row by row: the same rank,
 * name, size, step and kind. Private to verify.
 *
 * Legal order: parameter_pairs_find, reading, parameter_pairs_release.
 */
#ifndef GAIT_VERIFY_PARAMETER_PAIRS_H
#define GAIT_VERIFY_PARAMETER_PAIRS_H

#include "verify/gates.h"

struct parameter_pairs {
    struct parameter_pair {
        struct movement before, after; /* names are those of each run */
    } * v;                             /* (n) in the order of before */
    size_t n, cap;
    double largest_gradient; /* root mean square of a parameter's, the largest of both */
};

void parameter_pairs_find(struct parameter_pairs *out, const struct pair *p);
void parameter_pairs_release(struct parameter_pairs *x);

/* How far apart the two vectors of a pair are, by their projections. */
double parameter_distance(const struct parameter_pair *x);
/* difference / of; 0 where it is no more than digits that were not written, INFINITY of
 * what is not a number. */
double parameter_frac(double difference, double of);
/* Root mean square of its elements. */
double movement_rms(const struct movement *m);

/* The pair that differs most, and how many parameters differ by more than is allowed. */
struct parameter_worst {
    double by;
    const struct parameter_pair *pair; /* NULL: none differs */
    size_t compared, beyond;
};

/* Its name as it is shown: without what a terminal would obey. */
void parameter_name(char *out, size_t size, const struct run *run, name_id name);
/* Numbers and names of the gate, from what was found. */
void parameter_worst_tell(struct gate_result *g, const struct parameter_worst *w,
                          double allowed, const struct pair *p);

#endif
