/* Processes by a variable of their environment. What a job starts may leave its group and
 * its session, as torchrun's workers do, and lose its parent; its environment it keeps. */
#ifndef GAIT_CLI_MARKED_PROCESSES_H
#define GAIT_CLI_MARKED_PROCESSES_H

/* Kill each that was started with NAME=VALUE, but for this one. */
void marked_processes_kill(const char *name, const char *value);

#endif
