/*
 * Comments that suppress findings, as in flake8 and ruff:
 *
 *   # noqa                  all findings of this line
 *   # noqa: GT101, GT2      of these codes or prefixes; E501 and the like are others'
 *   # noqa: sync-item       of the rule of this name
 *   # gait: noqa            of the whole file; on a line of its own, with codes as well
 *
 * A comment is for the findings that begin or end in its line, and for those in a string
 * or behind a backslash that leads to its line.
 */
#ifndef GAIT_LINT_LINT_NOQA_H
#define GAIT_LINT_LINT_NOQA_H

#include "lint/lint_check.h"

/* Removes what comments suppress, counted in each file, and returns how many that are.
 * Where GT001 is wanted, it is found where a code, or `# gait: noqa`, suppresses nothing:
 * not for `# noqa` without codes, which other linters read too; not for codes of rules
 * that are not wanted here; not in files that could not be read as a whole. */
size_t lint_noqa_apply(struct lint_result *r, const struct lint_check_options *o);

/* The edits that suppress the findings that lint_noqa_apply() left of a file, but
 * GT001's: ascending, one for each line. text[0..len) is what was checked; *edits live as long as r. Returns how many; 0
 * where the file is not all Python, since the end of a line may then be within a text. */
size_t lint_noqa_additions(const struct lint_edit **edits, struct lint_result *r,
                           const struct lint_file *file, const char *text, size_t len);

#endif
