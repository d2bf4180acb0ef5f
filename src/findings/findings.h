/*
 * All findings of a run: every rule is asked, the price of each is found by replaying the
 * run with what the rule would change, and all of them together. Start here.
 */
#ifndef GAIT_FINDINGS_FINDINGS_H
#define GAIT_FINDINGS_FINDINGS_H

#include "price/finding.h"
#include "rules/rule.h"

/* Of the rank that is shown. The run and the analysis must outlive them. */
struct findings *findings_new(const struct run *run, const struct analysis *analysis);
void findings_free(struct findings *f); /* NULL is fine */

/* The finding of this id; NULL: there is none. */
const struct finding *findings_with_id(const struct findings *f, const char *id);

/* How much of the rank's step is told what it is: by the account, where there is one; f
 * may be NULL. */
double findings_explained_frac(const struct findings *f, const struct analysis_rank *r);

/* Never NULL. */
static inline const struct rule_fix *finding_fix(const struct finding *x)
{
    if (x->own_fix.rule)
        return &x->own_fix;
    return x->fix ? x->fix : rule_fix(x->rule);
}

/* Was this rule asked, and found nothing that is told? */
bool findings_silent(const struct findings *f, const struct rule *rule);
/* Did it find something that others tell, so that it is silent about that? */
bool findings_gave_way(const struct findings *f, const struct rule *rule);

#endif
