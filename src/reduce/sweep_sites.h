/*
 * Operators by place in the user's program: the module and the line of the user's source
 * around each call, from Python frames. At most SITES_MAX places; the rest is summed as
 * "(other)". Private to run.
 */
#ifndef GAIT_REDUCE_SWEEP_SITES_H
#define GAIT_REDUCE_SWEEP_SITES_H

#include "run/run.h"

struct sweep;

enum { SITES_MAX = 20000, SITE_NONE = UINT32_MAX };

struct site_sum {
    uint32_t op;          /* of sweep_ops, or OP_NONE: (other) */
    name_id module, line; /* the stream's; 0: none */
    int64_t count, self_ns, device_ns;
};

struct sweep_sites {
    bool on;              /* there are Python frames */
    struct site_sum *sum; /* (n) */
    size_t n, cap;
    uint32_t *slot; /* open addressing: index + 1 */
    size_t slots;
};

void sweep_sites_init(struct sweep_sites *s, bool on);
void sweep_sites_release(struct sweep_sites *s);
uint32_t sweep_site_find(struct sweep_sites *s, uint32_t op, name_id module,
                         name_id line);
/* SITE_NONE where there are no Python frames. */
static inline uint32_t sweep_site(struct sweep_sites *s, uint32_t op, name_id module,
                                  name_id line)
{
    return s->on ? sweep_site_find(s, op, module, line) : SITE_NONE;
}
void sweep_sites_finish(struct sweep *sw);

#endif
