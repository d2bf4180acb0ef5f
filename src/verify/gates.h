/* What the gates of verify.c share. Private to verify. */
#ifndef GAIT_VERIFY_GATES_H
#define GAIT_VERIFY_GATES_H

#include "verify/gate_fill.h"
#include "verify/targets.h"

struct pair {
    const struct run *before, *after;
    struct targets targets; /* of two recordings all NAN: the gates' own bounds */
};

/* Who recorded it, by its first rank. */
enum run_source run_kind(const struct run *run);
/* Of a PyTorch job; else of Gait's own trainer. */
static inline bool is_recording(const struct run *run)
{
    return run_kind(run) == RUN_SOURCE_KINETO;
}
/* Did operators of either compute below float32? Then rounding alone does more. */
bool is_low_precision(const struct pair *p);

/* Is it still the same model? */
enum verdict gate_losses(struct gate_result *g, const struct pair *p);
enum verdict gate_gradients(struct gate_result *g, const struct pair *p);
enum verdict gate_movement(struct gate_result *g, const struct pair *p);

/* Two recordings of one job begin with the same weights, or nothing that they learn can be
 * compared. True: they do not, and g says so. */
bool starts_differ(struct gate_result *g, const struct pair *p);

#endif
