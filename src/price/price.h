/* What findings would gain. */
#ifndef GAIT_PRICE_PRICE_H
#define GAIT_PRICE_PRICE_H

#include "price/finding.h"

/* Fill in what is told of the replay itself. */
void findings_describe(struct findings *f, const struct evidence *e);

/* Fill in the predicted part of a finding, and holds_ns where the rule left it 0. */
void price_finding(struct evidence *e, struct finding *f);

/* What findings[0..n) with use[i] gain a step, replayed together. */
double price_together(struct evidence *e, const struct finding *finding, size_t n,
                      const bool *use);

/* What the traced step loses with these edits; all of it where only edits are asked for.
 */
double price_traced_gain_ns(const struct evidence *e, const struct edit_list *l);

/* What all that the edits touch takes, a step, without the tracer: the longer of the
 * device's time and the host's. */
double price_untraced_ns(const struct evidence *e, const struct edit_list *l);
/* The same as a part of the step. */
double price_share(const struct evidence *e, const struct edit_list *l);

#endif
