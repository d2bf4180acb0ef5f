/*
 * The screen of `gait top`: from the status of a training and the size of a terminal to
 * text. Nothing is asked of the world here, so a test can hold it against a golden text.
 */
#ifndef GAIT_TOP_TOP_SCREEN_H
#define GAIT_TOP_TOP_SCREEN_H

#include "base/strbuf.h"
#include "live/live_process.h"

enum { TOP_COLUMNS_MIN = 40, TOP_ROWS_MIN = 10 };

struct top_view {
    const struct live_status *status;
    enum live_state state;
    int64_t now_ns; /* since 1970 */
    bool colour;
    bool keys;  /* say which keys there are */
    int others; /* more trainings of this user that run */
};

/* At most so many lines of at most so many columns each, separated by line breaks; a
 * size below the least one is drawn for the least one and cut. */
void top_screen(struct strbuf *out, const struct top_view *v, int columns, int rows);

/* The same as JSON: the status, and what the screen makes of it. */
void top_json(struct strbuf *out, const struct top_view *v);

#endif
