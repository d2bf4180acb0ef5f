/* Is the process that wrote a status still the one that has its number? */
#ifndef GAIT_LIVE_LIVE_PROCESS_H
#define GAIT_LIVE_LIVE_PROCESS_H

#include "live/live_status.h"

enum live_state {
    LIVE_RUNNING,
    LIVE_SUSPENDED, /* stopped by a signal, or by a debugger */
    LIVE_GONE,      /* without a word: killed, or the machine was restarted */
    LIVE_FINISHED,  /* it said so itself: ended or failed */
};

/* pid, process_start and boot of this process. */
void live_process_fill(struct live_status *s);
enum live_state live_process_state(const struct live_status *s);

#endif
