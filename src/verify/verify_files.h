/* The gates for other programs: JUnit's XML for a build server, Markdown for a pull
 * request. */
#ifndef GAIT_VERIFY_VERIFY_FILES_H
#define GAIT_VERIFY_VERIFY_FILES_H

#include "verify/verify.h"

/* A test case a gate; FAIL is a failure, UNSURE a failure of its own type, N/A skipped. */
void verify_print_junit(struct strbuf *out, const struct verify_result *r);
void verify_print_markdown(struct strbuf *out, const struct verify_result *r);

#endif
