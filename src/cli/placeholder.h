/*
 * What the words of usage lines stand for: "FILE", "RUN|TRACE…", "[CONFIG]", "f32|bf16".
 * The shells' completions are made from it.
 *
 * A word in small letters stands for itself. One in capitals is a row of the table in
 * placeholder.c; to add one, add its row.
 */
#ifndef GAIT_CLI_PLACEHOLDER_H
#define GAIT_CLI_PLACEHOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum name_list {
    NAMES_NONE,
    NAMES_COMMANDS,
    NAMES_KEYS,
    NAMES_PAGES,
    NAMES_RULES,
    NAMES_LINT_RULES,
};

struct placeholder {
    const char *name;
    const char *words; /* that it can be, with | between; NULL: none are known */
    const char
        *endings; /* of the files that it can be: "yaml yml"; "": any; NULL: none */
    bool folder;  /* it can be a folder */
    enum name_list names; /* of the program's own that it can be */
};

/* A word of a usage line, without brackets and dots. */
struct usage_word {
    const char *s;
    size_t len;
    size_t place; /* words with | between have one; counted from 0 */
};
enum { USAGE_WORDS_MAX = 16 };
/* Their number. A lone "--", "-" or "|" is none of them. */
size_t usage_words(struct usage_word out[USAGE_WORDS_MAX], const char *usage);

/* Does it stand for itself? */
bool usage_is_literal(const struct usage_word *w);
/* NULL where the table has none. */
const struct placeholder *placeholder_find(const struct usage_word *w);

#endif
