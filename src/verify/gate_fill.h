/* How gates are filled in; private to verify. */
#ifndef GAIT_VERIFY_GATE_FILL_H
#define GAIT_VERIFY_GATE_FILL_H

#include "verify/verify.h"

/* At most 2 % slower, at most 5 % more memory: docs/verify.md. */
#define DEFAULT_MIN_SPEEDUP 0.98
#define DEFAULT_MAX_MEMORY_RATIO 1.05

struct gate_result *gate_add(struct verify_result *out, const char *name);
void gate_not_applicable(struct gate_result *g, const char *code, const char *why);
/* The remark, and the verdict counted in *out. */
void gate_decide(struct verify_result *out, struct gate_result *g, enum verdict verdict,
                 const char *code, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
