/* A timeline written by hand, and what the rules say of it. */
#ifndef GAIT_TESTS_FINDINGS_ASKED_H
#define GAIT_TESTS_FINDINGS_ASKED_H

#include "timeline_fixture.h"

#include "findings/findings.h"

#include <stdlib.h>
#include <string.h>

struct asked {
    struct timeline *timeline;
    struct analysis *analysis;
    struct findings *findings;
};

static inline struct asked ask(struct timeline *t)
{
    struct asked a = {.timeline = t};
    timeline_read(t);
    a.analysis = analysis_new(&t->run);
    a.findings = findings_new(&t->run, a.analysis);
    assert_true(a.findings->possible);
    return a;
}

static inline void asked_release(struct asked *a)
{
    findings_free(a->findings);
    analysis_free(a->analysis);
    timeline_release(a->timeline);
}

/* NULL: it is not told. */
static inline const struct finding *told(const struct asked *a, const char *rule)
{
    for (size_t i = 0; i < a->findings->n; i++)
        if (!strcmp(a->findings->finding[i].rule->name, rule))
            return &a->findings->finding[i];
    return NULL;
}

static inline const struct finding *must_tell(const struct asked *a, const char *rule)
{
    const struct finding *x = told(a, rule);
    if (x)
        return x;
    fail_msg("%s is not told", rule);
    abort();
}

#endif
