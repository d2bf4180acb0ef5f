/* Runs the rules over files. */
#ifndef GAIT_LINT_LINT_CHECK_H
#define GAIT_LINT_LINT_CHECK_H

#include "base/status.h"
#include "lint/lint.h"

#include <stdbool.h>

struct lint_input {
    const char *path;
    const char *text; /* (len); NULL: what the file holds */
    size_t len;
};

struct lint_check_options {
    int threads;
    /* Is this rule wanted for this file? NULL: every rule */
    bool (*wants)(const void *context, const struct lint_rule *rule, const char *path);
    const void *context;
};

/* All findings, suppressed ones too; files that could not be read have a failure. Without
 * tree-sitter in the build: STATUS_ENVIRONMENT. On OK the caller calls
 * lint_result_release(). */
enum status lint_check(struct lint_result *r, const struct lint_input *inputs, size_t n,
                       const struct lint_check_options *o, struct err *err);
/* Set the ids of all findings: of the rule, the file's name, the function and the line as
 * it is written, so that lines above may come and go. */
void lint_set_ids(struct lint_result *r);
void lint_result_release(struct lint_result *r);

#endif
