/* A thread for small work beside the program's own: it gets no signals, so that these stay
 * with the threads that wait for them, and a small stack. */
#ifndef GAIT_BASE_QUIET_THREAD_H
#define GAIT_BASE_QUIET_THREAD_H

#include "base/status.h"

#include <pthread.h>

/* name is what `top -H` shows, of at most 15 letters. On OK the caller joins or detaches
 * *out. */
enum status quiet_thread_start(pthread_t *out, const char *name, void *(*run)(void *),
                               void *arg, struct err *err);

#endif
