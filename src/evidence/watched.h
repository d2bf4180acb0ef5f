/*
 * The operators of the traced steps, each with the call of a watched step that it is: the
 * data flow (flow/flow_graph.h) gets times, and what takes time gets a statement of the
 * job's own files. The steps are different ones: calls are matched by their names, in
 * their order.
 */
#ifndef GAIT_EVIDENCE_WATCHED_H
#define GAIT_EVIDENCE_WATCHED_H

#include "evidence/evidence.h"
#include "flow/flow_classes.h"

struct watched {
    struct flow_graph graph;
    struct flow_classes classes;
    int32_t *first;         /* (graph.n) the first that did the same in its step */
    int32_t **call;         /* (threads of the evidence) (their ops) call of the graph:
                                 of what was watched, and of all that it calls; FLOW_NONE */
    double *line_ns;        /* (lines of the run) what each asks for itself, in all steps,
                        without views */
    size_t traced, matched; /* operators of the traced steps: looked for, found */
};

/* NULL: the rank was not watched. The evidence must outlive it. */
struct watched *watched_new(const struct evidence *e);
void watched_free(struct watched *w, const struct evidence *e); /* NULL is fine */

/* The statement that asked for a call: a row of run->lines, or -1. Of the backward pass
 * that which its forward call stands in; where the pass itself is needless, that which
 * began it. Of what is repeated the outermost that did not lead to it the first time; of
 * what is done for rows that are left out the one that leaves them out. */
int32_t watched_line(const struct watched *w, int32_t call);

/* Is op i of thread k a call that was watched, and not one that such a call makes? */
static inline bool watched_begins(const struct watched *w, size_t k,
                                  const struct host_thread *t, size_t i)
{
    int32_t parent = t->op[i].parent;
    return w->call[k][i] != FLOW_NONE &&
           (parent < 0 || w->call[k][parent] != w->call[k][i]);
}

/* Is the op needless by what it does? Then it need not be made faster. */
bool watched_is_needless(const struct evidence *e, const struct host_thread *t,
                         const struct host_op *op);

/* Does op i of thread k count? */
typedef bool watched_op_fn(const void *of, size_t k, size_t i);

/* (lines of the run) What each asks for itself of the watched calls that count, in all
 * steps. The caller frees it. */
double *watched_sum_lines(const struct watched *w, const struct evidence *e,
                          watched_op_fn *counts, const void *of);

#endif
