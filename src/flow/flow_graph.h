/*
 * The data flow of a rank's watched steps as a graph: what each operator computes, from
 * what, and for whom. Start here; what follows from it: flow_classes.h.
 *
 * Numbers stand for values: an operator's is made of its name, of what it was given
 * beside tensors, and of the numbers of the values that it reads, with the part of each
 * that it sees. Two operators of one number did the same work on the same values, as far
 * as operators tell; hashes of contents confirm it (flow_same_contents()).
 */
#ifndef GAIT_FLOW_FLOW_GRAPH_H
#define GAIT_FLOW_FLOW_GRAPH_H

#include "run/op_family.h"
#include "run/run.h"

enum { FLOW_NONE = -1 };

struct flow_graph {
    const struct run *run;
    size_t first_op, n;  /* watched_ops of the rank: first_op + 0 … n - 1 */
    int32_t steps;       /* that were watched */
    size_t *first_use;   /* (n + 1) rows of op_tensors of each */
    uint64_t *number;    /* (n) */
    size_t *first_from;  /* (n + 1) */
    int32_t *from;       /* (first_from[n]) operators that wrote what it reads, by n */
    size_t *first_write; /* (tensors of the run + 1) */
    int32_t *write;      /* (first_write[tensors]) operators that write it, in time */
    size_t *first_read;  /* the same of what reads it, views too */
    int32_t *read;
    size_t *read_use;   /* (first_read[tensors]) and the uses that they read it in */
    int64_t *made;      /* (n) use in which it makes its first result; FLOW_NONE */
    uint8_t *family;    /* (n) enum op_family, whatever its overload */
    int32_t *maker;     /* (tensors) who made it; FLOW_NONE: it was there */
    int32_t *last_read; /* (tensors) FLOW_NONE: nobody reads it */
};

/* False where the rank was not watched; there is nothing to release then. The run must
 * outlive it. */
bool flow_graph_init(struct flow_graph *g, const struct run *run, int32_t rank);
void flow_graph_release(struct flow_graph *g);

static inline size_t flow_row(const struct flow_graph *g, size_t op)
{
    return g->first_op + op;
}

static inline bool flow_has(const struct flow_graph *g, size_t op, int traits)
{
    return (g->run->watched_ops.traits[flow_row(g, op)] & traits) != 0;
}

static inline int32_t flow_step(const struct flow_graph *g, size_t op)
{
    return g->run->watched_ops.step[flow_row(g, op)];
}

/* Number of its backward pass; 0: in none. */
static inline int32_t flow_pass(const struct flow_graph *g, size_t op)
{
    return g->run->watched_ops.backward[flow_row(g, op)];
}

static inline bool flow_in_backward(const struct flow_graph *g, size_t op)
{
    return flow_pass(g, op) != 0;
}

/* Of a call of a backward pass the forward call that it is of; FLOW_NONE. */
static inline int32_t flow_forward(const struct flow_graph *g, size_t op)
{
    int32_t forward = g->run->watched_ops.forward[flow_row(g, op)];
    return flow_in_backward(g, op) && forward >= (int32_t)g->first_op
               ? forward - (int32_t)g->first_op
               : FLOW_NONE;
}

/* The job's own statement that asks for it, else a library's: a row of run->lines, or -1.
 */
static inline int32_t flow_line(const struct flow_graph *g, size_t op)
{
    const struct watched_ops *w = &g->run->watched_ops;
    size_t row = flow_row(g, op);
    return w->line[row] >= 0 ? w->line[row] : w->inner[row];
}

/* The innermost statement outside PyTorch: a row of run->lines, or -1. */
static inline int32_t flow_inner_line(const struct flow_graph *g, size_t op)
{
    const struct watched_ops *w = &g->run->watched_ops;
    size_t row = flow_row(g, op);
    return w->inner[row] >= 0 ? w->inner[row] : w->line[row];
}

/* Backward passes in which ranks exchange something, a step. */
double flow_passes_with_collectives(const struct flow_graph *g);

static inline enum op_family flow_family(const struct flow_graph *g, size_t op)
{
    return (enum op_family)g->family[op];
}

/* Use in which it makes its first result; FLOW_NONE: it makes none, or one without a
 * storage. */
static inline int64_t flow_made(const struct flow_graph *g, size_t op)
{
    return g->made[op];
}

/* Does the use write? Made, written, or read and written. */
static inline bool flow_writes(enum tensor_role role)
{
    return role == TENSOR_ROLE_MADE || role == TENSOR_ROLE_WRITTEN ||
           role == TENSOR_ROLE_UPDATED;
}

/* Of the part of a storage that a use sees. */
double flow_bytes(const struct flow_graph *g, size_t use);
double flow_elements(const struct flow_graph *g, size_t use);
/* Does it see all of the storage? It must have one. */
bool flow_is_whole(const struct flow_graph *g, size_t use);
/* Have both the same shape, strides and type? */
bool flow_same_form(const struct flow_graph *g, size_t a, size_t b);
/* Of the largest that an operator uses. */
double flow_most_elements(const struct flow_graph *g, size_t op);

/* All but the last of its sizes: rows of so many elements. */
double flow_rows(const struct flow_graph *g, size_t use);
/* The last of sizes or strides; 1: there are none. */
int64_t flow_last(const struct flow_graph *g, name_id text);
/* Of what reads a tensor the first behind that operator: a place in read, at most
 * first_read[tensor + 1]. */
size_t flow_reads_behind(const struct flow_graph *g, int32_t tensor, size_t op);
/* Who writes it next behind that operator; FLOW_NONE: nobody. */
int32_t flow_next_writer(const struct flow_graph *g, int32_t tensor, size_t op);
/* Is the tensor written to after one operator and until another? */
bool flow_is_written_between(const struct flow_graph *g, int32_t tensor, size_t after,
                             size_t until);
/* Was it there before, and does nobody write to it, nor train it? */
bool flow_is_constant(const struct flow_graph *g, int32_t tensor);
/* Who wrote it last before that operator; FLOW_NONE: nobody who was seen. */
int32_t flow_writer(const struct flow_graph *g, int32_t tensor, size_t before);

/* Sizes or strides, as "[2, 3]": at most FLOW_DIMS of them. How many there are. */
enum { FLOW_DIMS = 8 };
size_t flow_sizes(const struct flow_graph *g, name_id text, int64_t size[FLOW_DIMS]);

/* Did both write the same, as far as their contents were looked at? */
bool flow_same_contents(const struct flow_graph *g, size_t a, size_t b);

#endif
