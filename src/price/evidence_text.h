/*
 * What a finding has seen: a sentence for people, and the numbers in it for scripts. One
 * statement gives both, so that they cannot differ:
 *
 *   evidence_say(x, "the host blocks until a copy is done, in {} a step; {} of it",
 *                quantity_plural("calls_per_step", calls, "call", "calls"),
 *                quantity_percent("blocked_frac", blocked, 1));
 *
 * Each {} is the next quantity. Sentences follow one another; what does not fit the
 * finding's text is cut. Sentences speak of a step; where there are none, the recording
 * is put in its place. Names within a finding are distinct.
 */
#ifndef GAIT_PRICE_EVIDENCE_TEXT_H
#define GAIT_PRICE_EVIDENCE_TEXT_H

#include "price/finding.h"

#define evidence_say(x, sentence, ...)                                                   \
    evidence_append(x, sentence, (const struct quantity[]){__VA_ARGS__},                 \
                    sizeof((const struct quantity[]){__VA_ARGS__}) /                     \
                        sizeof(struct quantity))

/* Numbers that another text of the finding says: where it is, what is missing. They follow
 * those of the sentences. */
#define evidence_beside(x, ...)                                                          \
    evidence_add(x, (const struct quantity[]){__VA_ARGS__},                              \
                 sizeof((const struct quantity[]){__VA_ARGS__}) /                        \
                     sizeof(struct quantity))
void evidence_add(struct finding *x, const struct quantity *quantity, size_t n);

/* The same with quantity[0..n), as many as the sentence has {}; n may be 0. */
void evidence_append(struct finding *x, const char *sentence,
                     const struct quantity *quantity, size_t n);

/* So many of something, a step. */
struct evidence_part {
    const char *name;
    double count;
    const char *one, *many;
};

/* Append "2 clones, 1 cast and 2.5 changes": without what there is none of. */
void evidence_parts(struct finding *x, const struct evidence_part *parts, size_t n);

#endif
