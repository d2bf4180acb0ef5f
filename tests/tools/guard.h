/* A bound on time and memory for what reads hostile input, and a name for what was being
 * read when it was passed. */
#ifndef GAIT_TESTS_GUARD_H
#define GAIT_TESTS_GUARD_H

/* The process may not map more than this; no bound under sanitizers, which map terabytes.
 */
void guard_memory(int mib);
/* Until guard_end(), `seconds` may pass and no signal may come; else the name is printed
 * and the process ends with 1. */
void guard_begin(const char *name, int seconds);
void guard_end(void);
int guard_peak_mib(void);

#endif
