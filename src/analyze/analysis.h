/*
 * What a run says: step time, where it goes, the top operators; rank by rank, for both
 * kinds of runs.
 *
 * analyze reads a run and nothing else: no clock, no environment, no randomness. The same
 * run gives the same analysis, so its tests are golden files. Everything here is measured
 * unless its name says modelled.
 */
#ifndef GAIT_ANALYZE_ANALYSIS_H
#define GAIT_ANALYZE_ANALYSIS_H

#include "analyze/job.h"
#include "analyze/kernel_labels.h"
#include "analyze/rank_rows.h"
#include "analyze/step_phases.h"
#include "analyze/step_time.h"
#include "run/run.h"

/* Times by class of one window. What they mean: docs/run-format.md, "Where time goes".
 * On a device: span = compute + communication + copies + idle, where communication and
 * copies are only what compute does not hide; communication_total and copies_total are
 * with what it hides. On a host lane: span = busy + waiting + unattributed. */
struct time_split {
    bool known;
    int64_t ns[TIME_CLASS_COUNT];
};

/* The steps that are marked, as the host passed them; what a step takes is struct
 * step_time. */
struct analysis_steps {
    size_t count;
    size_t typical; /* the half nearest to the median: what a step is made of is theirs */
    double min_ms, max_ms;
    double total_ns, typical_ns; /* of all of them, and of these, together */
    enum step_method method;
};

struct analysis_lane {
    int32_t lane;            /* row of run->lanes */
    struct time_split split; /* of a stream: span = busy + idle */
};

struct analysis_op {
    size_t row;       /* of run->ops; self_ns, total_ns, count … stand there */
    double self_frac; /* of the self time of all ops in the same place (host or device) */
};

struct analysis_device {
    int32_t device;
    struct time_split whole;
};

struct analysis_rank {
    int32_t row; /* of run->ranks */
    struct analysis_steps steps;
    struct step_time step;     /* what a step takes */
    struct step_time recorded; /* the same with the tracer */
    bool has_device;
    /* A device did the work, even where its times are not recorded: the recording names
     * one or calls its runtime. Host time is then only that of asking for the work. */
    bool used_device;
    /* Of a rank without a device: the host lane whose times stand for it, the one that
     * marks the steps, or the busiest where there are no steps. An index into lanes; -1
     * where the times are of the device or there are no lanes. */
    int32_t main_lane;
    struct time_split whole; /* the whole recording: device time, or the main lane */
    /* The same of a step: the shares that they have of the typical steps, as parts of
     * step.ns; of all device work where the host runs ahead. Known only where steps
     * are. */
    struct time_split step_split;
    struct step_phases phases;       /* parts of step.ns too; where a device does the
                                      * work they would tell when it was asked for */
    struct analysis_device *devices; /* (n_devices) only where there are several */
    size_t n_devices;
    struct analysis_lane *lanes; /* (n_lanes) busiest first */
    size_t n_lanes;
    struct analysis_op *ops; /* (n_ops) largest self time first, host and device mixed */
    size_t n_ops;
    size_t kernels;          /* device spans of all kinds, count */
    double kernels_per_step; /* launched in a typical one; NAN where there are none */
};

struct analysis {
    const struct run *run;
    struct analysis_rank *ranks; /* (n_ranks) by rank number */
    size_t n_ranks;
    size_t *index_of_row; /* (n_ranks) where the rank of a row of run->ranks stands */
    struct rank_rows step_rows; /* rows of run->steps, by row of run->ranks */
    /* Index into ranks: the one that stands for the job, which the others wait for; where
     * nobody is waited for, the one with the longest step; 0 where there are no steps. */
    size_t shown;
    bool shown_is_straggler; /* most of the lateness of all ranks is its own */
    struct analysis_job job; /* its arrays are by row of run->ranks */
    struct kernel_labels labels;
};

/* The run must outlive the analysis. Free with analysis_free(). */
struct analysis *analysis_new(const struct run *run);
void analysis_free(struct analysis *a); /* NULL is fine */

/* What all marked steps of a rank take if each is as long as the recorded one: so a sum
 * over them, shared out by analysis_of_step_ns(), is what it is in a step, whatever else
 * a long one holds. */
double analysis_all_steps_ns(const struct analysis_rank *r);
/* Of what they hold together, a step's part. */
double analysis_of_step_ns(const struct analysis_rank *r, double all_steps_ns);

/* What a reader is told instead of a name: of work on a device its label, which no other
 * of the run has; else the name itself. */
const char *analysis_label(const struct analysis *a, enum lane_kind place, name_id name);

/* The step that stands for all: the kept one whose length is nearest to the median; -1
 * where none is kept. Its spans are those of run->spans with this step row. */
int32_t analysis_typical_step(const struct analysis *a, size_t rank_index);
/* The rank's step of this number, where it is kept; else -1. */
int32_t analysis_kept_step(const struct analysis *a, size_t rank_index, int64_t number);

/* Does something mark its steps? Else the recording may be taken as one. */
static inline bool analysis_has_steps(const struct analysis_rank *r)
{
    return r->steps.count && r->steps.method != STEP_METHOD_RECORDING;
}

/* How much of a mean step, or of the recording where there are no steps, is told what it
 * is; the rest is unattributed, or idle for a reason that is not known. NAN: no times. */
double analysis_explained_frac(const struct analysis_rank *r);

#endif
