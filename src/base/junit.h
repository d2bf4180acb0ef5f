/*
 * Results as JUnit XML, which build servers read: test suites, test cases and what went
 * wrong in them. Elements and attributes are those of Jenkins' schema (junit-10.xsd). All
 * text may be anything: the document is well-formed whatever it holds.
 *
 *     junit_init → (junit_begin_case → junit_add… → junit_end_case)… → junit_finish
 */
#ifndef GAIT_BASE_JUNIT_H
#define GAIT_BASE_JUNIT_H

#include "base/strbuf.h"

/* What a test case came to; of several the last of this list counts. */
enum junit_outcome { JUNIT_PASSED, JUNIT_SKIPPED, JUNIT_FAILURE, JUNIT_ERROR };

struct junit {
    struct strbuf cases, printed; /* of all so far; by the one that is open */
    size_t n[4];                  /* test cases by outcome */
    enum junit_outcome worst;     /* of the one that is open */
};

void junit_init(struct junit *j);
void junit_begin_case(struct junit *j, const char *group, const char *name);
/* Any but JUNIT_PASSED. Message: a line; body: lines, "" for none. */
void junit_add(struct junit *j, enum junit_outcome outcome, const char *type,
               const char *message, const char *body);
/* Lines that the test case printed. */
void junit_print(struct junit *j, const char *lines);
void junit_end_case(struct junit *j);
/* Append the document, and release j. The counts are of test cases, not of what failed
 * in them. */
void junit_finish(struct junit *j, struct strbuf *out, const char *suite);

#endif
