/*
 * Which lines of two texts differ. Time and memory grow with the texts, not with their
 * product: it is a difference that is right always, and small where the texts are nearly
 * the same, as a fix leaves them.
 */
#ifndef GAIT_LINT_LINE_DIFF_H
#define GAIT_LINT_LINE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines with their line ends; the last may have none. */
struct line_list {
    const char *text; /* the caller's */
    size_t *begin;    /* (n + 1) bytes; the last is the text's end */
    bool *differs;    /* (n) not in the other text, at this place */
    size_t n;
};

struct line_diff {
    struct line_list old, new;
};

/* The lines of both that do not differ are the same lines in the same order. The caller
 * calls line_diff_release(). */
void line_diff_init(struct line_diff *d, const char *old, size_t old_len, const char *new,
                    size_t new_len);
void line_diff_release(struct line_diff *d);

#endif
