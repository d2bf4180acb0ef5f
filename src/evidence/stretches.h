/* Sets of moments as stretches of time. */
#ifndef GAIT_EVIDENCE_STRETCHES_H
#define GAIT_EVIDENCE_STRETCHES_H

#include <stddef.h>
#include <stdint.h>

struct stretch {
    int64_t begin_ns, end_ns;
};

/* Disjoint, in order of time, none of them empty. */
struct stretches {
    struct stretch *at; /* (n) */
    size_t n, cap;
};

void stretches_release(struct stretches *s);
/* Add one to the end of a set that is being gathered, in any order; then settle it. */
void stretches_add(struct stretches *s, int64_t begin_ns, int64_t end_ns);
void stretches_settle(struct stretches *s);
/* What of a is in b; what of it is not. The caller releases the result. */
struct stretches stretches_in(const struct stretches *a, const struct stretches *b);
struct stretches stretches_without(const struct stretches *a, const struct stretches *b);
double stretches_ns(const struct stretches *s);

/* How much of a time lies in a set, by one search. The set must outlive it. */
struct stretch_sums {
    const struct stretches *of;
    double *before_ns; /* (of->n + 1) in those before each */
};
struct stretch_sums stretch_sums_new(const struct stretches *s);
void stretch_sums_release(struct stretch_sums *s);
double stretch_sums_in(const struct stretch_sums *s, int64_t begin_ns, int64_t end_ns);

#endif
