/* A finding as lines of a terminal. Private to the terminal's renderer. */
#ifndef GAIT_REPORT_TERMINAL_CARD_H
#define GAIT_REPORT_TERMINAL_CARD_H

#include "report/view.h"

void terminal_card(struct strbuf *out, const struct block *b, int columns, bool colour);

#endif
