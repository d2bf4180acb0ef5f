/*
 * A reader's own question: "what would a step take if …". The forms:
 *
 *   remove SELECTOR          these spans, with all that they called and launched, are
 * gone scale SELECTOR FACTOR    they take so many times as long no-wait no call of the
 * host waits for the device no-loader                the next batch is always there
 *   batch=2x                 a batch so many times as large
 *   ranks=64 net=25GB/s      so many ranks, such a network; one of the two is enough
 *
 * docs/whatif.md says what each changes. A selector: selector.h.
 */
#ifndef GAIT_WHATIF_QUESTION_H
#define GAIT_WHATIF_QUESTION_H

#include "whatif/selector.h"

/* E(VALUE, code of why a run cannot be asked: it lacks what the question is about) */
#define QUESTION_LIST(E)                                                                 \
    E(REMOVE, "no_such_span")                                                            \
    E(SCALE, "no_such_span")                                                             \
    E(NO_WAIT, "no_wait")                                                                \
    E(NO_LOADER, "no_fetch")                                                             \
    E(BATCH, "no_work")                                                                  \
    E(NETWORK, "no_collective")
#define QUESTION_VALUE(v, lack) QUESTION_##v,
enum question_kind { QUESTION_LIST(QUESTION_VALUE) };

enum { QUESTION_TEXT_MAX = PATTERN_MAX + 64 };

struct question {
    enum question_kind kind;
    struct selector selector;     /* of remove and scale */
    double factor;                /* of scale and batch */
    int ranks;                    /* of network; 0: as many as there are */
    double net_bytes_per_s;       /* of network; 0: as fast as it is */
    char text[QUESTION_TEXT_MAX]; /* in its plain form */
};

/* Does the word begin a question? Files that are called so can be given as ./NAME. */
bool question_begins(const char *word);

/* The question in one word that this is nearly; NULL: none. */
const char *question_near(const char *word);

/* The question at words[0..n): it may stand in one quoted word or in several. *used: how
 * many it took. */
enum status question_parse(struct question *q, size_t *used, const char *const *words,
                           size_t n, struct err *err);

#endif
