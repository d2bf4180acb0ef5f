/*
 * Ops that the plain loops (ref_*.h) leave slow, by AVX-512: exponentials without a
 * division, sums in several registers at once, bf16 rounded by the instruction for it.
 * The plain loops are their references.
 */
#ifndef GAIT_ENGINE_VECTOR_OPS_H
#define GAIT_ENGINE_VECTOR_OPS_H

#include "engine/ops.h"

/* Put those that this machine can run, and GAIT_ISA allows, into the table. */
void vector_ops_put(struct engine_ops *ops, bool bf16);

/* Of each number type; bf16_native needs instructions for bf16. For tests: the caller
 * knows that they can run. */
void vector_ops_put_f32(struct engine_ops *ops);
void vector_ops_put_bf16(struct engine_ops *ops);
void vector_ops_put_bf16_native(struct engine_ops *ops);
bool vector_ops_are_there(void);
bool vector_ops_native_are_there(void);

#endif
