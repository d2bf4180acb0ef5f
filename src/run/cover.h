/*
 * A cover: the union of intervals of time, as disjoint sorted pieces. How much of a
 * window something was going on, whatever overlapped. Private to run.
 */
#ifndef GAIT_RUN_COVER_H
#define GAIT_RUN_COVER_H

#include <stddef.h>
#include <stdint.h>

struct cover_piece {
    int64_t begin_ns, end_ns;
    int64_t before_ns; /* covered by all earlier pieces; filled in by cover_finish() */
};

struct cover {
    struct cover_piece *piece; /* (n) */
    size_t n, cap;
};

void cover_init(struct cover *c);
void cover_release(struct cover *c);
void cover_add(struct cover *c, int64_t begin_ns, int64_t end_ns); /* in any order */
void cover_add_all(struct cover *c, const struct cover *other);
void cover_finish(struct cover *c); /* after the last add, before any question */

int64_t cover_total_ns(const struct cover *c);
int64_t cover_within_ns(const struct cover *c, int64_t begin_ns, int64_t end_ns);

#endif
