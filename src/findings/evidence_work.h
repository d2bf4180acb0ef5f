/* Private to findings. */
#ifndef GAIT_FINDINGS_EVIDENCE_WORK_H
#define GAIT_FINDINGS_EVIDENCE_WORK_H

#include "findings/evidence.h"

/* Fill in e->work. */
void evidence_find_work(struct evidence *e);

#endif
