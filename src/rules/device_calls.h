/*
 * How the host drives a device: which calls wait for it and what for, what lies between
 * launches. Shared by the rules about accelerators; private to findings.
 */
#ifndef GAIT_RULES_DEVICE_CALLS_H
#define GAIT_RULES_DEVICE_CALLS_H

#include "price/finding.h"

enum wait_cause {
    WAIT_CAUSE_NONE,      /* it does not wait */
    WAIT_CAUSE_READ,      /* for a few bytes that the program looks at */
    WAIT_CAUSE_COPY,      /* for data that are moved */
    WAIT_CAUSE_ALLOCATOR, /* for memory */
    WAIT_CAUSE_SYNC,      /* because the program says so */
};

/* outer: the outermost operation around the call that does nothing but read or move
 * (`.cpu()` around `aten::copy_`); the call itself where there is none. */
enum wait_cause device_wait_cause(const struct evidence *e, const struct host_thread *t,
                                  const struct host_op *call,
                                  const struct host_op **outer);

/* Is it a call of the device's allocator? */
bool device_allocates(const struct evidence *e, const struct host_op *op);

/* Begins of the rank's first and last launch. A synchronisation before the one or behind
 * the other is the profiler's own, or ends the program: nobody waits longer for it. */
struct launch_times {
    int64_t first_ns, last_ns;
};
struct launch_times device_launch_times(const struct evidence *e);

/* Does it happen once in two steps or more; or, in a recording without steps, so many
 * times, or for so long that it shapes the recording? What happens once and is short is
 * how a program begins or ends. held_ns: of a step. */
bool device_repeats(const struct evidence *e, size_t count, double held_ns,
                    double without_steps);

/* "aten::item, train.py(12): main", ".cpu(), train.py(14): main" */
void device_where(char *text, size_t size, const struct evidence *e,
                  const struct host_thread *t, const struct host_op *op);

/* Is the span work of the rank's device, in the window? */
bool device_work_in_window(const struct evidence *e, int64_t span);

#endif
