/*
 * Text from a recording made fit to show: valid UTF-8, no control or direction
 * characters, so that a name can neither drive a terminal nor disturb its neighbours;
 * and measured in the columns it takes on a screen.
 */
#ifndef GAIT_REPORT_TEXT_FIT_H
#define GAIT_REPORT_TEXT_FIT_H

#include "base/arena.h"
#include "base/strbuf.h"

#include <stdbool.h>

/* A copy that is safe to show; each byte or character that is not becomes U+FFFD, a line
 * break or a tab becomes a space. Longer than max_columns: shortened in the middle. */
const char *text_clean(struct arena *a, const char *s, int max_columns);

/* The rest take clean text. */
int text_columns(const char *s);
/* The character at s, which is not at its end: its bytes and its columns. */
int text_char(const char *s, int *columns);
/* Append s, with the middle replaced by "…" where it has more columns. */
void text_shorten(struct strbuf *out, const char *s, int columns);
/* Append s and blanks (before it when right) up to so many columns; never cuts. */
void text_pad(struct strbuf *out, const char *s, int columns, bool right);
/* Append s broken at blanks into lines of at most so many columns. The line stands at
 * column `indent` already; those that follow begin with as many blanks. Returns the
 * number of lines. */
int text_wrap(struct strbuf *out, const char *s, int columns, int indent);

bool text_ends_with(const char *s, const char *tail);

#endif
