/*
 * Private to dist: signs of life between ranks, one byte each on a communicator of their
 * own. The ranks form a ring: each sends to the one before it and listens to the one
 * after it. So a silent rank is noticed by one other, and what a rank does is independent
 * of their number. Sends are synchronous: for a rank that does not listen one byte waits,
 * not many.
 *
 * MPI must allow several threads to call it. heartbeat_open is collective.
 * Legal order: heartbeat_open, heartbeat_tick … until heartbeat_over, heartbeat_close.
 */
#ifndef GAIT_DIST_HEARTBEAT_H
#define GAIT_DIST_HEARTBEAT_H

#include <mpi.h>
#include <stdbool.h>

enum { HEARTBEAT_HOST_MAX = 64 };

/* Where a rank runs. */
struct heartbeat_place {
    int pid;
    char host[HEARTBEAT_HOST_MAX];
};

struct heartbeat {
    MPI_Comm comm;
    int watched, watcher;               /* the rank after this one, and the one before */
    struct heartbeat_place here, there; /* of this rank, of the watched one */
    MPI_Request sending, hearing;
    char heard;                 /* the byte that came last */
    bool sent_last, heard_last; /* the byte that says goodbye */
};

/* Returns MPI's error code. */
int heartbeat_open(struct heartbeat *h, MPI_Comm world);
/* Send a sign of life where the last one has arrived, or say goodbye. Did the watched
 * rank send one since the last call? Never waits. */
bool heartbeat_tick(struct heartbeat *h, bool leaving);
/* Has the watched rank said goodbye, and this one too? */
bool heartbeat_over(const struct heartbeat *h);
void heartbeat_close(struct heartbeat *h);

/* The watched rank's process if it runs on this host, else 0. */
int heartbeat_local_pid(const struct heartbeat *h);

#endif
