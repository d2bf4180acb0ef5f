/*
 * Findings for a person. Each has its place, the line with the cause underlined, and what
 * to write instead. Why a rule matters, and advice that is the same for each of its
 * findings, stand at its first finding only: a hundred findings stay a list.
 */
#ifndef GAIT_LINT_LINT_TEXT_H
#define GAIT_LINT_LINT_TEXT_H

#include "base/strbuf.h"
#include "lint/lint.h"

struct lint_text_options {
    bool colour;
    int columns;       /* of the terminal, 0: none; lines have at most 100 */
    bool unsafe_fixes; /* --unsafe-fixes was given: those count as fixable too */
    size_t fixed;      /* findings that --fix has fixed; r is what is left */
};

/* Each ends with lint_text_summary(). */
void lint_text_write(struct strbuf *out, const struct lint_result *r,
                     const struct lint_text_options *o);
/* A line for each finding: path:line:column: CODE [*] title */
void lint_text_write_concise(struct strbuf *out, const struct lint_result *r,
                             const struct lint_text_options *o);
/* A line for each rule that found something: count, code, [*] name. */
void lint_text_write_statistics(struct strbuf *out, const struct lint_result *r,
                                const struct lint_text_options *o);

void lint_text_summary(struct strbuf *out, const struct lint_result *r,
                       const struct lint_text_options *o);

#endif
