#include "verify/gate_fill.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const struct gate_numbers no_numbers = {.unit = "",
                                        .change_unit = "",
                                        .before = NAN,
                                        .after = NAN,
                                        .change = NAN,
                                        .change_low = NAN,
                                        .change_high = NAN,
                                        .allowed = NAN,
                                        .at_step = -1};

struct gate_result *gate_add(struct verify_result *out, const char *name)
{
    if (out->n == VERIFY_GATES_MAX)
        BUG("more than %d gates", VERIFY_GATES_MAX);
    struct gate_result *g = &out->gate[out->n++];
    *g = (struct gate_result){.name = name,
                              .code = "",
                              .verdict = VERDICT_NOT_APPLICABLE,
                              .numbers = no_numbers};
    return g;
}

enum verdict does_not_apply(struct gate_result *g, const char *code, const char *why)
{
    snprintf(g->remark, sizeof g->remark, "%s", why);
    g->code = code;
    return VERDICT_NOT_APPLICABLE;
}

void gate_count(struct verify_result *out, struct gate_result *g, enum verdict verdict)
{
    g->verdict = verdict;
    out->failed += verdict == VERDICT_FAIL;
    out->unsure += verdict == VERDICT_UNSURE;
    out->applied += verdict != VERDICT_NOT_APPLICABLE;
}

void gate_decide(struct verify_result *out, struct gate_result *g, enum verdict verdict,
                 const char *code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(g->remark, sizeof g->remark, fmt, args);
    va_end(args);
    g->code = code;
    gate_count(out, g, verdict);
}
