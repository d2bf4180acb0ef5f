/* Events as text, in the dialect of the options. */
#ifndef GAIT_TESTS_GEN_EMIT_H
#define GAIT_TESTS_GEN_EMIT_H

#include "gen_plan.h"
#include "text_out.h"

struct emit {
    const struct gen_options *o;
    struct text_out *t;
    int64_t shift_ns; /* from true time to what the file says */
    int64_t step;     /* whose mark is being written */
    int64_t rank;
};

/* A complete event, with its arrows where they are wanted. has_work: of a call of the
 * runtime, whether device events are tied to it. */
void emit_event(struct emit *m, const struct gen_event *e, bool has_work);
/* The form of 2021. */
void emit_event_old(struct emit *m, const struct gen_event *e, bool has_work);
void emit_memory(struct emit *m, const struct gen_event *e);
/* Names of rows, the profiler's own rows. */
void emit_metadata(struct emit *m, int64_t begin_ns, int64_t end_ns);

/* Parts that both forms share. */
void emit_name(struct emit *m, const struct gen_event *e);
void emit_arrow(struct emit *m, const struct gen_event *e, char ph, const char *cat,
                int64_t id);

#endif
