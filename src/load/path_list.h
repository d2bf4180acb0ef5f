/* The files that operands stand for: themselves, what a folder or a list holds, what a
 * pattern matches. */
#ifndef GAIT_LOAD_PATH_LIST_H
#define GAIT_LOAD_PATH_LIST_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* More files in one folder than any job has ranks. */
enum { PATH_LIST_MAX = 100000 };

struct path_list {
    char **path; /* (n), owned */
    size_t n, cap;
};

void path_list_init(struct path_list *l);
void path_list_release(struct path_list *l);

/* Append one operand:
 *   FILE      as it is
 *   FOLDER    its runs and traces, by name
 *   *.json    what the pattern matches, by name, where there is no file of that very
 * name: for programs that start us without a shell, and for lists too long for one
 *   @LIST     the files that a text file names, one a line; empty lines and those that
 *             begin with # are skipped; @- is standard input
 *   -         /dev/stdin
 * One that stands for nothing is an error. */
enum status path_list_add(struct path_list *l, const char *operand, struct err *err);

/* A usage error where more than one of operands[0..n) reads standard input (- or @-): the
 * second would find nothing. */
enum status path_list_check_stdin(const char *const *operands, size_t n, struct err *err);

/* Does the name end as runs and traces do: .gait, .json, .json.gz, .zst? */
bool path_is_run_or_trace(const char *path);

#endif
