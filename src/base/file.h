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

/* Write to a temporary name beside path, fsync, rename, fsync the folder. A symbolic link
 * is followed and the mode of an existing file stays; a device or pipe (/dev/stdout) is
 * written to as it is. */
enum status file_write(const char *path, const char *data, size_t len, struct err *err);

/* Make a complete temporary file the new path: fsync it, rename, fsync the folder. On
 * failure tmp is removed. What is no regular file is refused: it would be replaced by
 * one. */
enum status file_commit(const char *tmp, const char *path, struct err *err);
/* A name beside path for that purpose; the caller frees it with mem_free(). */
char *file_temporary_name(const char *path);

bool file_exists(const char *path);
bool file_is_dir(const char *path);
/* Do both names lead to one file that exists? */
bool file_is_same(const char *a, const char *b);
const char *file_name(const char *path); /* the part after the last slash */

/* Could a file be written at path? Its folder must exist and be writable, and path must
 * not be a folder. Asked before long work, whose result would otherwise be lost; the file
 * itself is not touched. */
enum status file_check_writable(const char *path, struct err *err);

/* Sets err to what errno means for this path, with what to do; returns its status. */
enum status file_err(struct err *err, const char *doing, const char *path);

/* Make dir and the folders above it where they are missing. */
enum status file_make_folders(const char *dir, struct err *err);

#endif
