/* Several files are taken for the ranks of one job; is there reason to doubt it? */
#ifndef GAIT_REPORT_ONE_JOB_H
#define GAIT_REPORT_ONE_JOB_H

#include "analyze/analysis.h"
#include "base/strbuf.h"

/* Append a warning with the reasons and what to run instead, and return true; or append
 * nothing. Names in it are as the files gave them: not clean. */
bool one_job_doubt(struct strbuf *out, const struct analysis *a);

#endif
