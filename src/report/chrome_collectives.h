/* What a run tells of its collectives one by one, found again for a span. Private to
 * chrome_trace.c. */
#ifndef GAIT_REPORT_CHROME_COLLECTIVES_H
#define GAIT_REPORT_CHROME_COLLECTIVES_H

#include "base/json_writer.h"
#include "run/run.h"

struct collective_index {
    const struct run *run;
    uint32_t *row; /* (n) rows of run->collectives, by lane and begin */
    size_t n;
};

void collective_index_init(struct collective_index *x, const struct run *run,
                           int32_t rank);
void collective_index_release(struct collective_index *x);

/* The arguments that Kineto gives to a collective's kernel, as far as they are known. */
void collective_index_put(const struct collective_index *x, struct json_writer *w,
                          const struct span *s);

#endif
