/*
 * Findings from the data flow: work of one class (flow/flow_classes.h), told by the
 * function whose statements ask for it. A rule of this kind is a row.
 */
#ifndef GAIT_FINDINGS_NEEDLESS_H
#define GAIT_FINDINGS_NEEDLESS_H

#include "findings/repeated.h"
#include "findings/rule.h"

/* Of calls in pieces each keeps what is more than being called. */
#define NEEDLESS_KEEPS_WORK (-1.0)

/* N(function of the rule, class, part that stays, "what these calls do", the least of the
 * gain, what the price does not have or NULL) */
#define NEEDLESS_LIST(N)                                                                 \
    N(invariant_rebuilt, INVARIANT, 0,                                                   \
      "compute what they computed in every step before", 1, NULL)                        \
    N(repeated_work, REPEATED, 0, "compute what was computed before in the step", 1,     \
      NULL)                                                                              \
    N(recompute_needless, RECOMPUTED, 0,                                                 \
      "compute in the backward pass what the forward pass has computed", 0,              \
      "the memory that recomputing saves: whether there is room for it")                 \
    N(clear_cost, CLEARED, 0,                                                            \
      "write zeros to gradients and add to them, where the first could be kept as it "   \
      "is",                                                                              \
      1, NULL)                                                                           \
    N(logging_often, UNREAD, 1 / REPEATED_RARER,                                         \
      "compute what nothing of the training reads (priced for every 10th step)", 1,      \
      "what the program decides by numbers that it reads: keep what it goes by")         \
    N(gradients_unused, THROWN_AWAY, 0, "compute gradients that nothing reads", 1, NULL) \
    N(repeated_casts, COPIED, 0, "copy or cast what is there already", 1, NULL)          \
    N(wider_type, WIDER, 0.5,                                                            \
      "compute in float64 what comes from narrower types and becomes one again", 0,      \
      "how much longer float64 takes here: half of the bytes are taken off")             \
    N(small_tensors, PIECES, NEEDLESS_KEEPS_WORK,                                        \
      "are made one by one, where one call could do for many of them", 0.5,              \
      "what the one call in their place takes")

/* Collectives that the ranks need not meet for: told under the rule that is given. False:
 * there are none. */
bool needless_collectives(const struct rule *rule, const struct evidence *e,
                          struct findings *f);

/* What a bare trace tells, where no step was watched. */
rule_find_fn bare_clear_cost;

#endif
