/*
 * What a step takes: decided here, once for each rank, and told by everything that speaks
 * of a step. docs/analyze.md, "The step"
 *
 * Steps that ran without the tracer say it best. Else the recording does: a step takes as
 * long as the slower of the host, which passes the marks, and the device, whose work of a
 * step lies so far behind that of the step before. Where the host runs ahead, its marks
 * alone would tell too little, as long as the recording is short.
 *
 * Of several steps the median is told, which a step that compiles does not move. Where
 * long steps keep coming back (each fourth waits for data) they belong to the job, and
 * its pace is the mean.
 */
#ifndef GAIT_ANALYZE_STEP_TIME_H
#define GAIT_ANALYZE_STEP_TIME_H

#include "base/stats.h"
#include "run/run.h"

/* E(VALUE, "whose clock, in reports and JSON") */
#define STEP_BASIS_LIST(E)                                                               \
    E(NONE, "no steps")                                                                  \
    E(UNTRACED, "steps without the tracer")                                              \
    E(TRAINER, "the trainer's own clock")                                                \
    E(HOST, "the host's marks")                                                          \
    E(DEVICE, "the period of the device's work")                                         \
    E(RECORDING, "the whole recording, as one")

#define STEP_BASIS_VALUE(v, text) STEP_BASIS_##v,
enum step_basis { STEP_BASIS_LIST(STEP_BASIS_VALUE) STEP_BASIS_COUNT };
extern const char *const step_basis_text[STEP_BASIS_COUNT];

/* Of fewer steps order statistics give no interval of 95 %: low and high are then what
 * the steps span. */
enum { STEP_INTERVAL_MIN = 6 };

struct step_time {
    enum step_basis basis;
    double ns, low_ns, high_ns; /* with its interval of 95 %; NAN: no steps */
    bool mean;                  /* it is the mean: long steps keep coming back */
    size_t count;               /* steps whose median or mean it is, or their distances */
    size_t left_out;            /* steps before these: warm-up */
    size_t longer;              /* of a mean: long ones among these */
    double median_ns;           /* of these, also where the mean is told */
    double spread_frac;         /* of these: stats_spread_frac() */
    /* Of untraced steps: those that hold nothing which comes every few steps. What the
     * others take more is shared by all in ns. Of recorded ones, ns. */
    double plain_ns;
    double mark_ns; /* the median of the marked steps, as recorded */
    bool mark_mean; /* of these too, as mean and left_out are of what is told */
    size_t mark_left_out;
    double host_ns; /* the same, where marks are the host's */
    bool lags;      /* the device works on most steps when the host has passed them */
    bool ahead;     /* and falls back from step to step: the device tells ns */
};
extern const struct step_time step_time_none;

/* A step that is longer than the median by this much is a long one: it warms up, or holds
 * what others do not. docs/analyze.md, "The step" */
#define STEP_LONG_FRAC 0.5

/* Is a marked step of this length of the same kind as the median one? */
bool step_time_is_typical(const struct step_time *recorded, double mark_ns);

/* Is it something that comes every few steps: evaluation, checkpoint, a full garbage
 * collection? */
bool step_time_is_interval(enum timing_kind what);

/* Both are (ranks), by row of run->ranks: told, and as the recording alone says it, which
 * is to be compared with a run whose steps were not timed without the tracer. */
void step_times(struct step_time *told, struct step_time *recorded,
                const struct run *run);

#endif
