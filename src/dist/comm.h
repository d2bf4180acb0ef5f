/*
 * The processes of one job, and what they do together. Two kinds: "self", a job of one,
 * and "mpi". Every rank makes the same calls in the same order. Each collective is a span
 * of kind COLLECTIVE, which moves data and may wait for others too; a barrier only waits,
 * and is a span of kind WAIT.
 *
 * MPI is touched only under a launcher (mpirun, mpiexec, srun; launcher.h), so that a
 * plain run never pays for it nor fails because of it.
 *
 * To add a kind: implement struct comm_ops (comm_ops.h) in comm_<kind>.c, choose it in
 * comm_open().
 */
#ifndef GAIT_DIST_COMM_H
#define GAIT_DIST_COMM_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct comm_ops;

struct comm {
    const char *name; /* "self" or "mpi" */
    int rank;         /* 0 … size - 1 */
    int size;
    const struct comm_ops *ops;
};

/* How long ranks wait for one that gives no sign of life; computing and saving are signs
 * of life (watch.h). */
struct comm_patience {
    double name_s; /* then it is named on stderr; 0: nobody watches */
    double end_s;  /* then the job ends; 0: never */
};

/* Join the job. On OK the caller calls comm_close(). At most once in a process: MPI
 * cannot be started again. */
enum status comm_open(struct comm *c, struct comm_patience patience, struct err *err);
/* Leave it; all ranks must. */
void comm_close(struct comm *c);
/* Instead of comm_close() in a rank that failed: waits for nobody. The process then exits
 * with a code other than 0, and the launcher ends the others. */
void comm_abandon(struct comm *c);
/* A job of one, whoever launched it. */
void comm_init_self(struct comm *c);

/* Element-wise sums over the ranks, in place, the same bits on every rank. */
enum status comm_allreduce_sum(struct comm *c, float *data, size_t n, struct err *err);
enum status comm_allreduce_sum_f64(struct comm *c, double *data, size_t n,
                                   struct err *err);
/* Every rank gets the bytes of rank `root`. */
enum status comm_broadcast(struct comm *c, void *data, size_t bytes, int root,
                           struct err *err);
enum status comm_barrier(struct comm *c, struct err *err);

/* Ranks on this machine, as the launcher says; all of them where it does not. */
int comm_local_ranks(const struct comm *c);

/* Was this process started by an MPI launcher? */
bool comm_launched(void);

#endif
