/*
 * A training looked at before it begins: facts (facts.h) are looked up and measured, then
 * checks (checks.h) and the questions of "still slow?" (questions.h) read them.
 */
#ifndef GAIT_DIAGNOSE_DIAGNOSE_H
#define GAIT_DIAGNOSE_DIAGNOSE_H

#include "base/strbuf.h"
#include "diagnose/checks.h"
#include "diagnose/questions.h"

struct diagnosis {
    struct training_facts facts;
    struct estimate estimate;
    struct outcome checks[CHECK_COUNT];
    struct answer answers[QUESTION_COUNT];
};

/* config_check() need not have passed: that is the first check. words: the config and its
 * flags, for commands to go on with. config and words must outlive the diagnosis. steps:
 * the most that are timed. Nothing is left on the disk. */
void diagnose(struct diagnosis *d, const struct config *config, const char *words,
              int64_t steps);

/* The worst of its checks: FAIL, WARN or OK. */
enum outcome_verdict diagnosis_verdict(const struct diagnosis *d);

/* For people: FAIL first, then WARN, then how many more; verbose: every check. */
void diagnosis_text(struct strbuf *out, const struct diagnosis *d, bool verbose);
/* docs/schema/diagnose.schema.json */
void diagnosis_json(struct strbuf *out, const struct diagnosis *d);

#endif
