/* Whole files: read with a limit, written so that a reader sees the old one or the new
 * one. */
#ifndef GAIT_BASE_FILE_H
#define GAIT_BASE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Read a file of at most max_bytes. On OK the caller frees *out with mem_free(); a NUL
 * byte stands behind the text and is not counted in *len. */
enum status file_read(char **out, size_t *len, const char *path, size_t max_bytes,
                      struct err *err);

/* Write to a temporary name beside path, fsync, rename, fsync the folder. */
enum status file_write(const char *path, const char *data, size_t len, struct err *err);

/* Make a complete temporary file the new path: fsync it, rename, fsync the folder. On
 * failure tmp is removed. */
enum status file_commit(const char *tmp, const char *path, struct err *err);
/* A name beside path for that purpose; the caller frees it with mem_free(). */
char *file_temporary_name(const char *path);

bool file_exists(const char *path);
bool file_is_dir(const char *path);
const char *file_name(const char *path); /* the part after the last slash */

/* Sets err to what errno means for this path, with what to do; returns its status. */
enum status file_err(struct err *err, const char *doing, const char *path);

#endif
