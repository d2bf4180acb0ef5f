/*
 * Can so many threads be started? libgomp ends the program where one cannot (limits on
 * address space, on processes, of the control group), so it is tried before.
 */
#ifndef GAIT_BASE_THREAD_TRIAL_H
#define GAIT_BASE_THREAD_TRIAL_H

#include "base/status.h"

#include <stddef.h>

/* Start `want` threads at once, each with the stack that OpenMP's get, and end them. What
 * cannot be started is an error that says how many can; this thread counts as one. */
enum status threads_try(int want, struct err *err);

/* Of a thread of OpenMP: OMP_STACKSIZE, else the system's default. */
size_t threads_stack_bytes(void);

#endif
