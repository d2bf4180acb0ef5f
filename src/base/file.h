/* Whole files, and what can be said of a path. */
#ifndef GAIT_BASE_FILE_H
#define GAIT_BASE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Read a file of at most max_bytes. On OK the caller frees *out with mem_free(); a NUL
 * byte stands behind the text and is not counted in *len. */
enum status file_read(char **out, size_t *len, const char *path, size_t max_bytes,
                      struct err *err);

/* Write a whole file by base/new_file.h: a reader sees the old one or the new one. */
enum status file_write(const char *path, const char *data, size_t len, struct err *err);

/* The descriptor that a path names because the user connected it to this process:
 * standard input and output, a shell's <(command) or >(command); -1 for other paths. */
int file_own_descriptor(const char *path);

/* Open a file that the user named, to read it. A pipe, socket or device is refused and
 * never waited for, unless it is a descriptor that the process was started with
 * (/dev/stdin, /dev/fd/N). On OK the caller closes *out. */
enum status file_open_input(int *out, const char *path, struct err *err);
/* The same as a stream. */
enum status file_open_stream(FILE **out, const char *path, struct err *err);

bool file_exists(const char *path);
/* Surely, not where it cannot be looked at: opening it tells why then. */
bool file_is_absent(const char *path);
bool file_is_dir(const char *path);
/* Do both names lead to one file that exists? */
bool file_is_same(const char *a, const char *b);

/* Could a file be written at path? Its folder must exist and be writable, and path must
 * not be a folder. Asked before long work, whose result would otherwise be lost; the file
 * itself is not touched. */
enum status file_check_writable(const char *path, struct err *err);

/* Sets err to what errno means for this path, with what to do; returns its status. */
enum status file_err(struct err *err, const char *doing, const char *path);

/* Bytes that are free on the disk of a folder; NAN: it does not say. */
double file_room(const char *folder);

/* fsync a file or folder that is there. */
enum status file_sync(const char *path, struct err *err);
/* fsync the folder that holds a path's name. */
enum status file_sync_name(const char *path, struct err *err);

/* Make dir and the folders above it where they are missing. */
enum status file_make_folders(const char *dir, struct err *err);

#endif
