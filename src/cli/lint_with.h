/*
 * `gait lint --with RUN`: findings with what a run says of them. What it refutes leaves
 * the result.
 *
 * Legal order: lint_check, suppressed findings removed, lint_with_run, lint_with_sort (for
 * text alone), the renderers, lint_with_release, lint_result_release.
 */
#ifndef GAIT_CLI_LINT_WITH_H
#define GAIT_CLI_LINT_WITH_H

#include "base/status.h"
#include "base/strbuf.h"
#include "lint/lint_settings.h"
#include "suspects/suspects.h"

struct lint_refuted {
    const char *path;
    struct lint_finding finding;
};

struct lint_with {
    struct suspects suspects;
    const char *run_path;
    struct lint_refuted *refuted; /* (n_refuted) what left the result */
    size_t n_refuted;
};

/* Read the run or trace as `gait analyze` does, and set price and cost of all findings of
 * *lint; they live as long as *w. Findings that need a price and have none leave too. On OK the caller calls lint_with_release(). */
enum status lint_with_run(struct lint_with *w, struct lint_result *lint,
                          const struct lint_settings *settings, const char *run_path,
                          struct err *err);
void lint_with_release(struct lint_with *w);

/* Files and their findings, the most expensive first; what has no gain by its time; what
 * was not measured behind it, in the order of the text. */
void lint_with_sort(struct lint_result *lint);

/* "With train.gait: 2 priced, 1 measured, 3 not measured; 4 harmless ones are left out
 * (-v tells them)", and with `verbose` a line for each of these. */
void lint_with_tell(struct strbuf *out, const struct lint_with *w, bool verbose);

#endif
