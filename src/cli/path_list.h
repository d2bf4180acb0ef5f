/* The files that operands stand for: themselves, or what a folder holds. */
#ifndef GAIT_CLI_PATH_LIST_H
#define GAIT_CLI_PATH_LIST_H

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

/* Append one operand: a file as it is, a folder as its runs and traces by name, - as
 * /dev/stdin. A folder with none is an error. */
enum status path_list_add(struct path_list *l, const char *operand, struct err *err);

/* Does the name end as runs and traces do: .gait, .json, .json.gz? */
bool path_is_run_or_trace(const char *path);

#endif
