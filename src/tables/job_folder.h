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

/* Remove the files of single ranks, since all.parquet has them. */
enum status job_folder_drop_ranks(const char *folder, struct err *err);

#endif
