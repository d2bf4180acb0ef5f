/*
 * "Still slow?" as questions that are asked one after the other, each answered by what
 * was measured just now. The first yes decides what to do next; where all say no, a
 * profile has the rest.
 *
 * To add a question: write the function in questions.c, add a row to QUESTION_LIST at the
 * place where it decides, and describe it in docs/diagnose.md.
 */
#ifndef GAIT_DIAGNOSE_QUESTIONS_H
#define GAIT_DIAGNOSE_QUESTIONS_H

#include "diagnose/estimate.h"
#include "diagnose/facts.h"

/* E(VALUE, "key", "question"): what hides all others first, what costs least to change
 * before what costs more, the machine's limit last. */
#define QUESTION_LIST(E)                                                                 \
    E(OTHERS, "other-programs", "do other programs take the CPU?")                       \
    E(DATA, "data", "does it wait for data?")                                            \
    E(BESIDE, "beside-the-steps", "is it validation or checkpoints?")                    \
    E(THREADS, "threads", "would other threads help?")                                   \
    E(BATCH, "batch", "would another batch give more tokens/s?")                         \
    E(PRECISION, "precision", "is the other precision faster?")                          \
    E(OPTIMIZER, "optimizer", "is it the optimizer?")                                    \
    E(PRODUCTS, "products", "is it the products?")

#define QUESTION_VALUE(v, key, text) QUESTION_##v,
enum question { QUESTION_LIST(QUESTION_VALUE) QUESTION_COUNT };
extern const char *const question_key[QUESTION_COUNT];
extern const char *const question_text[QUESTION_COUNT];

#define ANSWER_VALUE_LIST(E) E(NO, "no") E(YES, "yes") E(UNKNOWN, "not_available")
#define ANSWER_VALUE(v, text) ANSWER_##v,
enum answer_value { ANSWER_VALUE_LIST(ANSWER_VALUE) ANSWER_COUNT };
extern const char *const answer_value_text[ANSWER_COUNT];

enum { ANSWER_TEXT_MAX = 512, ANSWER_NEXT_MAX = 512 };

struct answer {
    enum answer_value value;
    char text[ANSWER_TEXT_MAX]; /* the figures */
    char next[ANSWER_NEXT_MAX]; /* of a yes */
};

void questions_ask(struct answer out[QUESTION_COUNT], const struct training_facts *f,
                   const struct estimate *e);

/* The first yes; QUESTION_COUNT: none. */
enum question questions_first_yes(const struct answer answers[QUESTION_COUNT]);

#endif
