/*
 * Where in the program a call was made, in the reader's own words, as far as the trace
 * has it: the class of the module, the function, the operator.
 */
#ifndef GAIT_EVIDENCE_CODE_PLACE_H
#define GAIT_EVIDENCE_CODE_PLACE_H

#include "evidence/evidence.h"

enum { PLACE_NAME_MAX = 128 };

/* Is there a frame or an operator around the call? */
bool code_place_known(const struct host_op *call);

/* A name that calls from one place share: of the user's frame, else of the outermost
 * operator, else of the call itself. */
name_id code_place_key(const struct evidence *e, const struct host_thread *t,
                       const struct host_op *call);

/* "LlamaRMSNorm", "apply_rotary_pos_emb", "aten::mul", "MulBackward0". */
void code_place_name(char *text, size_t size, const struct evidence *e,
                     const struct host_thread *t, const struct host_op *call);

/* The same with its source: "LlamaRMSNorm, model.py(12): forward". */
void code_place_where(char *text, size_t size, const struct evidence *e,
                      const struct host_thread *t, const struct host_op *call);

#endif
