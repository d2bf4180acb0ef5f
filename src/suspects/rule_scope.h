/* Where the cost of a cause lies, by the rule of `gait analyze` that tells it. */
#ifndef GAIT_SUSPECTS_RULE_SCOPE_H
#define GAIT_SUSPECTS_RULE_SCOPE_H

#include "lint/lint.h"
#include "price/rule_row.h"

#include <stdbool.h>

enum rule_scope {
    SCOPE_JOB,   /* a setting: its cost lies anywhere in the step */
    SCOPE_PLACE, /* a place in the source, whose cost may lie further on too */
    SCOPE_LINE,  /* a place in the source, which holds all that it costs */
};

/* Of a finding of lint: what sets something up has its cost elsewhere, whatever the rule.
 */
enum rule_scope rule_scope_for(const struct rule *rule, const struct lint_finding *place);

/* What a run must have for the rule's silence to count: bits of enum rule_needs. */
unsigned rule_silence_needs(const struct rule *rule);
/* Does the rule look at all there is of its cause in such a run? Then what it is silent
 * about is below its least gain, wherever it stands. */
bool rule_silence_counts(const struct rule *rule, unsigned has);

struct rule_scope_row {
    const char *rule;
    enum rule_scope scope;
    bool sees_all;
    unsigned also_needs; /* beside the rule's own needs */
};
extern const struct rule_scope_row rule_scopes[]; /* (rule_scope_count) */
extern const size_t rule_scope_count;

#endif
