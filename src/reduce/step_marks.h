/*
 * Steps from the marks of a recording, before anything else is known of it. Of all sorts
 * of marks the first in the order of enum step_method that is there counts, and of those
 * the ones on the lane that has most of them (a profiler may repeat its marks on other
 * threads). Private to run.
 */
#ifndef GAIT_REDUCE_STEP_MARKS_H
#define GAIT_REDUCE_STEP_MARKS_H

#include "reduce/reduce.h"

/* So many steps are told one by one: each is some twenty rows. */
enum { STEPS_MAX = 100000 };

struct found_step {
    int64_t begin_ns, end_ns, number;
};

struct found_steps {
    enum step_method method; /* NONE: none were found */
    int32_t lane;            /* that marks them; -1: none does */
    struct found_step *step; /* (n) by begin */
    size_t n;
};

/* mark is (n), in any order; it is sorted. The caller releases *out. */
void step_marks_find(struct found_steps *out, struct step_mark *mark, size_t n);
void found_steps_release(struct found_steps *f);

#endif
