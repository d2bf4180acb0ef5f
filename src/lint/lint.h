/*
 * What `gait lint` found: files in the order of their paths, findings in the order of the
 * text. The same for any number of threads.
 */
#ifndef GAIT_LINT_LINT_H
#define GAIT_LINT_LINT_H

#include "base/arena.h"
#include "base/cause_id.h"
#include "base/content_hash.h"
#include "lint/lint_rule.h"

#include <stdbool.h>
#include <stdint.h>

enum lint_safety {
    LINT_ADVICE, /* no edit, only words */
    LINT_SAFE,   /* an edit that changes no value that the program computes */
    LINT_UNSAFE, /* an edit that may change values or what is printed */
};

/* Bytes begin..end of the file become text; begin == end inserts. */
struct lint_edit {
    uint32_t begin, end;
    const char *text;
};

struct lint_finding {
    const struct lint_rule *rule;
    struct cause_id id;           /* once lint_set_ids() was called */
    uint32_t begin, end;          /* bytes of the cause in the file */
    int32_t line, column;         /* of its first character, both from 1 */
    int32_t end_line, end_column; /* column behind its last character */
    const char *source; /* the whole line `line`, safe to print, tabs as spaces, cut at
                           200 characters */
    int32_t caret, caret_width; /* the cause within source, in characters from 0; at least
                                   one wide */
    int32_t statement_line, statement_end_line; /* of the statement that it is part of */
    const char *function; /* around it; "<module>", "<lambda>" as Python names them */
    int32_t function_line, function_end_line; /* with its decorators */
    bool in_step; /* runs in a training step, a forward pass or a loader, as far as the
                     source tells; else it sets something up */
    const char *advice; /* what to write instead, here */
    enum lint_safety safety;
    const struct lint_edit *edits; /* (n_edits) ascending, none overlap */
    size_t n_edits;
    int32_t row;       /* findings of a file with the same one are one wait; 0: none */
    int32_t row_depth; /* branches around it in the turn that waits */
    bool row_wraps;    /* waits for the work of the turn before */
    const int32_t *also_lines; /* (n_also) of the others, once they are merged */
    size_t n_also;
    const char *price; /* what a run says that it costs; NULL or "": no run was given */
    const struct lint_cost *cost; /* the same as figures; NULL: no run was given */
};

/* What a run says of a finding: suspects/suspects.h. Figures are NAN where it says none. */
struct lint_cost {
    const char *verdict; /* "priced", "measured", "not measured" or "refuted" */
    const char *rule;    /* the rule of `gait analyze` that tells it; "": none */
    int32_t number;      /* of its finding there, from 1; 0: none */
    size_t sharing;      /* findings here that this one price is of */
    double gain_ns, gain_low_ns, gain_high_ns; /* per step, predicted */
    double holds_ns;                           /* of a step, by what is here; measured */
    const char *reason;                        /* why it has no price; "" */
};

/* A comment that holds "noqa" in any case. */
struct lint_comment {
    uint32_t begin, end;           /* bytes, with the #, without a carriage return */
    uint32_t line_begin, line_end; /* bytes of its line, with its end */
    int32_t line, column;
    bool alone;         /* nothing but blanks stands before it */
    uint32_t blanks;    /* bytes of those that stand right before it */
    const char *text;   /* as it stands, cut at 1000 bytes */
    const char *source; /* its line, as of a finding */
};

/* Lines at whose end no comment may stand, since a string or a backslash leads on to
 * end_line. */
struct lint_joined {
    int32_t line, end_line;
};

struct lint_file {
    const char *path; /* as it was given or found */
    struct lint_finding *findings;
    size_t n, cap;
    struct lint_comment *comments;
    size_t n_comments, cap_comments;
    const struct lint_joined *joined; /* (n_joined) ascending, apart from each other */
    size_t n_joined;
    int32_t error_line; /* of the first part that could not be parsed; 0: all of it was */
    struct content_hash_text hash; /* of the text that was checked */
    const char *failure;           /* why it could not be read; NULL: it was */
    size_t suppressed; /* findings that a noqa comment has removed from these */
    const char *text;  /* (len) as lint_input gave it, the caller's; NULL: path has it */
    size_t len;
};

struct lint_result {
    struct arena text;
    struct lint_file *files;
    size_t n, cap;
    size_t looked_up; /* files read only because these import them */
};

#endif
