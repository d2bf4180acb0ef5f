/*
 * Work that comes every few steps: evaluation, checkpoints. Told by the untraced series
 * of steps, or by marks and frames in the traced ones.
 */
#ifndef GAIT_EVIDENCE_REPEATED_H
#define GAIT_EVIDENCE_REPEATED_H

#include "evidence/evidence.h"

/* The proposal for what comes too often: so many times rarer.
 * docs/rules/evaluation-often.md */
#define REPEATED_RARER 10.0

struct repeated {
    size_t steps, hits; /* that were looked at; that had it */
    double cost_ns;     /* of one, mean */
    double more_ns;     /* what steps with it alone take more, median; NAN: not known */
    double one_ns;   /* what one costs: the longer of the two, as more than what was timed
                        may come with it */
    double interval; /* steps from one to the next; NAN: fewer than two were seen */
};

/* From timings of `what` beside those of steps; hits 0: none. */
struct repeated repeated_in_series(const struct evidence *e, enum timing_kind what);

/* A mark or frame on the main thread: does its name say that it is such work? */
typedef bool repeated_name_fn(const char *name);

/* From the window; `edits` gets the outermost of them, all of their time kept. `where` is
 * a name of one. */
struct repeated repeated_in_window(const struct evidence *e, repeated_name_fn *is_it,
                                   struct edit_list *edits, const char **where);

#endif
