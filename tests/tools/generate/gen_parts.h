/* What a step is made of; gen_job.c puts it together. */
#ifndef GAIT_TESTS_GEN_PARTS_H
#define GAIT_TESTS_GEN_PARTS_H

#include "gen_job.h"

/* An operator whose own time is at least one unit, so that it is never as long as what it
 * calls: who calls whom would then be anybody's guess. */
void op_begin(struct plan *p, enum gen_lane lane, enum gen_span span);
void op_end(struct plan *p, enum gen_lane lane);
void op_leaf(struct plan *p, enum gen_lane lane, enum gen_span span, int64_t low_ns,
             int64_t high_ns);
/* Frames and annotations where the options have them. */
void frame_begin(struct plan *p, enum gen_span span, int suffix);
void frame_end(struct plan *p);
bool annotation_begin(struct plan *p, enum gen_lane lane, enum gen_span span);
void annotation_end(struct plan *p, enum gen_lane lane);

/* A call of the runtime that gives the device something to do; returns when it was
 * called. The next device event is its: launch_tie() says so. */
int64_t launch_call(struct plan *p, enum gen_lane lane, enum gen_span runtime);
void launch_tie(struct plan *p, int64_t event);
/* Launch a kernel of about this length on the compute stream. */
void launch_kernel(struct plan *p, enum gen_lane lane, enum gen_span kernel,
                   int64_t low_ns, int64_t high_ns);
/* The same with its exact length; *called_ns is when. Returns the kernel's event. */
int64_t launch_kernel_exactly(struct plan *p, enum gen_lane lane, enum gen_span kernel,
                              int64_t dur_ns, int64_t *called_ns);
/* Wait until the device has done all its work. */
void wait_for_device(struct plan *p, enum gen_lane lane, enum gen_span sync);
/* aten::item: a copy back and a wait. */
void read_item(struct plan *p, enum gen_lane lane);

void part_before_first_step(struct plan *p);
void part_data(struct plan *p, int64_t extra_ns);
void part_forward(struct plan *p);
/* Four large kernels without a gap between them, then the loss is read. */
void part_head(struct plan *p, int64_t extra_ns);
/* late_ns: how much later than this rank the slowest one comes to its collectives. */
void part_backward(struct plan *p, int64_t late_ns);
void part_clip(struct plan *p);
/* Returns the event of the last kernel where it is to run into the next step, else -1. */
int64_t part_optimizer(struct plan *p);

#endif
