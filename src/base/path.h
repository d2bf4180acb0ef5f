/* Paths as text. What is made here the caller frees with mem_free(). */
#ifndef GAIT_BASE_PATH_H
#define GAIT_BASE_PATH_H

#include <stdbool.h>

struct strbuf;

const char *path_name(const char *path); /* the part after the last slash */
char *path_folder(const char *path);     /* the part up to it, or "./" */
char *path_join(const char *folder, const char *name);
/* The same without empty parts and ".": "./a//b" is "a/b". */
char *path_plain(const char *path);

/* Does its name end as those of configs do? Then it is one, whatever it holds. */
bool path_is_config(const char *path);

/* Append a path as a shell takes it, quoted where it holds anything unusual; or `otherwise`
 * where there is none that a shell could be given again: NULL, "", standard input,
 * characters that must not reach a terminal. */
void path_add_shell_word(struct strbuf *out, const char *path, const char *otherwise);

#endif
