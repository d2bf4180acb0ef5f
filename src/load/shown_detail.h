/*
 * The spans of one rank among many: the timeline and the findings of a large job are
 * those of the rank that stands for it, and the spans of a thousand would not fit into
 * memory. Which one it is, is known when all have been read; its file is then read again.
 */
#ifndef GAIT_LOAD_SHOWN_DETAIL_H
#define GAIT_LOAD_SHOWN_DETAIL_H

#include "load/load_runs.h"
#include "load/path_list.h"

/* Where the rows of each file begin in *run, which has no spans; place is (files + 1).
 * Where the file has changed since, its spans are left out, with a warning. */
void shown_detail_add(struct run *run, const struct path_list *files,
                      const struct run_place *place, const struct load_options *options);

#endif
