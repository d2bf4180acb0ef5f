/* Private to render_json*.c. */
#ifndef GAIT_REPORT_RENDER_JSON_FINDINGS_H
#define GAIT_REPORT_RENDER_JSON_FINDINGS_H

#include "base/json_writer.h"
#include "findings/finding.h"

/* Keys "findings", "findings_note", "together", "roadmap", "checked", "not_checked" and
 * "replay". f may be NULL. */
void json_findings(struct json_writer *w, const struct analysis *a,
                   const struct findings *f);

#endif
