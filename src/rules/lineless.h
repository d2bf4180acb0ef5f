/*
 * Where needless calls are, of a data flow without lines (an execution trace): by the
 * trace's own frames, else by the calls around the longest row of them.
 */
#ifndef GAIT_RULES_LINELESS_H
#define GAIT_RULES_LINELESS_H

#include "evidence/watched.h"
#include "rules/places.h"

/* A zeroed struct has seen nothing. */
struct lineless {
    struct places places;
    const struct host_thread *thread; /* of the longest row; NULL: there is none yet */
    size_t first, last;               /* its ops */
    double ns;
};

void lineless_add(struct lineless *l, const struct evidence *e,
                  const struct host_thread *t, size_t op);
/* Such calls one after the other, which take so long. */
void lineless_add_row(struct lineless *l, const struct host_thread *t, size_t first,
                      size_t last, double ns);
void lineless_tell(struct lineless *l, const struct evidence *e, char *text, size_t size);

#endif
