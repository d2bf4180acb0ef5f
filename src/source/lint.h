/*
 * Causes of slow training that stand in the Python source. A rule is a row of a table: a
 * tree-sitter query that finds candidates, where a candidate counts, and what to tell.
 *
 * To add a rule: write a row in lint_rules.c:
 *   .id      a short name for --json and docs, as "device-sync-in-loop"
 *   .title   what is wrong, a few words
 *   .where   in which place a hit counts
 *   .why     what it costs, one sentence
 *   .forms   the forms the cause comes in, each with
 *     .query   a tree-sitter query for the Python grammar; the call that is the cause is
 *              captured as @hit. Predicates, all of which must hold:
 *                (#eq? @capture "text")           its text is this
 *                (#any-of? @capture "a" "b" …)    its text is one of these
 *                (#contains? @capture "text")     its text holds this
 *     .fix     what to write instead of this form
 *            where a line has several forms, the first of the table is told
 * and a bad and a good file in tests/unit/source/test_lint.c.
 */
#ifndef GAIT_SOURCE_LINT_H
#define GAIT_SOURCE_LINT_H

#include "base/arena.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum lint_where {
    LINT_WHERE_ANYWHERE,
    LINT_WHERE_TRAINING_STEP, /* made in every turn of a loop that trains */
};

enum { LINT_FORMS_MAX = 4 };

struct lint_form {
    const char *query, *fix;
};

struct lint_rule {
    const char *id, *title;
    enum lint_where where;
    const char *why;
    struct lint_form forms[LINT_FORMS_MAX]; /* those with a query */
};

extern const struct lint_rule lint_rules[];
extern const size_t lint_rule_count;

struct lint_finding {
    const struct lint_rule *rule;
    const struct lint_form *form; /* of rule */
    int32_t line;
    uint32_t byte;    /* of the cause's last byte */
    const char *text; /* the source line: trimmed, cut when long, safe to print */
};

struct lint_report {
    struct arena text;
    struct lint_finding *findings; /* (n) in the order of the text; one a rule and line */
    size_t n, cap;
    int32_t error_line; /* of the first part that is not Python; 0: all of it is */
};

/* Check text[0..len) with every rule; name is for messages. On OK the caller releases
 * *r. */
enum status lint_text(struct lint_report *r, const char *text, size_t len,
                      const char *name, struct err *err);
void lint_report_release(struct lint_report *r);

#endif
