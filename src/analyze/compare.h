/*
 * Two runs side by side, operator by operator: what became slower, faster, what appeared
 * and what went.
 *
 * Where every rank of both runs has steps, the step and its parts are those of the rank
 * that stands for the job, and operators are means over ranks, of a step; else all are
 * means over ranks of the whole recording. So runs of different lengths can be compared,
 * and jobs of several ranks too. All of them are measured; whether a change is more than
 * noise is for `gait verify`.
 */
#ifndef GAIT_ANALYZE_COMPARE_H
#define GAIT_ANALYZE_COMPARE_H

#include "analyze/analysis.h"

enum { BEFORE, AFTER, SIDES };

/* Means, in nanoseconds and calls; 0 where it does not occur. */
struct op_mean {
    bool there;
    double count, self_ns, total_ns;
    double device_ns; /* device work that it launched itself */
};

enum op_state { OP_SAME, OP_SLOWER, OP_FASTER, OP_APPEARED, OP_WENT, OP_STATES };
extern const char *const op_state_text[OP_STATES];

struct op_change {
    const char *name;  /* of a run's names */
    const char *label; /* what a reader is told: of both runs, no two alike on devices */
    enum span_kind kind;
    enum lane_kind place;
    struct op_mean side[SIDES];
    enum op_state state;
};

/* Time by class, as in struct time_split; a class is told where both sides have it. */
struct class_change {
    enum time_class what;
    double ns[SIDES];
};

struct phase_change {
    enum phase phase;
    double ns[SIDES];
};

struct comparison {
    const struct analysis *side[SIDES];
    bool by_step; /* a step; else the whole recording */
    /* A recording reaches beyond its steps: sums of operators are then of more than
     * steps, and over their number a little too high. */
    bool beyond_steps;
    struct step_time step[SIDES]; /* as steps_in_common() has it */
    bool untraced;                /* both were timed without the tracer */
    double recording_ns[SIDES];   /* from the first to the last span of a mean rank */
    bool has_device[SIDES];
    struct class_change classes[TIME_CLASS_COUNT]; /* span first; none where one side
                                                      has a device and the other not */
    size_t n_classes;
    struct phase_change phases[PHASE_COUNT]; /* where both have phases */
    size_t n_phases;
    struct op_change *ops; /* (n_ops) largest change of self time first */
    size_t n_ops;
    struct kernel_labels labels;
};

/* What a step takes in both: without the tracer where both were timed so, which is
 * returned, else as recorded. Of the rank that stands for each job. */
bool steps_in_common(struct step_time step[SIDES], const struct analysis *before,
                     const struct analysis *after);

/* Both analyses and their runs must outlive it. Free with comparison_free(). */
struct comparison *comparison_new(const struct analysis *before,
                                  const struct analysis *after);
void comparison_free(struct comparison *c); /* NULL is fine */

/* after - before */
double op_change_ns(const struct op_change *c);

#endif
