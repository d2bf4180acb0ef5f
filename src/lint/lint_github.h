/* Findings as annotations of a pull request: the workflow commands that GitHub reads from
 * the log of a job. */
#ifndef GAIT_LINT_LINT_GITHUB_H
#define GAIT_LINT_LINT_GITHUB_H

#include "base/strbuf.h"
#include "lint/lint.h"

void lint_github_write(struct strbuf *out, const struct lint_result *r);

#endif
