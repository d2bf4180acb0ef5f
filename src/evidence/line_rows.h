/* Rows of run->lines by their statements: one that is reached on several ways, or by
 * several ranks, has several. */
#ifndef GAIT_EVIDENCE_LINE_ROWS_H
#define GAIT_EVIDENCE_LINE_ROWS_H

#include "run/run.h"

struct line_row {
    name_id file;
    int32_t number, row; /* line of the file; row of run->lines */
};

/* (lines of the run) Those of one statement together. The caller frees it. */
struct line_row *line_rows_of(const struct run *run);
/* Behind the last of n that is of the same statement as the first. */
size_t line_rows_end(const struct line_row *l, size_t n, size_t first);

#endif
