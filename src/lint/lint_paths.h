/*
 * The Python files that the operands of `gait lint` stand for: files, folders with all
 * that is in them, patterns where there is no such file, and "-" for standard input.
 */
#ifndef GAIT_LINT_LINT_PATHS_H
#define GAIT_LINT_LINT_PATHS_H

#include "base/arena.h"
#include "base/status.h"
#include "lint/lint_settings.h"

#include <stddef.h>

enum { LINT_PATHS_MAX = 1000 * 1000 };

struct lint_paths {
    struct arena text;
    const char **path; /* (n) sorted, each file once; "-" is standard input */
    size_t n, cap;
    struct lint_path_failure {
        const char *path, *why; /* a folder that could not be read */
    } * failure;
    size_t n_failures, cap_failures;
};

/* No operands: the working folder. Files that are named are always taken; within folders
 * and by patterns only *.py is, and nothing that the settings exclude or git ignores. Links to files are
 * followed, links to folders only where they are named. Prepares the settings for all
 * paths. On OK the caller calls lint_paths_release(). */
enum status lint_paths_find(struct lint_paths *p, const char *const *operands, size_t n,
                            struct lint_settings *settings, struct err *err);
void lint_paths_release(struct lint_paths *p);

#endif
