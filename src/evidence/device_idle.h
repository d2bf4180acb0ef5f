/* When no work of the rank's device runs, as far as spans are kept, and whose doing it
 * is. */
#ifndef GAIT_EVIDENCE_DEVICE_IDLE_H
#define GAIT_EVIDENCE_DEVICE_IDLE_H

#include "evidence/evidence.h"
#include "evidence/stretches.h"

/* From begin to end. Release with stretches_release(). */
struct stretches device_idle(const struct evidence *e, int64_t begin_ns, int64_t end_ns);

/* Where launched graphs leave gaps that only work which was not recorded explains. */
struct stretches device_hidden(const struct evidence *e);

/* Moments that one thread of the host accounts for. */
struct idle_share {
    const struct host_thread *thread; /* NULL: none is recorded */
    struct stretches when;
};

/* Share moments out: to the main thread those in which it works itself or fetches; of the
 * others, to a thread that launches device work (autograd's) those in which that one
 * works; the rest to the main one again. out has room for e->n_threads + 1; returns how
 * many there are. Release each `when`. */
size_t device_idle_share(struct idle_share *out, const struct evidence *e,
                         const struct stretches *idle);

/* The thread that marks the steps, else the one with most calls; NULL: there is none. */
const struct host_thread *device_main_thread(const struct evidence *e);

#endif
