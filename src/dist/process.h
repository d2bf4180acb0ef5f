/* Private to dist: what this host's kernel says about processes, as far as /proc tells.
 */
#ifndef GAIT_DIST_PROCESS_H
#define GAIT_DIST_PROCESS_H

/* Why a process may be silent, and what to do: "it was stopped; `kill -CONT 42` lets it
 * go on". pid 0: nothing is known about it. */
struct process_why {
    char text[160];
};

struct process_why process_why_silent(int pid);

/* A stopped process that the same launcher started on this host, or 0. */
int process_stopped_sibling(void);

#endif
