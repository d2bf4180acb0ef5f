/*
 * What a run says of what `gait lint` found: a finding of `gait analyze` is its price, or
 * the run shows that it is harmless, or cannot say. Start here.
 *
 * One quantity has one value: a suspect has no price of its own, only the one that
 * `gait analyze` tells. Where several share one, its gain is that of all of them
 * together.
 */
#ifndef GAIT_SUSPECTS_SUSPECTS_H
#define GAIT_SUSPECTS_SUSPECTS_H

#include "findings/findings.h"
#include "lint/lint.h"

/* E(VALUE, "as told") docs/lint.md says when each is told. */
#define SUSPECT_LIST(E)                                                                  \
    E(PRICED, "priced")                                                                  \
    E(MEASURED, "measured")                                                              \
    E(NOT_MEASURED, "not measured")                                                      \
    E(REFUTED, "refuted")
#define SUSPECT_VALUE(v, text) SUSPECT_##v,
enum suspect_verdict { SUSPECT_LIST(SUSPECT_VALUE) SUSPECT_COUNT };
extern const char *const suspect_verdict_text[SUSPECT_COUNT];

struct suspect {
    size_t file, row; /* of the lint_result */
    enum suspect_verdict verdict;
    int64_t finding;       /* of findings->finding; -1: none */
    struct lint_cost cost; /* its texts live in the arena */
    const char *price;     /* one line: lint_finding.price */
};

struct suspects {
    struct arena text;
    struct suspect *suspect; /* (n) as lint_result has them */
    size_t n;
    size_t count[SUSPECT_COUNT];
};

/* f: findings_new() of the run and the analysis. Nothing of them is kept. */
void suspects_init(struct suspects *s, const struct lint_result *lint,
                   const struct run *run, const struct analysis *analysis,
                   const struct findings *f);
void suspects_release(struct suspects *s);

/* Set price and cost of all findings; they live as long as the suspects. */
void suspects_set_prices(const struct suspects *s, struct lint_result *lint);

#endif
