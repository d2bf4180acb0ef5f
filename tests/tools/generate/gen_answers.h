/*
 * What an analysis must find, summed while the trace is planned: whoever lets time pass
 * says at once what it was. Nothing is derived from the events afterwards, so that a
 * mistake in sorting, nesting or interval unions cannot be made here a second time.
 */
#ifndef GAIT_TESTS_GEN_ANSWERS_H
#define GAIT_TESTS_GEN_ANSWERS_H

#include "gen_spans.h"

#include <stdio.h>

enum gen_lane {
    LANE_MAIN,
    LANE_AUTOGRAD,
    LANE_COMPUTE, /* streams of the device from here on */
    LANE_COMM,
    LANE_COPY,
    LANE_COUNT
};

enum { BLOCKS_MAX = 512, OP_ANSWERS = SPAN_COUNT + BLOCKS_MAX };

/* Of one name: the span's, or for numbered frames one of BLOCKS_MAX behind them. */
struct op_answer {
    int64_t count, self_ns, total_ns, max_ns, bytes;
};

/* Parts of device time; their sum is the window. */
struct time_answer {
    int64_t compute_ns, communication_ns, copies_ns, idle_ns;
    int64_t communication_total_ns, copies_total_ns; /* hidden or not */
};

struct step_answer {
    int64_t begin_ns, end_ns; /* as in the file */
    int64_t optimizer_end_ns; /* end of the optimizer's mark */
    int64_t self_ns;          /* of its mark */
    int64_t device_spans;     /* that begin in it */
    int64_t extra_ns; /* how much later than the fastest possible rank it computes */
    int64_t wait_ns;  /* for the slowest rank, in collectives */
    struct time_answer time;
};

struct lane_answer {
    int64_t busy_ns, waiting_ns;
    int64_t spans;
};

struct answers {
    const struct gen_options *options;
    int64_t rank, clock_offset_ns, base_ns;
    const char *path;
    int64_t events, spans, device_spans, launches;
    int64_t first_ns, last_ns; /* of all spans, as in the file */
    int64_t host_window_ns;
    int64_t peak_allocated_bytes; /* -1: no memory events */
    struct time_answer time;
    struct lane_answer lane[LANE_COUNT];
    struct op_answer op[OP_ANSWERS];
    struct step_answer *step; /* (options->steps) */
};

void answers_init(struct answers *a, const struct gen_options *o, int64_t rank);
void answers_release(struct answers *a);

/* The slot of a name; suffix counts only for numbered frames. */
static inline struct op_answer *answers_op(struct answers *a, enum gen_span span,
                                           int suffix)
{
    return &a->op[span == SPAN_PY_BLOCK ? SPAN_COUNT + suffix : (int)span];
}

/* One rank as a JSON object. */
void answers_write(const struct answers *a, FILE *out);

/* As the file writes them. */
int64_t gen_pid(const struct gen_options *o, enum gen_lane lane);
int64_t gen_tid(const struct gen_options *o, enum gen_lane lane);

#endif
