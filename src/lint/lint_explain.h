/* What a rule is about, for `gait explain GT101`. */
#ifndef GAIT_LINT_LINT_EXPLAIN_H
#define GAIT_LINT_LINT_EXPLAIN_H

#include "base/strbuf.h"
#include "lint/lint_rule.h"

#include <stdbool.h>

struct lint_explain_options {
    bool colour;
    int columns; /* of the terminal, 0: none; lines have at most 100 */
};

void lint_explain_write(struct strbuf *out, const struct lint_rule *rule,
                        const struct lint_explain_options *o);

#endif
