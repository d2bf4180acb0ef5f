/*
 * Findings that are one wait: reads between which the device is given no work of weight.
 * The first drains the queue, the others find it empty. Each stays a finding of its own
 * for comments, fixes and prices; where findings are shown, the row is one of them.
 */
#ifndef GAIT_LINT_LINT_ROWS_H
#define GAIT_LINT_LINT_ROWS_H

#include "base/strbuf.h"
#include "lint/lint.h"

/* Of each row the first stays, with the lines of the others: those that are left once
 * comments have suppressed theirs. */
void lint_rows_merge(struct lint_result *r);

/* Append "lines 41 and 43 wait for the same work"; nothing where there are none. */
void lint_rows_tell(struct strbuf *out, const struct lint_finding *f);

#endif
