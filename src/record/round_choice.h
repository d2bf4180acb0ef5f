/*
 * Which traced round becomes the spans of a recorded job. Noise makes rounds differ, so
 * it is the one whose traced steps are nearest to what the untraced steps and the
 * tracer's own cost make expect; for all ranks the same one, as their collectives must
 * meet.
 */
#ifndef GAIT_RECORD_ROUND_CHOICE_H
#define GAIT_RECORD_ROUND_CHOICE_H

#include "record/process_file.h"

enum { ROUND_NONE = -1 };

/* Index of that round; ROUND_NONE where the processes have no traced round without stacks
 * in common: of the same index, and begun at the same step. */
int round_choose(const struct process_file *const *p, size_t n);

/* Index of the last round with stacks, or ROUND_NONE. */
int round_with_stacks(const struct process_file *p);

/* NULL where there is none of that index. */
const struct json *round_at(const struct process_file *p, int index);

#endif
