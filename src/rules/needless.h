/*
 * Findings from the data flow: work of one class (flow/flow_classes.h), told by the
 * function whose statements ask for it. A rule of this kind is a row.
 */
#ifndef GAIT_RULES_NEEDLESS_H
#define GAIT_RULES_NEEDLESS_H

#include "evidence/repeated.h"
#include "rules/rule.h"

/* Of calls in pieces each keeps what is more than being called. */
#define NEEDLESS_KEEPS_WORK (-1.0)
/* Each keeps the part that the data flow says. */
#define NEEDLESS_KEEPS_PART (-2.0)

/* N(function of the rule, class, part that stays, "what these calls do", the least of the
 * gain, what the price does not have or NULL, what a bare trace tells or NULL) */
#define NEEDLESS_LIST(N)                                                                 \
    N(invariant_rebuilt, INVARIANT, 0,                                                   \
      "recompute a result that is the same in every step", 1, NULL, NULL)                \
    N(repeated_work, REPEATED, 0, "repeat a computation of the same step", 1, NULL,      \
      NULL)                                                                              \
    N(recompute_needless, RECOMPUTED, 0,                                                 \
      "recompute the forward pass in the backward pass", 0,                              \
      "the extra memory; whether it fits is not known", NULL)                            \
    N(clear_cost, CLEARED, 0, "zero gradients in place and then accumulate into them",   \
      1, NULL, bare_clear_cost)                                                          \
    N(logging_often, UNREAD, 1 / REPEATED_RARER,                                         \
      "compute results that training never uses (priced at every 10th step)", 1,         \
      "control flow: results that the program branches on must stay", NULL)              \
    N(gradients_unused, THROWN_AWAY, NEEDLESS_KEEPS_PART,                                \
      "compute gradients that are never used", 1, NULL, NULL)                            \
    N(repeated_casts, COPIED, 0, "make redundant copies or casts", 1, NULL, NULL)        \
    N(backward_twice, PASSES, 0,                                                         \
      "go through the same forward work again in another backward pass", 1, NULL, NULL)  \
    N(zeros_computed, ZEROS, NEEDLESS_KEEPS_PART,                                        \
      "compute what is multiplied by zero, or multiply zeros", 0,                        \
      "the cost of picking what is not zero", NULL)                                      \
    N(partly_used, PARTLY, NEEDLESS_KEEPS_PART,                                          \
      "compute results of which a small part is used", 0.5,                              \
      "the cost of picking that part before", NULL)                                      \
    N(rows_repeated, ROWS, NEEDLESS_KEEPS_PART, "compute the same for copies of rows",   \
      0.5, "the cost of copying the results", NULL)                                      \
    N(product_order, ORDER, NEEDLESS_KEEPS_PART,                                         \
      "multiply matrices in an order that takes more multiplications than the other",    \
      0.5, "the other products' own rate; the estimate goes by multiplications", NULL)   \
    N(wider_type, WIDER, 0.5,                                                            \
      "compute in float64, although inputs and outputs are narrower", 0,                 \
      "the actual float64 slowdown; the estimate goes by bytes", NULL)                   \
    N(small_tensors, PIECES, NEEDLESS_KEEPS_WORK,                                        \
      "are issued one by one; one batched call could replace many of them", 0.5,         \
      "the cost of the batched call", NULL)

/* Collectives that the ranks need not meet for: told under the rule that is given. False:
 * there are none. */
bool needless_collectives(const struct rule *rule, const struct evidence *e,
                          struct findings *f);

/* What a bare trace tells, where no step was watched. */
rule_find_fn bare_clear_cost;

#endif
