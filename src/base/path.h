/* Paths as text. What is made here the caller frees with mem_free(). */
#ifndef GAIT_BASE_PATH_H
#define GAIT_BASE_PATH_H

const char *path_name(const char *path); /* the part after the last slash */
char *path_folder(const char *path);     /* the part up to it, or "./" */
char *path_join(const char *folder, const char *name);
/* The same without empty parts and ".": "./a//b" is "a/b". */
char *path_plain(const char *path);

#endif
