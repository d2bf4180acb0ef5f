/*
 * The first cut of a text, before its bytes are merged: words, numbers, punctuation and
 * spaces, as the regular expressions of GPT-2 and Llama 3 take them. They are hand-coded:
 * each looks at a character or two and then runs to the end of a class, so a text takes
 * linear time, which a backtracking engine does not promise.
 *
 * A text is cut from its left, and a piece's end depends on nothing before it. The
 * classes are Unicode 16.0 (unicode_class.h).
 */
#ifndef GAIT_DATA_WORD_SPLIT_H
#define GAIT_DATA_WORD_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

enum word_pattern { WORD_PATTERN_GPT2, WORD_PATTERN_LLAMA3, WORD_PATTERN_COUNT };

/* The pattern as the reference writes it. */
extern const char *const word_pattern_text[WORD_PATTERN_COUNT];
/* The pattern that is written so, or -1. */
int word_pattern_find(const char *text);

/* Bytes of the piece that text[0..len) begins with; the text is UTF-8 and not empty. */
size_t word_next(enum word_pattern pattern, const char *text, size_t len);

/* Is there surely a piece's end at text[at], whatever stands before, and do both sides
 * split alone as they split together? So it is behind a run of letters and behind a run
 * of numbers: no alternative of either pattern goes on behind the last letter or number
 * of a run, and the only look-ahead, (?!\S), stands behind white space. The text need
 * not be UTF-8: beside what is none, there is no sure end. */
bool word_ends_surely(const char *text, size_t len, size_t at);

#endif
