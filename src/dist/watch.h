/*
 * Private to dist: a thread that notices when another rank gives no sign of life, names
 * it, and ends the job when that lasts. A rank that computes or saves for an hour is
 * alive: its own thread goes on sending. One that was stopped, has died or cannot be
 * reached is silent, and the others would wait for it in a collective for ever.
 *
 * Signs of life need MPI between its start and its end (heartbeat.h). While MPI starts
 * and ends, ranks do nothing but wait for each other, and the time that this takes is
 * watched instead. A launcher that has died is noticed by its processes' new parent.
 *
 * Legal order: watch_open, MPI_Init_thread, watch_begin, …, watch_leave, MPI_Finalize,
 * watch_close. A rank that failed calls watch_close at any time.
 */
#ifndef GAIT_DIST_WATCH_H
#define GAIT_DIST_WATCH_H

#include "dist/comm.h"
#include "dist/heartbeat.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

enum watch_phase {
    WATCH_PHASE_STARTING,  /* MPI starts */
    WATCH_PHASE_RUNNING,   /* signs of life are exchanged */
    WATCH_PHASE_LEAVING,   /* and the last ones */
    WATCH_PHASE_FINISHING, /* MPI ends */
    WATCH_PHASE_OVER,
};

struct watch {
    struct comm_patience patience;
    pid_t launcher;
    pthread_t thread;
    pthread_mutex_t lock; /* guards phase */
    pthread_cond_t changed;
    enum watch_phase phase;
    bool has_others; /* heartbeat is in use */
    bool alone;      /* the only rank: it may outlive whoever started it */
    struct heartbeat heartbeat;
    /* Of the thread alone: */
    enum watch_phase seen;
    int64_t looked_ns; /* when it last did */
    int64_t silent_ns; /* since the last sign of life */
    bool named;
};

/* Start the thread. patience.name_s is not 0. */
enum status watch_open(struct watch *w, struct comm_patience patience, struct err *err);
/* MPI has started; returns its error code. Collective over world; MPI_COMM_NULL: this MPI
 * cannot be called from two threads, only the launcher is watched. */
int watch_begin(struct watch *w, MPI_Comm world);
/* All ranks leave: the watch ends when the watched rank's does. */
void watch_leave(struct watch *w);
/* End the thread. */
void watch_close(struct watch *w);

#endif
