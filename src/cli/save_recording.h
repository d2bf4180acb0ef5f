/*
 * What a recorded job left in its folder, saved as a run and told: by `gait record` when
 * the job has ended, and by `gait import FOLDER` where that could not be saved then.
 */
#ifndef GAIT_CLI_SAVE_RECORDING_H
#define GAIT_CLI_SAVE_RECORDING_H

#include "base/status.h"

#include <stdbool.h>

/* Where nothing was recorded the reason is said; it is OK, and *saved is false.
 * `job_exit_code` is the likely cause then; 0 where it is unknown. A failure means that
 * the folder holds steps that are in no run: it must be kept. */
enum status save_recording(const char *folder, const char *output, int job_exit_code,
                           bool *saved, struct err *err);

#endif
