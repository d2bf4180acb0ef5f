/*
 * What the user sees while something runs: always on stderr, so that stdout holds results
 * only. A status line is redrawn on a terminal; elsewhere only log_line() prints.
 */
#ifndef GAIT_BASE_LOG_H
#define GAIT_BASE_LOG_H

#include <stdbool.h>

void log_quiet(bool quiet); /* --quiet: nothing but errors */
/* What another process tells, or was told before, is not told again: true, later false;
 * may be nested. */
void log_mute(bool mute);
bool log_on_terminal(void); /* stderr is a terminal and not quiet */
int log_columns(void);      /* of that terminal; INT_MAX elsewhere */

void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Redraw the last line; does nothing off a terminal. log_line() clears it first. */
void log_status(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_status_clear(void);

/* What must be seen also when quiet, by one write: any thread may call it. */
void log_urgent(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* May stdout carry colour? A terminal, and NO_COLOR not set. */
bool log_stdout_colour(void);

#endif
