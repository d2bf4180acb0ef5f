/*
 * What --fix would change, as a unified diff with three lines of context, to be applied
 * in the folder gait was called in: `patch -p0`, `git apply -p0`.
 */
#ifndef GAIT_LINT_LINT_DIFF_H
#define GAIT_LINT_LINT_DIFF_H

#include "base/strbuf.h"

/* Nothing where both are the same. The lines stand as they are in the file, whatever
 * bytes they hold: else the diff could not be applied. */
void lint_diff_write(struct strbuf *out, const char *path, const char *old,
                     size_t old_len, const char *new, size_t new_len);

#endif
