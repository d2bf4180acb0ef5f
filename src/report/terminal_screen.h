/* What the terminal's renderer draws on. Private to it. */
#ifndef GAIT_REPORT_TERMINAL_SCREEN_H
#define GAIT_REPORT_TERMINAL_SCREEN_H

#include "report/view.h"

enum { INDENT = 2, GAP = 2 };

struct screen {
    struct strbuf *out;
    const struct view *view;
    int columns;
    bool colour;
    bool compact;  /* no empty lines that only please */
    bool tight;    /* not even before the bars and tables */
    bool no_below; /* cells that wrap are shortened like others */
    int leave_out; /* blocks that can be spared by so much and more; 0: none */
};

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

void terminal_table(struct screen *s, const struct block *b);
/* Do they read as one table? */
bool terminal_same_columns(const struct grid *a, const struct grid *b);

#endif
