/* Why ranks could not be looked at as one job, in words. */
#ifndef GAIT_REPORT_JOB_TEXT_H
#define GAIT_REPORT_JOB_TEXT_H

#include "analyze/job.h"

/* "" where they could. */
const char *job_reason(enum job_state state);

#endif
