/* The gates for other programs: JUnit's XML for a build server, Markdown for a pull
 * request, 2 KB of JSON for whoever pays by the byte. */
#ifndef GAIT_VERIFY_VERIFY_FILES_H
#define GAIT_VERIFY_VERIFY_FILES_H

#include "verify/verify.h"

/* What stands beside the gates. */
struct verify_shown {
    const char *subject[2]; /* what was compared, before and after; NULL: not said */
    bool recordings;        /* of runs or traces; else both ran here */
    size_t unread;          /* files of them that could not be read */
};

/* Each gate is a test case: FAIL and UNSURE are failures, whose type is their code; N/A is
 * skipped. Where nothing is proved, one more has an error: no green result of a part. */
void verify_print_junit(struct strbuf *out, const struct verify_result *r,
                        const struct verify_shown *shown);
/* The verdict, a table of the gates, and what to do next: short enough for a comment. */
void verify_print_markdown(struct strbuf *out, const struct verify_result *r,
                           const struct verify_shown *shown);
/* The gates' figures as base/brief.h has it: those that did not pass first. */
void verify_print_brief(struct strbuf *out, const struct verify_result *r,
                        const struct verify_shown *shown);

#endif
