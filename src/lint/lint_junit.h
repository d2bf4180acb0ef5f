/* Findings as JUnit XML, for build servers: each file is a test case, each finding a
 * failure in it, each file or folder that could not be read an error. */
#ifndef GAIT_LINT_LINT_JUNIT_H
#define GAIT_LINT_LINT_JUNIT_H

#include "base/strbuf.h"
#include "lint/lint.h"
#include "lint/lint_paths.h"

struct lint_junit_options {
    const struct lint_path_failure *folders; /* (n_folders) that could not be read */
    size_t n_folders;
};

void lint_junit_write(struct strbuf *out, const struct lint_result *r,
                      const struct lint_junit_options *o);

#endif
