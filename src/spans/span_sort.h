/*
 * The order of an open run's rows: begin_ns, the longer first, seq, as added.
 *
 * Rows stay where they are; what is sorted is their numbers. Begins usually span far less
 * than 2^48 ns, so that a begin and a row's number fit in one word, and a radix sort of
 * those words costs the same for lanes that interleave as for any other order. Rows of
 * equal begin, and whole runs that span more, are merge sorted.
 */
#ifndef GAIT_SPANS_SPAN_SORT_H
#define GAIT_SPANS_SPAN_SORT_H

#include "spans/span_row.h"

struct span_sort {
    uint16_t *index; /* (n) after span_sort_rows(): row numbers in order */
    uint16_t *index_spare;
    uint64_t *word, *word_spare;
    size_t cap;
};

void span_sort_init(struct span_sort *s);
void span_sort_release(struct span_sort *s);
/* n: at most 65536. */
void span_sort_rows(struct span_sort *s, const struct span_row *rows, size_t n);

#endif
