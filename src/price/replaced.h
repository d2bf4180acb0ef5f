/*
 * Operations that would be done in another way: what stays of them.
 */
#ifndef GAIT_PRICE_REPLACED_H
#define GAIT_PRICE_REPLACED_H

#include "price/finding.h"

/* Is the i-th outer operator of a thread the model's, forward or backward? */
bool replaced_is_models(const struct evidence *e, const struct host_thread *t, size_t i);

/* All that the model does, forward and backward, kept: for what changes all of it. */
void replaced_edit_model(const struct evidence *e, struct edit_list *edits);

/* Where the recorder measured the other way: set what the edits keep, and the price. The
 * edits must be of all that is replaced; where the recorder timed just that without the
 * tracer, timed_ns is a step's (else NAN). False where nothing was measured. */
bool replaced_as_measured(const struct evidence *e, struct finding *f, double timed_ns);

/* The same where it may be that only parts of what the edits hold were measured: the rest
 * stays as it is. What was measured may also be more than what the edits hold; where the
 * two are unlike, the interval is wider. False also where these parts are less than
 * `least_frac` of it. */
bool replaced_parts_as_measured(const struct evidence *e, struct finding *f,
                                double least_frac);

/* What the edits keep where of all that they hold so much is gained. */
void replaced_set_gain(struct finding *f, double gain_ns, double held_ns);

/* What gains most of that which the recorder measured, in its words; both NULL: nothing
 * was. */
struct replaced_most {
    const char *subject, *how; /* the job's own way, and the other */
};

struct replaced_most replaced_most(const struct evidence *e, const char *rule);

#endif
