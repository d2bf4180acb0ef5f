/*
 * Input shapes of an operator as a run has them ("[[64,128],[[2,3],[4]],[]]"), made
 * numbers. The text is hostile until read: what is not understood has no inputs.
 */
#ifndef GAIT_EVIDENCE_SHAPES_H
#define GAIT_EVIDENCE_SHAPES_H

#include "run/run.h"

enum { SHAPES_INPUTS_MAX = 6, SHAPES_DIMS_MAX = 8 };

struct shape {
    int rank; /* 0: one number, none, or a list */
    int64_t dim[SHAPES_DIMS_MAX];
    double numbers; /* product of dim; of a list the sum over its tensors; 1 of "[]" */
    int tensors;    /* of a list; 0: it is none */
};

struct shapes {
    struct shape in[SHAPES_INPUTS_MAX]; /* (n) the first ones */
    int n;
};

/* False where nothing is known. */
bool shapes_read(struct shapes *s, const char *text);
/* Of a span. */
bool shapes_of(struct shapes *s, const struct run *run, int64_t span);

bool shape_equal(const struct shape *a, const struct shape *b);
/* The same dimensions in another order. */
bool shape_permuted(const struct shape *a, const struct shape *b);
/* The most numbers that any input has; 0 where nothing is known. */
double shapes_largest(const struct run *run, int64_t span);
/* How many numbers the tensors of this very shape have in the list (or input) `list` of
 * the text, and all of it together: false where the text does not have it. */
bool shapes_share(const char *text, const struct shape *of, double *of_numbers,
                  double *all_numbers);

#endif
