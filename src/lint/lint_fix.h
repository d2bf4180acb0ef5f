/*
 * Applies the edits of findings.
 *
 *     lint_source_read → lint_fix_apply → lint_fix_write, or what the caller does with
 *     the new text (lint_diff.h; standard output)
 *
 * A finding's edits are applied all or not at all. One whose edits overlap or touch those
 * of an earlier finding waits: check the new text again, as lint_input gives it, and
 * apply the next round. What is written in the end is compared with the hash of the first
 * round's file, so that nobody's work in between is lost.
 */
#ifndef GAIT_LINT_LINT_FIX_H
#define GAIT_LINT_LINT_FIX_H

#include "base/status.h"
#include "base/strbuf.h"
#include "lint/lint.h"

/* The text that was checked. */
struct lint_source {
    const char *text; /* (len) */
    size_t len;
    char *read; /* text, where it was read from the disk */
};

/* The text as it was given to lint_check(), or what path holds. STATUS_INPUT where it is
 * no longer the text that was checked. On OK the caller calls lint_source_release(). */
enum status lint_source_read(struct lint_source *s, const struct lint_file *file,
                             struct err *err);
void lint_source_release(struct lint_source *s);

struct lint_fixed {
    struct strbuf text; /* the whole new text */
    size_t applied;     /* findings */
    size_t waiting;     /* findings that overlap those; the next round may apply them */
};

/* The source must be what file was made from. Unsafe edits only where asked for. "\n" in
 * an edit becomes "\r\n" where the source ends its lines so. The caller calls
 * lint_fixed_release(). */
void lint_fix_apply(struct lint_fixed *fixed, const struct lint_file *file,
                    const struct lint_source *source, bool unsafe);
void lint_fixed_release(struct lint_fixed *fixed);

/* Replace the file at path, whose hash must still be `before`. Links are followed, its
 * mode is kept; a reader sees the old or the new text. */
enum status lint_fix_write(const char *path, const struct content_hash_text *before,
                           const char *text, size_t len, struct err *err);

#endif
