/* A table of rules that stays as it is: the linker takes it instead of lint's own. */
#ifndef GAIT_TESTS_RULES_FIXTURE_H
#define GAIT_TESTS_RULES_FIXTURE_H

#include "lint/lint_rule.h"

#define ITEM_QUERY                                                                       \
    "((call function: (attribute attribute: (identifier) @name)) @hit"                   \
    " (#any-of? @name \"item\" \"cpu\"))"
#define PRINT_QUERY "((call function: (identifier) @name) @hit (#eq? @name \"print\"))"

const struct lint_rule lint_rules[] = {
    {"GT001", "unused-noqa", "t", "w", "remove it", "", true, false, ""},
    {"GT101", "sync-item", "t", "w", "f", "", true, false, ITEM_QUERY},
    {"GT102", "sync-print", "t", "w", "f", "", true, false, PRINT_QUERY},
    {"GT110", "pedantic", "t", "w", "f", "", false, false, ""},
    {"GT201", "copies", "t", "w", "f", "", true, false, ""},
    {"GT310", "slow-perhaps", "t", "w", "f", "host-wait", false, true, ""},
};
const size_t lint_rule_count = sizeof lint_rules / sizeof *lint_rules;

#endif
