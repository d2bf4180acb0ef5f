#ifndef GAIT_EVIDENCE_EVIDENCE_WORK_H
#define GAIT_EVIDENCE_EVIDENCE_WORK_H

#include "evidence/evidence.h"

/* Fill in e->work. */
void evidence_find_work(struct evidence *e);

#endif
