/*
 * Which linted file a file of a run is. Traces name files absolutely, relatively or
 * without their first folders, and the job may have run in another place: the longest
 * common end of both paths decides, in whole components. Where two fit equally well,
 * none is taken.
 */
#ifndef GAIT_SUSPECTS_RUN_FILES_H
#define GAIT_SUSPECTS_RUN_FILES_H

#include "lint/lint.h"
#include "run/run.h"

enum { NO_FILE = -1 };

struct run_files {
    int32_t *file; /* (names of the run) of a path, or of a frame "path.py(12): main", the
                      linted file; NO_FILE */
};

void run_files_init(struct run_files *f, const struct run *run,
                    const struct lint_result *lint);
void run_files_release(struct run_files *f);

/* "path.py(12): main" in its parts. */
struct frame_name {
    size_t path_len;
    int32_t line;
    const char *function;
};

/* False: the name is no frame of the user's source. */
bool frame_name_read(struct frame_name *f, const char *name);

#endif
