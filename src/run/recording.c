/* The order of a recording, on which its stages rely. */
#include "run/recording.h"

#include <stdlib.h>

static int compare_span(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

void recording_sort(struct recording *rec)
{
    if (rec->n)
        qsort(rec->span, rec->n, sizeof *rec->span, compare_span);
}

size_t recording_lane_end(const struct recording *rec, size_t from)
{
    size_t to = from;
    while (to < rec->n && rec->span[to].lane == rec->span[from].lane)
        to++;
    return to;
}
