/*
 * Proof of a change of the trainer's settings: both are trained here, in turns. First
 * whether it is the same model (same_model.h), then which one is faster (ab_time.h), then
 * whether the second one gives the same bits again, and files that can be read.
 */
#ifndef GAIT_VERIFY_PROOF_H
#define GAIT_VERIFY_PROOF_H

#include "base/content_hash.h"
#include "config/config.h"
#include "verify/ab_time.h"
#include "verify/same_model.h"
#include "verify/targets.h"
#include "verify/verify.h"

struct proof_options {
    double budget_s; /* of the timing */
    double decides;  /* a change that the timing must decide: ab_time.h */
};

/* What was measured of the two, before (0) and after (1). */
struct proof {
    struct same_model same;
    struct ab_time time;
    int64_t block;                    /* steps of one */
    double bytes[2];                  /* allocated */
    double wait_frac[2];              /* of a step, for data */
    bool rounded;                     /* a side computes in bf16 */
    int threads;                      /* of the second */
    struct content_hash_text weights; /* of the second, after the steps of `same` */
};

enum status proof_measure(struct proof *out, const struct config *before,
                          const struct config *after, const struct proof_options *options,
                          struct err *err);

/* Of what was measured; targets that are NAN have the defaults of docs/verify.md. */
void proof_gates(struct verify_result *out, const struct proof *p,
                 const struct targets *targets);

/* Is it the same model, by the defaults? "" where it is; else the gate that says no, or
 * why the two cannot be compared. */
struct other_model {
    char why[VERIFY_TEXT_MAX + 32];
    bool not_comparable;
};
struct other_model proof_other_model(const struct proof *p);

/* Train the second twice again, with as many threads and with one: the gate
 * "deterministic". */
enum status proof_gate_bits(struct verify_result *out, const struct proof *p,
                            const struct config *after, struct err *err);

/* Write a checkpoint of the second and the folder that other programs read, and read both
 * back: the gate "files". */
void proof_gate_files(struct verify_result *out, const struct config *after);

#endif
