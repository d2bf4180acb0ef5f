/* The files of a profile in a folder (report/profile_files.h), with the run beside them. */
#ifndef GAIT_CLI_PROFILE_FOLDER_H
#define GAIT_CLI_PROFILE_FOLDER_H

#include "base/status.h"
#include "report/report.h"

/* Make the folder before the profile runs: a result that cannot be written is lost. */
enum status profile_folder_make(const char *folder, struct err *err);

/* Findings are looked for here. took_s: what the profile took; run_path: where the run
 * is. */
enum status profile_folder_write(const char *folder, const struct run *run,
                                 const char *run_path, double took_s, struct err *err);

#endif
