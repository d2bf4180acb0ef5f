/*
 * How well a rank used its device, or its CPU where it has none: work counted from shapes
 * over measured time, against what the vendor lists, the user gives or the run measured. Each figure that does not exist is NAN, and a
 * text says why.
 *
 * Counted work is of products alone (matmul, attention, convolution): what a device's
 * peak is told of. Conventions: docs/op-work.md.
 */
#ifndef GAIT_ANALYZE_EFFICIENCY_H
#define GAIT_ANALYZE_EFFICIENCY_H

#include "analyze/analysis.h"
#include "analyze/kernel_kind.h"

#include <math.h>

enum { ROOFLINE_DOTS_MAX = 24 };

/* Of the products' time, in counted ones: below the first there is no MFU, below the
 * second it is a lower bound. */
#define COVERAGE_LEAST 0.5
#define COVERAGE_FULL 0.95

/* Ceilings that the user gives; 0: none. */
struct given_peak {
    double flop_per_s, bytes_per_s;
};

enum roofline_bound { ROOFLINE_UNKNOWN, ROOFLINE_MEMORY, ROOFLINE_COMPUTE };

/* An operator: how much it does for each byte (modelled), how fast it was (modelled work
 * over measured time). */
struct roofline_dot {
    size_t row; /* of run->ops */
    int64_t ns; /* the time in which it was done */
    double flop_per_byte, flop_per_s;
    enum roofline_bound bound;
};

struct attention_use {
    int64_t op_calls, kernels, kernel_ns;
};

struct copy_use {
    int64_t count, bytes, ns;
};

struct ceiling {
    double flop_per_s;        /* of `precision`; NAN: not known */
    enum precision precision; /* of most of the counted work */
    double bytes_per_s;       /* NAN: not known */
    enum origin flop_origin, bytes_origin;
    const char *source; /* or why there is none */
};

struct efficiency {
    /* counted */
    double flop;                     /* of products, whole recording; 0: none */
    double flop_of[PRECISION_COUNT]; /* by type of the factors */
    bool f32_is_tf32;                /* kernels for tf32 ran, so f32 may be that */
    int64_t calls, unknown_calls;    /* of products; those without usable shapes */
    const char *no_flop;             /* why flop is 0, or "" */
    /* while products ran */
    double timed_flop;
    int64_t timed_ns; /* of the device; of the host where there is none */
    double flop_per_s;
    bool rate_is_least; /* the time is also of calls that are not counted */
    const char *no_rate;
    /* how much of the products' time is that of counted ones */
    int64_t uncounted_ns; /* of other products, at least */
    double coverage_frac; /* at most; NAN: not known */
    const char *no_coverage;
    /* against the ceiling, over the steps or, without steps, the whole recording */
    struct ceiling ceiling;
    double window_flop, window_ns; /* of as many steps as are marked */
    double window_bytes;           /* of every operator in them */
    double hardware_frac;          /* MFU, counted work as it was done */
    bool hardware_is_least;        /* some work is not counted */
    const char *no_hardware_frac;
    /* of the model, as the job tells it; NAN: it does not */
    double parameters, step_tokens; /* on this rank */
    double job_tokens, job_samples; /* of a step, of all ranks */
    double step_flop;    /* its products, forward and backward, none of them twice */
    double counted_frac; /* MFU of these */
    double model_frac;   /* MFU, 6 N tokens */
    const char *no_model_frac; /* why neither is known, or "" */
    /* of every operator, the whole recording: counted */
    double all_flop, all_bytes;
    double flop_per_byte;               /* NAN: nothing was counted */
    double bytes_per_s, bandwidth_frac; /* over the steps' time; of the ceiling */
    enum roofline_bound bound;
    /* operators with counted work, bytes and time: the longest first */
    struct roofline_dot dot[ROOFLINE_DOTS_MAX];
    size_t dots;
    /* from names */
    struct attention_use attention[ATTENTION_KIND_COUNT];
    int64_t units_ns[KERNEL_UNITS_COUNT], units_kernels[KERNEL_UNITS_COUNT];
    double matrix_units_frac; /* of the time of product kernels; NAN: none */
    int64_t precision_kernels[PRECISION_COUNT]; /* by what kernels' names say */
    struct copy_use copy[COPY_KIND_COUNT];
    char low_coverage[160]; /* what no_hardware_frac may point to */
};

/* One figure for MFU: of the model's own work where the job tells of it, else of what was
 * counted as it was done. */
static inline double efficiency_mfu(const struct efficiency *e)
{
    return isfinite(e->counted_frac) ? e->counted_frac : e->hardware_frac;
}

/* a->ranks[rank_index]; given may be NULL. Texts are constants or stand in *e. */
void efficiency_of(struct efficiency *e, const struct analysis *a, size_t rank_index,
                   const struct given_peak *given);

#endif
