/*
 * Which rules a few words select, as in ruff: ALL, a prefix of codes (GT, GT1, GT10), a
 * code (GT101) or a name (sync-item). Where both select and ignore name a rule, the more
 * specific one wins; among equals, ignore.
 */
#ifndef GAIT_LINT_LINT_SELECTOR_H
#define GAIT_LINT_LINT_SELECTOR_H

#include "lint/lint_rule.h"

#include <stdbool.h>
#include <stddef.h>

struct lint_words {
    const char *const *word; /* (n) */
    size_t n;
    bool given; /* an empty list that is given selects nothing */
};

/* What one place says: a settings file, the command line. */
struct lint_selection {
    struct lint_words select, extend_select, ignore, extend_ignore;
};

/* How specific: 0 for ALL, more the more it says; -1: it does not name this rule. */
int lint_selector_names(const char *selector, const struct lint_rule *rule);
/* Does it name any rule? */
bool lint_selector_is_known(const char *selector);
/* The selector that was perhaps meant, NULL: none is near. */
const char *lint_selector_nearest(const char *word);

/* on (lint_rule_count) becomes what s makes of it: its select, where given, replaces all
 * that was on; the other lists add and remove. */
void lint_selection_apply(bool *on, const struct lint_selection *s);

#endif
