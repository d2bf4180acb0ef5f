/* The part of a source line around its cause that fits on a screen. */
#ifndef GAIT_LINT_SOURCE_WINDOW_H
#define GAIT_LINT_SOURCE_WINDOW_H

#include "base/strbuf.h"

#include <stdint.h>

struct source_window {
    struct strbuf text; /* at most so many columns; "…" stands for what was cut off */
    int caret, width;   /* the cause within it, in columns; at least one wide */
};

/* line is clean text (base/text_fit.h); caret and caret_width are in characters. The
 * caller calls source_window_release(). */
void source_window_init(struct source_window *w, const char *line, int32_t caret,
                        int32_t caret_width, int columns);
void source_window_release(struct source_window *w);

#endif
