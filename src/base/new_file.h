/*
 * Every file that the program puts in a folder of the user's is written by this: under a
 * temporary name beside its final one, which it takes when it is complete, so that a
 * reader sees the old file or the new one.
 *
 * Others may write to that folder too (/tmp). The temporary name cannot be foreseen, is
 * made with O_EXCL and never follows a link; and a link at the final name is followed
 * only where the kernel would (protected_symlinks): not one that somebody else put into a
 * sticky folder that everybody can write to.
 *
 *     new_file_open → write to fd → new_file_commit or new_file_discard
 */
#ifndef GAIT_BASE_NEW_FILE_H
#define GAIT_BASE_NEW_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct new_file {
    int fd;
    char *tmp;        /* NULL: path is a device or pipe, written to as it is */
    char *target;     /* what path leads to */
    const char *path; /* as the user named it; the caller's */
};

/* What may stand at path. */
enum new_file_kind {
    NEW_FILE_REGULAR, /* only a file: a database cannot go through a pipe */
    NEW_FILE_ANY,     /* a device or pipe too (/dev/stdout) */
    NEW_FILE_OWN,     /* a file in a folder of ours: what else stands there is replaced */
};

/* On OK the caller commits or discards. */
enum status new_file_open(struct new_file *f, const char *path, enum new_file_kind kind,
                          struct err *err);
/* A stream that writes to it; the caller closes it before the commit and looks at errors.
 * NULL with errno. */
FILE *new_file_stream(const struct new_file *f);
/* Keep an older file's mode, fsync, rename, fsync the folder. On failure the older file
 * stands and nothing of the new one is left; only where the last fsync failed, the new
 * one is there and may not survive a power cut. Releases f either way. */
enum status new_file_commit(struct new_file *f, struct err *err);
/* The same without fsync, which can take as long as a disk likes: for what is replaced
 * every few seconds, and worth nothing after a power cut. */
enum status new_file_commit_unsynced(struct new_file *f, struct err *err);
/* Remove what was written. Keeps errno. */
void new_file_discard(struct new_file *f);

/* A name beside path for what is not complete yet or no longer: path.tmp-PID-RANDOM. The
 * number tells what a crash left behind. Nobody can foresee it; still make what bears it
 * with O_EXCL or mkdir(). The caller frees it with mem_free(). */
char *file_temporary_name(const char *path);

/* A folder beside path that others cannot foresee, to be renamed to path when it is
 * complete. It is noted as a leftover (base/leftover.h): on OK the caller forgets it
 * there and frees *out with mem_free(). */
enum status new_folder_make(char **out, const char *path, struct err *err);

/* write() until all is written; false with errno. */
bool write_fully(int fd, const void *data, size_t len);

#endif
