/*
 * Steps where nothing marks them: a training loop launches the same kernels over and
 * over, so a sequence of names that repeats is a step. So do the layers of a model, and a
 * trace of one forward pass repeats a layer's: a step of a training has a backward pass
 * or an optimizer in it, which kernels' names tell. Careful rather than clever: where the
 * period is not plain, there is none. Private to run.
 */
#ifndef GAIT_REDUCE_KERNEL_PERIOD_H
#define GAIT_REDUCE_KERNEL_PERIOD_H

#include "reduce/step_marks.h"
#include "spans/span_stream.h"

enum {
    PERIOD_KERNELS_MAX = 1000000, /* that are looked at */
    PERIOD_KERNELS_MIN = 8,       /* in a step; a loop of a few is a benchmark */
    PERIOD_NAMES_MIN = 4,         /* different ones in a step */
    PERIOD_REPEATS_MIN = 3,
};

/* Of the sequence, so much must be the same one period later; of the kernels that occur
 * repeatedly, so many must occur in each period (else it is a layer's and not a step's).
 */
#define PERIOD_HOLDS_FRAC 0.9

struct kernel_row {
    name_id name;
    int64_t begin_ns, end_ns;
};

/* row is (n) in order of time. *out gets the steps, which the caller releases, or none.
 */
void kernel_period_find(struct found_steps *out, const struct kernel_row *row, size_t n,
                        const struct names *names);
/* The kernels of one lane of the stream, at most PERIOD_KERNELS_MAX. The caller frees
 * them; *n says how many. */
struct kernel_row *kernel_rows_read(struct span_stream *stream, int32_t lane, size_t *n);

#endif
