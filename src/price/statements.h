/*
 * Which statements of the job ask for some of its work. A statement stands for all that
 * is asked for below it, in the functions that it calls: where nearly all of that is of
 * the work in question, it is named instead of what it calls: `evaluate(model)`, not the
 * lines of the model. So is the caller of a line that asks for none of it where it is
 * called from elsewhere.
 */
#ifndef GAIT_PRICE_STATEMENTS_H
#define GAIT_PRICE_STATEMENTS_H

#include "evidence/watched.h"
#include "price/finding.h"

struct statement {
    name_id file, function;
    int32_t line; /* row of run->lines */
    double ns;    /* of the work in question */
    int32_t most; /* the row below it, or itself, that asks for most of that itself */
    double most_ns;
    double function_ns; /* of all of its function, where it is the first of it; else 0 */
};

struct statements {
    struct statement *statement; /* (n) of each line of a file one; the most first */
    size_t n;
};

/* part_ns, all_ns: (lines of the run) of the work in question and of all, what each asks
 * for itself; all_ns NULL: each stands for itself. top: (lines) the row that stands for
 * what each asks for, or -1. */
void statements_init(struct statements *s, const struct run *run, const double *part_ns,
                     const double *all_ns, int32_t *top);
void statements_release(struct statements *s);

/* Are both in the same function? */
bool statements_together(const struct run *run, int32_t a, int32_t b);

/* The finding's lines are those from `first` on that stand in its function, and the one
 * further down that asks for most; where it is told begins with them: "train.py:14, 15 in
 * main, most at model.py:80 in forward". */
void statements_tell(const struct statements *s, const struct run *run, size_t first,
                     struct finding *x);

/* The finding's place is the statement's function, by the names of both. */
void statements_set_place(const struct statement *s, const struct run *run,
                          struct finding *x);

/* (lines) What each asks for itself of the work that the edits touch, in all steps. The
 * rank must have been watched. The caller frees it. */
double *statements_edited(const struct evidence *e, const struct edit_list *edits);

/* Where its lines are not known: those that ask for what it would change. */
void statements_place(const struct evidence *e, struct finding *x);

/* Its lines are those that hold the host in a part of the step, where it was looked at.
 */
void statements_place_part(const struct evidence *e, enum sample_part part,
                           struct finding *x);

/* Its lines are those that a rank takes longer at than the others, where these make up
 * half of so much a step. */
void statements_place_beyond_others(const struct evidence *e, int32_t rank, double ns,
                                    struct finding *x);

/* Its lines are those that ask for collectives outside of the backward pass, where these
 * are most of so many a step. */
void statements_place_collectives(const struct evidence *e, double count,
                                  struct finding *x);

#endif
