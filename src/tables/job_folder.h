/* Where the files of a job are: folders and names, and what may stand there. Private to
 * tables. */
#ifndef GAIT_TABLES_JOB_FOLDER_H
#define GAIT_TABLES_JOB_FOLDER_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define JOB_FILE_ALL "all.parquet"

/* "job=NAME" with what a path or an engine could take for something else as %XX. On OK
 * the caller frees *out with mem_free(). */
enum status job_folder_name(char **out, const char *job, struct err *err);

/* DIR/TABLE/job=NAME; the caller frees it. */
char *job_folder_path(const char *dir, const char *table, const char *name);

/* "rank-000017.parquet"; the caller frees it. */
char *job_file_of_rank(int32_t rank);

/* The path of a file of a single rank, NULL where none is there; the caller frees it. */
enum status job_folder_find_rank(char **out, const char *folder, struct err *err);

/*
 * all.parquet takes the place of the files of single ranks, so that no reader finds a rank
 * in both:
 *
 *     job_folder_hide_ranks()         rank-000017.parquet is .rank-000017.parquet.old
 *     rename() to all.parquet         failed: job_folder_bring_back_ranks()
 *     job_folder_drop_hidden()
 *
 * Where that was cut off, job_folder_settle() does the rest: whatever all.parquet is there,
 * it has the ranks. The folder may be absent.
 */
enum status job_folder_hide_ranks(const char *folder, struct err *err);
enum status job_folder_bring_back_ranks(const char *folder, struct err *err);
enum status job_folder_drop_hidden(const char *folder, struct err *err);
enum status job_folder_settle(const char *folder, struct err *err);

#endif
