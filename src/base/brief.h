/*
 * A result in at most BRIEF_BYTES_MAX bytes of JSON on one line, for a program that pays
 * by the byte: figures, and the next command to run. docs/scripts.md, "Brief".
 *
 * It holds by construction: texts are cut to a bound of their own, numbers have seven
 * digits, and an entry of a list that does not fit any more is taken back, with all that
 * follow it, and counted.
 *
 * Legal order: brief_begin; fields and brief_next; then lists, each brief_list,
 * (brief_item … brief_item_end)…, brief_list_end; brief_end.
 */
#ifndef GAIT_BASE_BRIEF_H
#define GAIT_BASE_BRIEF_H

#include "base/json_writer.h"

enum {
    BRIEF_BYTES_MAX = 2048,
    BRIEF_VERSION = 1,
    BRIEF_NAME_BYTES = 48,   /* of a word, a code */
    BRIEF_PLACE_BYTES = 160, /* of an operator, a path, a line */
    BRIEF_TEXT_BYTES = 300,  /* of a sentence */
    BRIEF_CODE_BYTES = 600,  /* of a fix */
    BRIEF_NEXT_BYTES = 240,  /* of a command */
};

struct brief {
    struct json_writer w; /* for fields whose size is bounded: numbers, own words */
    struct json_writer before_item;
    size_t len_before_item;
    bool full;       /* an entry of this list did not fit */
    size_t left_out; /* of all lists */
};

/* Keys "format", "version" and "command". The strbuf must be empty, and outlive it. */
void brief_begin(struct brief *b, struct strbuf *out, const char *command);
/* The last key, "left_out", and the end of the line. */
void brief_end(struct brief *b);

/* A text of at most so many bytes with its escapes: the middle of a longer one becomes
 * "…". NULL and "" become null. */
void brief_text(struct brief *b, const char *key, const char *s, size_t max_bytes);
/* With seven digits; NaN and Inf become null. */
void brief_number(struct brief *b, const char *key, double v);
void brief_ms(struct brief *b, const char *key, double ns);
void brief_bool(struct brief *b, const char *key, bool v);

/* Key "next": a command. "{}" in it stands for words (paths as a shell takes them, whole),
 * or for `otherwise` where the command would be too long with them. NULL: null. */
void brief_next(struct brief *b, const char *command, const char *words,
                const char *otherwise);

void brief_list(struct brief *b, const char *key);
void brief_list_end(struct brief *b);
/* An object; its fields are between the two. */
void brief_item(struct brief *b);
void brief_item_end(struct brief *b);

#endif
