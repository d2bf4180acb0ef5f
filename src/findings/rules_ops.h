/* Rules about operators and the way they are put together. How a line is made: rule.h. */
#ifndef GAIT_FINDINGS_RULES_OPS_H
#define GAIT_FINDINGS_RULES_OPS_H

#define RULE_LIST_OPS(R)

#define FIX_LIST_OPS(F)

#endif
