/*
 * One comparison of two plans, really run, and the list of all of them. With a file, each
 * is kept as soon as it is done: a search that was stopped goes on with what it knows.
 */
#ifndef GAIT_TUNE_TRIAL_H
#define GAIT_TUNE_TRIAL_H

#include "tune/baseline.h"
#include "verify/proof.h"

#include <stdio.h>

/* E(value, "word in files") */
#define TRIAL_STAGE_LIST(E)                                                              \
    E(ALONE, "alone")       /* one setting changed */                                    \
    E(TOGETHER, "together") /* several, against the config as given */                   \
    E(AROUND, "around")     /* one setting changed of the best so far */                 \
    E(BATCH, "batch")       /* another batch: another training */                        \
    E(LAST, "last")         /* the best against the config as given */

enum trial_stage {
#define TRIAL_STAGE_VALUE(v, word) TRIAL_##v,
    TRIAL_STAGE_LIST(TRIAL_STAGE_VALUE) TRIAL_STAGE_COUNT
};
extern const char *const trial_stage_word[TRIAL_STAGE_COUNT];

enum { TRIAL_PLAN_BYTES = 320 };

struct trial {
    enum trial_stage stage;
    int round; /* of a race; 0: there is one */
    char before[TRIAL_PLAN_BYTES], after[TRIAL_PLAN_BYTES]; /* plan_text() */
    double predicted; /* change of the step's time; NAN: nothing predicted it */
    struct ab_time time;
    double bytes[2]; /* allocated */
    char why_not
        [200]; /* it cannot be taken: it does not run, or is another model; or "" */
};

/* Nothing is known of it yet: all figures are NAN. */
struct trial trial_new(enum trial_stage stage, int round, double predicted);
void trial_put_plan(char out[TRIAL_PLAN_BYTES], const struct tune_space *s,
                    struct tune_plan p);

/* What the times tell: -1 faster, 1 slower, 0 nothing. Where steps are so long that there
 * are too few pairs for an interval, only what is plain to see. */
int trial_tells(const struct trial *t);

struct trials {
    struct baseline baseline; /* of the file; step_ns is 0 where it has none */
    struct trial *of;         /* (n), in the order in which they were run */
    size_t n, cap;
    size_t known; /* of them, from the file */
    FILE *file;   /* or NULL */
};

/* path: where they are kept; NULL: nowhere. header: what they hold for; those of another
 * one are left. */
enum status trials_open(struct trials *t, const char *path, const char *header,
                        struct err *err);
void trials_close(struct trials *t);

/* Keep what the search begins with: going on, it must be the same. */
enum status trials_keep_baseline(struct trials *t, const struct baseline *b,
                                 struct err *err);

/* The same comparison, as it was run last, or NULL. */
const struct trial *trials_find(const struct trials *t, enum trial_stage stage, int round,
                                const char *before, const char *after);
/* Keep one that was run. The pointer holds until the next is kept. */
enum status trials_keep(struct trials *t, const struct trial *trial,
                        const struct trial **out, struct err *err);

/* One as a JSON object on one line. */
void trial_json(struct strbuf *out, const struct trial *t);

#endif
