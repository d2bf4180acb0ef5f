/* One rank's file: head, events in the order in which Kineto writes them, footer. */
#ifndef GAIT_TESTS_GEN_FILE_H
#define GAIT_TESTS_GEN_FILE_H

#include "gen_job.h"

/* Writes the file and fills *sum, which answers_init() has prepared. path NULL writes
 * nothing. Returns the size of the text. */
int64_t gen_file_write(const struct gen_options *o, int64_t rank,
                       const int64_t *slowest_ns, const char *path, struct answers *sum);

#endif
