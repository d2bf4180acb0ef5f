/* Rules that speak once a program (#once!): which file is the one to point at. */
#ifndef GAIT_LINT_LINT_ONCE_H
#define GAIT_LINT_LINT_ONCE_H

#include "source/source_project.h"

/* Of unit u and rule r, out[u * lint_rule_count + r]: does its first such hit count? A
 * program is a file that no other imports, with all that it imports; the nearest one with
 * a hit speaks for it. The caller frees the answer with mem_free(). */
bool *lint_once(const struct source_project *p);

#endif
