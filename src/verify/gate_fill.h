/* How gates are filled in; private to verify. */
#ifndef GAIT_VERIFY_GATE_FILL_H
#define GAIT_VERIFY_GATE_FILL_H

#include "verify/verify.h"

/* At most 2 % slower, at most 5 % more memory: docs/verify.md. */
#define DEFAULT_MIN_SPEEDUP 0.98
#define DEFAULT_MAX_MEMORY_RATIO 1.05

extern const struct gate_numbers no_numbers;

struct gate_result *gate_add(struct verify_result *out, const char *name);
/* The gate does not apply, for that reason. */
enum verdict does_not_apply(struct gate_result *g, const char *code, const char *why);
void gate_count(struct verify_result *out, struct gate_result *g, enum verdict verdict);
/* The remark, and the verdict counted in *out. */
void gate_decide(struct verify_result *out, struct gate_result *g, enum verdict verdict,
                 const char *code, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
