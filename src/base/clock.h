/* Monotonic, calendar and CPU time, in integer nanoseconds. */
#ifndef GAIT_BASE_CLOCK_H
#define GAIT_BASE_CLOCK_H

#include <stdint.h>

int64_t clock_now_ns(void);      /* monotonic; for durations */
int64_t clock_calendar_ns(void); /* since 1970, UTC; for labels */
int64_t clock_cpu_ns(void);      /* CPU time of the whole process, all threads */
int64_t
clock_thread_cpu_ns(void); /* of the calling thread; for limits that a busy machine
                                      does not change */

#endif
