/* How much `gait lint` found: the figures that all outputs share. */
#ifndef GAIT_LINT_LINT_COUNTS_H
#define GAIT_LINT_LINT_COUNTS_H

#include "lint/lint.h"

struct lint_counts {
    size_t files;      /* that were read */
    size_t unreadable; /* that were not */
    size_t not_parsed; /* read, with a part that could not be parsed */
    size_t with_findings;
    size_t findings, suppressed;
    size_t safe, unsafe; /* findings that have a fix of that kind */
};

struct lint_counts lint_counts_of(const struct lint_result *r);

struct lint_rule_hits {
    const struct lint_rule *rule;
    size_t n, safe, unsafe;
};

/* The rules that found something, most findings first, then by code. The caller frees
 * *out with mem_free(). Returns how many they are. */
size_t lint_rule_hits_of(struct lint_rule_hits **out, const struct lint_result *r);

#endif
