/* A folder of files that tell of a run, under the names that guides to profiling use. */
#ifndef GAIT_REPORT_PROFILE_FILES_H
#define GAIT_REPORT_PROFILE_FILES_H

#include "report/report.h"

struct profile_file {
    const char *path; /* in the folder */
    /* Nothing is put where there is nothing to tell: the file is left out. */
    void (*put)(struct strbuf *out, const struct analysis *a,
                const struct report_options *options);
};

enum { PROFILE_FILES = 4 };
extern const struct profile_file profile_files[PROFILE_FILES];

#endif
