/*
 * Steps where no known mark tells them, but the job's own annotations do
 * (record_function, NVTX-like ranges): one that comes again and again, at regular
 * distances and over most of what its thread does, is the loop. Its name is nobody's
 * business, except that numbers in it count the turns. Of several the longest is the
 * outermost; of parts of one turn that come equally often (forward, backward, optimizer)
 * the first begins it. Careful rather than clever, as kernel_period.h. Private to run.
 */
#ifndef GAIT_REDUCE_ANNOTATION_STEPS_H
#define GAIT_REDUCE_ANNOTATION_STEPS_H

#include "reduce/shard_merge.h"
#include "reduce/step_marks.h"
#include "spans/span_stream.h"

enum {
    ANNOTATIONS_MAX = 1000000, /* that are looked at */
    ANNOTATION_REPEATS_MIN = 3,
};

/* The longest distance from turn to turn, over their median: layers of a model are
 * regular too, up to where the rest of a step comes. And how much of its thread's time
 * the loop must cover. */
#define ANNOTATION_LONGEST_DISTANCE 2
#define ANNOTATION_COVERS_FRAC 0.5

/* *out gets the steps, which the caller releases, or none; *recording from when to when
 * there are spans. */
void annotation_steps_find(struct found_steps *out, struct found_step *recording,
                           struct span_stream *stream, const struct merged *merged);

#endif
