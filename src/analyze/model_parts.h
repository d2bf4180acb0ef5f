/*
 * The parts of a model that Gait's own trainer has profiled, each against its own bound:
 * what its multiply-adds would take at the measured peak, or its bytes at the measured
 * bandwidth, whichever is longer.
 */
#ifndef GAIT_ANALYZE_MODEL_PARTS_H
#define GAIT_ANALYZE_MODEL_PARTS_H

#include "run/run.h"

/* E(VALUE, "name") in the order of a step; BLOCK is the sum of the four before it. */
#define MODEL_PART_LIST(E)                                                               \
    E(EMBEDDING, "embedding")                                                            \
    E(NORM, "norm")                                                                      \
    E(ATTENTION, "attention")                                                            \
    E(MLP, "MLP")                                                                        \
    E(REST, "residuals, biases")                                                         \
    E(BLOCK, "all blocks")                                                               \
    E(HEAD, "head and loss")                                                             \
    E(OPTIMIZER, "optimizer")
#define MODEL_PART_VALUE(v, name) MODEL_PART_##v,
enum model_part { MODEL_PART_LIST(MODEL_PART_VALUE) MODEL_PART_COUNT };
extern const char *const model_part_text[MODEL_PART_COUNT];

/* Of one part, forward or backward, a step. */
struct part_cost {
    double ns; /* the median over steps whose spans are there; else the mean */
    double low_ns, high_ns; /* of that median, with 95 %; NAN: no spans */
    double flop, bytes;
    double bound_ns;   /* 0: not known */
    bool bytes_decide; /* the bytes take longer than the multiply-adds */
};

enum { PART_FORWARD, PART_BACKWARD, PART_WAYS };

struct model_parts {
    struct part_cost of[MODEL_PART_COUNT][PART_WAYS];
    double steps; /* whose work was counted */
    size_t timed; /* whose spans are there: of these are medians */
};

/* Rates of the whole machine, a second; NAN: not known, and no bound is. False: the rank
 * has no such operators. */
bool model_parts_of(struct model_parts *p, const struct run *run, int32_t rank,
                    double flop_per_s, double bytes_per_s);

#endif
