/* What the efficiency_*.c files share. */
#ifndef GAIT_ANALYZE_EFFICIENCY_PARTS_H
#define GAIT_ANALYZE_EFFICIENCY_PARTS_H

#include "analyze/efficiency.h"

/* By which ceiling work of this intensity is bound at best. */
enum roofline_bound roofline_bound_of(const struct ceiling *c, double flop_per_byte);

/* What is known of the model, and its share of the peak; e->ceiling is there. */
void efficiency_of_model(struct efficiency *e, const struct run *run,
                         const struct analysis_rank *rank);
/* What all operators moved; the ceiling and the window are there. */
void efficiency_of_bytes(struct efficiency *e);

#endif
