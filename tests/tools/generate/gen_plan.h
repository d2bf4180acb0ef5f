/*
 * One rank's timeline while it is planned: clocks of the two host threads and of the
 * device, and the events of the step at hand. Time passes only through the functions
 * here, which book it.
 *
 * The plan is made anew for each pass over the file, always the same from the seed, so
 * that a file of any size needs the memory of one step.
 */
#ifndef GAIT_TESTS_GEN_PLAN_H
#define GAIT_TESTS_GEN_PLAN_H

#include "gen_answers.h"

struct gen_event {
    uint8_t span, lane; /* enum gen_span, enum gen_lane */
    bool is_graph_node; /* of a CUDA graph: sequence is the node */
    int16_t suffix;     /* number behind the name; -1: none */
    int64_t number;     /* unique in the file, grows with begin on a lane */
    int64_t begin_ns, dur_ns;
    int64_t correlation, external_id;
    int64_t sequence; /* pairs forward with backward; 0: none */
    int64_t bytes;    /* of copies, sets, collectives, memory events */
};

enum { OPEN_MAX = 24, MAIN_FRAME = -1 };

struct open_span {
    int64_t event; /* index, or MAIN_FRAME */
    int64_t self_ns;
};

struct host_clock {
    int64_t now_ns;
    struct open_span open[OPEN_MAX];
    int depth, work_depth, wait_depth;
};

struct device_clock {
    int64_t now_ns;
    int64_t comm_until_ns, copy_until_ns; /* running beside compute until then */
    int64_t pending_idle_ns;              /* counts once work follows */
    bool any;
    struct step_answer *step; /* NULL between steps */
};

struct plan {
    const struct gen_options *o;
    struct answers *sum;
    int64_t unit_ns;
    uint64_t random;
    int64_t step, ids_per_step; /* step -1 is what comes before the first */
    int64_t numbers, externals, correlations, sequences, kernels;
    int64_t allocated_bytes;
    bool in_window; /* host time counts for the threads' sums */
    struct host_clock host[2];
    struct device_clock device;
    struct gen_event *event; /* (n) of the step, callers before those they call */
    size_t n, cap;
    struct gen_event main_frame;
    int64_t first_work_ns, last_work_ns; /* of host threads */
};

/* Lengths on which the plan relies, in multiples of 1 µs so that all dialects can have
 * them. */
enum { LATENCY_NS = 3000, SYNC_RETURN_NS = 4000 };

void plan_init(struct plan *p, const struct gen_options *o, struct answers *sum);
void plan_release(struct plan *p);
void plan_begin_step(struct plan *p, int64_t step); /* forgets the events before */

/* Between low and high, a multiple of the unit. */
int64_t plan_pick(struct plan *p, int64_t low_ns, int64_t high_ns);

/* A new event of the step, its length open; returns its index. */
int64_t plan_add(struct plan *p, enum gen_span span, enum gen_lane lane,
                 int64_t begin_ns);

/* Host threads. A span that is opened is closed in the same step, but for the main frame.
 */
int64_t host_now_ns(const struct plan *p, enum gen_lane lane);
int64_t host_open(struct plan *p, enum gen_lane lane, enum gen_span span, int suffix);
void host_spend(struct plan *p, enum gen_lane lane, int64_t ns);
void host_close(struct plan *p, enum gen_lane lane);
/* The self time of what is open on top, so far. */
int64_t host_self_ns(const struct plan *p, enum gen_lane lane);
void host_memory(struct plan *p, enum gen_lane lane, int64_t bytes);

/* The device. */
void device_idle_until(struct plan *p, int64_t until_ns);
/* A piece of work on a stream; the index of its event is returned. Compute work moves the
 * clock, collectives and copies beside it run until their end while the clock stays. */
int64_t device_compute(struct plan *p, enum gen_span span, int64_t dur_ns);
int64_t device_beside(struct plan *p, enum gen_span span, enum gen_lane lane,
                      int64_t begin_ns, int64_t end_ns, int64_t bytes);
/* A copy or set with nothing beside it. */
int64_t device_alone(struct plan *p, enum gen_span span, int64_t dur_ns, int64_t bytes);
/* Drawn over the device's rows: no work. */
void device_mark(struct plan *p, enum gen_span span, enum gen_lane lane, int64_t begin_ns,
                 int64_t end_ns);
/* Work of compute goes on until then, without an event of its own. */
void device_go_on(struct plan *p, int64_t until_ns);
/* The event becomes this long; its name's sums follow. */
void device_stretch(struct plan *p, int64_t event, int64_t end_ns);

#endif
