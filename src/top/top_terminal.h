/*
 * The terminal while `gait top` has it: the other screen, no cursor, keys without
 * Enter. However the program ends (q, a signal, a crash, exit()), the terminal is as it
 * was before; only SIGKILL and real-time signals leave no time for that.
 *
 * Legal order: top_terminal_take, (top_terminal_wait, top_terminal_show) …,
 * top_terminal_give_back. One at a time in a process.
 */
#ifndef GAIT_TOP_TOP_TERMINAL_H
#define GAIT_TOP_TOP_TERMINAL_H

#include "base/status.h"
#include "base/strbuf.h"

#include <stdbool.h>

enum top_event {
    TOP_EVENT_TIME, /* nothing happened for so long */
    TOP_EVENT_RESIZED,
    TOP_EVENT_KEY,
    TOP_EVENT_LEAVE, /* a signal, or the terminal is gone */
};

/* Standard input and output are the terminal. */
bool top_terminal_is_there(void);
enum status top_terminal_take(struct err *err);
void top_terminal_give_back(void);

void top_terminal_size(int *columns, int *rows);
/* *key is set with TOP_EVENT_KEY. */
enum top_event top_terminal_wait(int timeout_ms, char *key);
/* Lines, separated by breaks, of at most as many rows as the terminal has. */
void top_terminal_show(const struct strbuf *lines, int rows);

#endif
