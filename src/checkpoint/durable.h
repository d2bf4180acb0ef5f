/*
 * Files and folders that survive a crash. The rule everywhere: what is complete is
 * fsynced, then named by a rename, then the folder that holds the name is fsynced;
 * nothing is removed before what replaces it has gone through all three.
 */
#ifndef GAIT_CHECKPOINT_DURABLE_H
#define GAIT_CHECKPOINT_DURABLE_H

#include "base/status.h"

#include <stddef.h>

/* Write a new file and fsync it; one that is there, or a link, is refused. On failure it
 * may be there in part. */
enum status durable_write(const char *path, const char *bytes, size_t n, struct err *err);

/* Make a complete folder the new `to`, and fsync the folder above. A folder that `to`
 * named stands at `from` afterwards, and is the caller's to remove. Where the file system
 * cannot exchange two names, a crash can leave it at durable_aside_name(to). After a
 * failure both are where they were, or it stands aside. */
enum status durable_place_folder(const char *from, const char *to, struct err *err);

/* Where a folder stands while another takes its name; the caller frees it with
 * mem_free(). */
char *durable_aside_name(const char *path);
/* Finish what a crash left of durable_place_folder(): a folder that stands aside gets its
 * name back where nothing has it, and is removed where the new one has. Not while another
 * process may be placing one. */
enum status durable_recover(const char *to, struct err *err);

/* Remove a folder and what is in it. A crash half-way leaves a folder of this name. */
enum status durable_remove(const char *folder, struct err *err);

#endif
