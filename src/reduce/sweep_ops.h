/*
 * Who called whom on a lane, and sums by name.
 *
 * A stack of open spans a lane: a span that begins before the top ends is called by it.
 * Sources round, and some spans truly overlap without nesting, so a callee may end after
 * its caller: each moment is taken from the nearest span below that is still open then.
 * So every moment is the self time of one span alone, and inclusive time is the union of
 * a name's spans on its lane: recursion counts once, and neither can pass the wall time.
 * On device lanes nothing calls anything. Private to run.
 */
#ifndef GAIT_REDUCE_SWEEP_OPS_H
#define GAIT_REDUCE_SWEEP_OPS_H

#include "run/run.h"

struct sweep;
struct sweep_lane;

enum { OP_NONE = UINT32_MAX };

/* A name has one op, rarely two or three, and never more than places times kinds. */
struct op_ref {
    uint32_t op; /* OP_NONE: none */
    uint16_t kind, place;
};

struct op_sum {
    struct op op;       /* name is the stream's */
    struct op_ref next; /* another op of the same name */
    /* The union on one lane so far; of other lanes that had it open meanwhile, `shared`
     * more are in op_lanes. A union that ended before now can be forgotten. */
    int32_t lane;
    uint32_t shared;
    int64_t until_ns;
};

struct op_lane {
    uint32_t op;
    int32_t lane; /* -1: free */
    int64_t until_ns;
};

struct op_lanes {
    struct op_lane *slot; /* (slots) open addressing */
    size_t n, slots;
};

/* Where in the program a span stands, or those it calls. */
struct op_context {
    uint32_t op;          /* the innermost operator, or OP_NONE */
    uint32_t site;        /* its site (sweep_sites.h), or SITE_NONE */
    name_id module, line; /* the innermost ones; 0: none */
};

struct open_span {
    int64_t end_ns, dur_ns;
    int64_t callees_ns;
    uint32_t op;
    struct op_context inside; /* of what it calls; inside.op is op where it is one */
};

struct call_stack {
    struct open_span *open; /* (depth) ends grow downwards */
    size_t depth, cap;
};

struct sweep_ops {
    struct op_sum *sum; /* (n) */
    size_t n, cap;
    struct op_ref *of_name; /* (names) the op of a name that was found last */
    struct op_lanes lanes;
    size_t open;      /* spans on all stacks */
    int64_t too_deep; /* spans that were not put on a stack */
};

void sweep_ops_init(struct sweep_ops *o, size_t names);
void sweep_ops_release(struct sweep_ops *o);
/* Returns its op; *around gets what the span was called from. */
uint32_t sweep_ops_add_host(struct sweep *sw, struct sweep_lane *l, const struct span *s,
                            struct op_context *around);
void sweep_ops_add_device(struct sweep_ops *o, const struct span *s);
void sweep_ops_end(struct sweep *sw); /* after the last span */
void sweep_ops_finish(struct sweep *sw);

#endif
