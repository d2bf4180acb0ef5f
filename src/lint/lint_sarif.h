/*
 * Findings as SARIF 2.1.0, which code scanning services and editors read. Columns are
 * Unicode code points; paths are URIs, relative ones to the folder gait was called in.
 */
#ifndef GAIT_LINT_LINT_SARIF_H
#define GAIT_LINT_LINT_SARIF_H

#include "base/strbuf.h"
#include "lint/lint.h"

struct lint_sarif_options {
    const char *version;           /* of gait */
    const struct lint_rule *rules; /* (n_rules) those that were checked, in one array
                                      that all findings point into */
    size_t n_rules;
};

/* Reads the files again for the lines and columns of fixes: of a file that was changed
 * since it was checked, or can no longer be read, fixes are left out. */
void lint_sarif_write(struct strbuf *out, const struct lint_result *r,
                      const struct lint_sarif_options *o);

#endif
