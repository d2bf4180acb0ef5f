/* What the source itself says about who waited for whom: NVIDIA's synchronisation events,
 * which a profiler records on request. */
#ifndef GAIT_REDUCE_SYNC_EDGES_H
#define GAIT_REDUCE_SYNC_EDGES_H

#include "run/run.h"

/* What such an event waits for, as the text that a span carries in `shapes`; `seq` has
 * the correlation of the call that recorded the event. */
#define SYNC_STREAM_TEXT "stream "

/* Add EDGE_KIND_SYNC edges among the spans and launch edges from these rows on: from the
 * work that was waited for to the work behind the wait on its stream, or to the call that
 * blocked. What names nothing that is kept gets none. */
void sync_edges_add(struct run *run, size_t first_span, size_t first_edge);

#endif
