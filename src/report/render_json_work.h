/* The part "work" of a rank's figures. */
#ifndef GAIT_REPORT_RENDER_JSON_WORK_H
#define GAIT_REPORT_RENDER_JSON_WORK_H

#include "base/json_writer.h"
#include "report/report.h"

void put_work(struct json_writer *w, const struct analysis *a, size_t rank_index,
              const struct report_options *options);

#endif
