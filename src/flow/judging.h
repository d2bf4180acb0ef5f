/* While classes are found: each file of this folder that is named after one judges some
 * of them. Private to flow. */
#ifndef GAIT_FLOW_JUDGING_H
#define GAIT_FLOW_JUDGING_H

#include "flow/flow_classes.h"
#include "run/op_traits.h"

struct judging {
    const struct flow_graph *g;
    struct flow_classes c;
    uint8_t *alone;          /* (g->n) its backward pass is not of its class */
    uint8_t *rewritten;      /* (tensors) written to after it was made */
    uint8_t *differentiated; /* (g->n) of a backward pass that is differentiated again:
                                the later one needs much of what it computed */
    uint8_t *by_pass; /* (passes, passes) does the first differentiate the second? NULL:
                         there are too many */
    size_t passes;    /* with the forward pass, which is 0 */
    int32_t *first;   /* (g->n) the first that did the same in its step */
    uint8_t *for_one; /* (tensors) read by one operator of the forward pass, or none */
};

enum {
    FLOW_ALL = 1000,       /* 1/1000: the unit of zeros and zero_rows */
    FLOW_ROWS_LEAST = 200, /* of rows that are zeros: else little is to be gained */
};

/* The first class that fits stays. */
static inline void judge_part(struct judging *x, size_t op, enum flow_class class,
                              double keep)
{
    if (x->c.of[op] == FLOW_CLASS_NONE) {
        x->c.of[op] = class;
        x->c.keep[op] = keep;
    }
}

static inline void judge(struct judging *x, size_t op, enum flow_class class)
{
    judge_part(x, op, class, 0);
}

/* Views are nothing by themselves, and reading a value makes none. */
static inline bool is_work(const struct flow_graph *g, size_t op)
{
    return !flow_has(g, op, OP_TRAIT_VIEW | OP_TRAIT_HOST_READ);
}

/* A call by where it is made, and of which group it is there: a pass, or 0. */
struct placed {
    int32_t group, line;
    name_id name;
    int32_t op;
};

static inline struct placed placed_of(const struct flow_graph *g, size_t op,
                                      int32_t group)
{
    const struct watched_ops *w = &g->run->watched_ops;
    return (struct placed){group, w->line[flow_row(g, op)], w->name[flow_row(g, op)],
                           (int32_t)op};
}

/* Those of one group, place and name stand together afterwards, in time. */
void placed_sort(struct placed *p, size_t n);
/* Behind the last that stands together with p[first]. */
size_t placed_end(const struct placed *p, size_t n, size_t first);

/* Flags (g->n): only those stay that the k-th call of a place and name has in every
 * watched step. */
void keep_in_every_step(const struct flow_graph *g, uint8_t *flag);

/* (g->n) What something that lasts depends on, where what these calls depend on does not
 * count (NULL: none). The caller frees it. */
uint8_t *find_needed(const struct flow_graph *g, const uint8_t *not_followed);
/* Where no operator is seen to move a parameter, or memory is read that none has written,
 * something else does, which may read anything. */
bool ends_are_known(const struct flow_graph *g);

/* How many more it reads after that use: of a product's last factor none. */
size_t flow_reads_after(const struct flow_graph *g, size_t op, size_t use);
void find_for_one(struct judging *x);

/* Is what the operator makes computed row by row of what it reads in that use? */
bool flow_is_rowwise(const struct flow_graph *g, size_t op, size_t use);

/* Of what an operator reads in that use only a part of the rows counts: so it is of what
 * was computed for it row by row, and for nothing else. */
void judge_rows_up(struct judging *x, size_t op, size_t use, enum flow_class class,
                   double keep);

void find_differentiated(struct judging *x); /* both of these */
/* Does the backward pass of `later` differentiate that of `op`? */
bool flow_differentiates(const struct judging *x, size_t later, size_t op);
void inherit(struct judging *x);

void judge_same(struct judging *x); /* invariant, repeated, recomputed */
void judge_cleared(struct judging *x);
void judge_unread(struct judging *x); /* and gradients that are thrown away */
void judge_copies(struct judging *x);
void judge_wider(struct judging *x);
void judge_nearly(struct judging *x); /* copied */
void judge_passes(struct judging *x);
void judge_zeros(struct judging *x);
void judge_partly(struct judging *x);
void judge_rows(struct judging *x);
void judge_order(struct judging *x);
void judge_even(struct judging *x);
void judge_pieces(struct judging *x);

#endif
