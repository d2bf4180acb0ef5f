/*
 * Did the change work, and is it still the same model? Gates over two runs, before and
 * after. Each gate passes, fails, or does not apply because the runs do not carry what it
 * needs.
 *
 * To add a gate: write its function in verify.c and add a row to the table there.
 */
#ifndef GAIT_VERIFY_VERIFY_H
#define GAIT_VERIFY_VERIFY_H

#include "base/strbuf.h"
#include "run/run.h"

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_NOT_APPLICABLE };
extern const char *const verdict_text[3];

enum { VERIFY_GATES_MAX = 8, VERIFY_TEXT_MAX = 160 };

struct gate_result {
    const char *name;
    enum verdict verdict;
    char before[32], after[32]; /* as shown; empty where the gate has no such value */
    char remark[VERIFY_TEXT_MAX];
};

struct verify_result {
    struct gate_result gate[VERIFY_GATES_MAX];
    size_t n;
    bool failed; /* any gate */
};

void verify_runs(struct verify_result *out, const struct run *before,
                 const struct run *after);
void verify_print(struct strbuf *out, const struct verify_result *r);
void verify_print_json(struct strbuf *out, const struct verify_result *r);

#endif
