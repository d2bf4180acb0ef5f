/*
 * The rules of `gait lint`, read once from src/lint/rules/, one file a rule; how such a
 * file is written: docs/lint-rules.md.
 */
#ifndef GAIT_LINT_LINT_RULE_H
#define GAIT_LINT_LINT_RULE_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

struct lint_rule {
    const char *code;      /* "GT101" */
    const char *name;      /* "sync-item": also its page, docs/rules/GT101-sync-item.md */
    const char *title;     /* what is wrong, a few words */
    const char *why;       /* what it costs, one sentence */
    const char *fix;       /* what to write instead, one or two sentences */
    const char *priced_by; /* rules of `gait analyze` that measure this cause, separated
                              by spaces; "": none */
    bool on;               /* without being selected */
    bool with_run;         /* else where --with RUN prices the finding */
    const char *query;     /* its patterns, for source/source_query.h */
};

extern const struct lint_rule lint_rules[];
extern const size_t lint_rule_count;

/* By code or name, NULL: there is none. */
const struct lint_rule *lint_rule_find(const char *word);
/* Append the table of docs/rules/README.md. */
void lint_rules_print_markdown(struct strbuf *out);

#endif
