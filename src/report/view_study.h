/* The sections of a study's page; private to view_study.c and view_study_tables.c. */
#ifndef GAIT_REPORT_VIEW_STUDY_H
#define GAIT_REPORT_VIEW_STUDY_H

#include "report/view_parts.h"
#include "study/study.h"

/* "−12.3 %", "−14.0 to −10.1 %"; "–" for what is not known. */
const char *study_change_text(struct view *v, double change);
const char *study_interval_text(struct view *v, double low, double high);

void view_study_changes(struct view *v, const struct study *s);
void view_study_gates(struct view *v, const struct study *s);
void view_study_waterfall(struct view *v, const struct study *s);
void view_study_ablation(struct view *v, const struct study *s);

#endif
