/* Findings as JSON: docs/schema/lint.schema.json. */
#ifndef GAIT_LINT_LINT_JSON_H
#define GAIT_LINT_LINT_JSON_H

#include "base/strbuf.h"
#include "lint/lint.h"
#include "lint/lint_paths.h"

enum { LINT_JSON_VERSION = 2 };

struct lint_json_options {
    size_t rules_checked;
    size_t fixed;    /* findings that --fix has fixed; r is what is left */
    bool statistics; /* how often each rule found something, instead of the files */
    const struct lint_path_failure *folders; /* (n_folders) that could not be read */
    size_t n_folders;
    const char *run; /* by which findings are priced, NULL: none */
};

void lint_json_write(struct strbuf *out, const struct lint_result *r,
                     const struct lint_json_options *o);

/* The same in 2 KB, as base/brief.h has it. subject: the paths as a shell takes them. */
void lint_brief_write(struct strbuf *out, const struct lint_result *r,
                      const struct lint_json_options *o, const char *subject);

/* Of a finding's fix, as JSON has it. */
const char *lint_safety_word(enum lint_safety safety);

/* Can a finding's edits be written as JSON text? Not where they hold bytes that are not
 * UTF-8: another text would be inserted. */
bool lint_edits_are_text(const struct lint_finding *f);

#endif
