/* Where a cause was seen, by the time that it holds there. */
#ifndef GAIT_RULES_PLACES_H
#define GAIT_RULES_PLACES_H

#include "evidence/evidence.h"

enum { PLACES_MAX = 32, PLACE_TEXT_MAX = 256 };
struct place {
    char text[PLACE_TEXT_MAX];
    double ns;
};
struct places {
    struct place place[PLACES_MAX]; /* (n) more than these are counted alone */
    size_t n, others;
};
void places_add(struct places *p, const struct evidence *e, const struct host_thread *t,
                const struct host_op *op);
/* The two that hold most, and how many more there are. */
void places_tell(struct places *p, char *text, size_t size);

#endif
