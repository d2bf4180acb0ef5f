/*
 * Checks and fixes in turns, until nothing is left that can be fixed: a fix may wait for
 * another one, or uncover a finding. Nothing is written before lint_rounds_write().
 *
 *     lint_rounds_run → diffs of files[] or lint_rounds_write → lint_rounds_release
 *
 * A fix after which a file is no longer Python is taken back. A file that is not all
 * Python from the start is not fixed: what a fix does to it could not be judged.
 */
#ifndef GAIT_LINT_LINT_ROUNDS_H
#define GAIT_LINT_LINT_ROUNDS_H

#include "base/status.h"
#include "lint/lint.h"
#include "lint/lint_check.h"

enum { LINT_ROUNDS_MAX = 10 };

struct lint_rounds_options {
    bool unsafe;
    /* lint_check() of these inputs, then whatever takes findings away (noqa). */
    enum status (*check)(void *context, struct lint_result *r,
                         const struct lint_input *inputs, size_t n, struct err *err);
    void *context;
};

struct lint_rounds_file {
    char *old, *text; /* (old_len, len) before and after; NULL: nothing was fixed */
    size_t old_len, len;
    size_t fixed;                    /* findings */
    struct content_hash_text before; /* of old */
    char *failure; /* why its findings, or those of the last round, are not fixed */
    /* Of the round before, where the last one may have to be taken back: */
    char *previous;
    size_t previous_len, fixed_now;
};

struct lint_rounds {
    struct lint_result result;      /* of the last check: what is left */
    struct lint_rounds_file *files; /* (n) in the order of inputs and result.files */
    size_t n;
    size_t fixed;    /* findings of all files */
    bool unfinished; /* after LINT_ROUNDS_MAX rounds there was still something to fix */
};

/* On OK the caller calls lint_rounds_release(). */
enum status lint_rounds_run(struct lint_rounds *rounds, const struct lint_input *inputs,
                            size_t n, const struct lint_rounds_options *o,
                            struct err *err);
/* Writes file i where it was fixed; only of files that were read from their path. */
enum status lint_rounds_write(const struct lint_rounds *rounds, size_t i,
                              struct err *err);
void lint_rounds_release(struct lint_rounds *rounds);

#endif
