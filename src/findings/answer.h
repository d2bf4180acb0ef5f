/*
 * Answers to a reader's own questions (question.h): each alone, and all of them replayed
 * together. Predicted, with the same intervals as the price of a finding.
 */
#ifndef GAIT_FINDINGS_ANSWER_H
#define GAIT_FINDINGS_ANSWER_H

#include "findings/finding.h"
#include "findings/question.h"

struct answer {
    struct question question;
    struct finding price;         /* its edits and predicted figures; it has no rule */
    size_t matched;               /* spans of the replayed steps that it is about */
    bool has_ceiling;             /* does "if all that took no time" mean anything? */
    char model[FINDING_TEXT_MAX]; /* what was assumed; "": nothing beyond the replay */
};

struct answers {
    struct answer *answer; /* (n) */
    size_t n;
    struct err refused; /* why the first question that has no answer has none; its status
                           is OK where all have one */
    struct findings of; /* what was replayed, and how well; no findings */
    double together_gain_ns, together_low_ns, together_high_ns;
    struct critical_path before, after; /* unchanged, and with all of them */
};

/* NULL and *err where no question can be asked of this run. The run and the analysis
 * must outlive the answers. Free with answers_free(). */
struct answers *answers_new(const struct run *run, const struct analysis *analysis,
                            const struct question *question, size_t n, struct err *err);
void answers_free(struct answers *a); /* NULL is fine */

#endif
