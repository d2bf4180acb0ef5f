/*
 * What git leaves out of a repository: the patterns of .gitignore files, from the top of the
 * repository down to a folder, and of .git/info/exclude. A folder that is left out is not
 * looked into, so that nothing in it comes back. What is tracked all the same is not known
 * here, nor are the user's own patterns (core.excludesFile): a project has the same files for
 * everyone.
 */
#ifndef GAIT_LINT_GIT_IGNORE_H
#define GAIT_LINT_GIT_IGNORE_H

#include "base/status.h"

#include <stdbool.h>

struct git_ignore; /* all that was read */
struct git_folder; /* a folder, with the patterns that hold in it */

struct git_ignore *git_ignore_new(void);
void git_ignore_free(struct git_ignore *g); /* folders too; NULL is allowed */

/* path: a folder, "" the working folder. Reads the patterns from its repository's top down to
 * it. *out lives as long as g. */
enum status git_ignore_open(struct git_ignore *g, const struct git_folder **out,
                            const char *path, struct err *err);
/* The folder `name` in a folder, which is no link. */
enum status git_ignore_enter(struct git_ignore *g, const struct git_folder **out,
                             const struct git_folder *in, const char *name,
                             struct err *err);
/* *out: is the file or folder `name` in this folder left out? An error where hostile patterns
 * would take too long. */
enum status git_ignore_has(struct git_ignore *g, bool *out, const struct git_folder *in,
                           const char *name, bool is_folder, struct err *err);

#endif
