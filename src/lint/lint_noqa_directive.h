/* What a noqa comment says; private to lint_noqa*.c. */
#ifndef GAIT_LINT_LINT_NOQA_DIRECTIVE_H
#define GAIT_LINT_LINT_NOQA_DIRECTIVE_H

#include "lint/lint.h"

struct noqa_code {
    const char *s; /* (len) in the comment */
    size_t len;
    const struct lint_rule *rule; /* that this is the name of; NULL: it is a code */
    bool used;                    /* it suppresses something */
};

struct noqa_directive {
    const struct lint_comment *comment;
    size_t begin, end;  /* in the comment's text, from its # to behind the last code */
    size_t codes_begin; /* behind the colon */
    bool whole_file;
    bool blanket; /* no colon: all codes */
    bool used;    /* of a blanket one */
    size_t first_code, n_codes;
};

struct noqa_directives {
    struct noqa_directive *directive; /* in the order of the lines */
    size_t n, cap;
    struct noqa_code *code;
    size_t n_codes, cap_codes;
};

/* The caller calls noqa_release(). */
void noqa_read(struct noqa_directives *d, const struct lint_file *file);
void noqa_release(struct noqa_directives *d);

/* Of a line's own comment, NULL: it has none. */
struct noqa_directive *noqa_of_line(struct noqa_directives *d, int32_t line);

/* Is it one of ours: GT and digits, or a rule's name? */
bool noqa_code_is_ours(const struct noqa_code *c);
/* Is it the rule's name or code, or does its code begin with it? */
bool noqa_code_names(const struct noqa_code *c, const struct lint_rule *rule);

/* The line at whose end a comment for this line stands. */
int32_t noqa_line(const struct lint_file *file, int32_t line);

#endif
