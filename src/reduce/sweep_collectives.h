/*
 * Collectives: the first ones of each step row by row, so that all ranks choose the same,
 * and sums over all of them by operation, size of the group and type of element. How much
 * of one is exposed is known when it ends: until then it waits. Private to run.
 */
#ifndef GAIT_REDUCE_SWEEP_COLLECTIVES_H
#define GAIT_REDUCE_SWEEP_COLLECTIVES_H

#include "run/run.h"

struct sweep;
struct sweep_lane;

/* Open at one time: a few streams have one each. Of more, the part after that counts as
 * exposed. */
enum { OPEN_COLLECTIVES_MAX = 4096 };

/* Sums beyond are one, "(other)". */
enum { COLLECTIVE_ROWS_MAX = 4096, COLLECTIVE_SUMS_MAX = 1024 };

/* Collectives of one text (collective_facts.h), or of one kernel where there is none. */
struct collective_sort {
    struct collective row; /* names are the run's; what all of them have in common */
    bool numbered;
    size_t sum; /* of sweep_collectives.sum */
};

struct open_collective {
    int64_t end_ns, dur_ns;
    int64_t compute_ns;              /* covered by kernels when it began */
    const struct cover_sum *compute; /* of its device */
    size_t sum;
    int64_t row; /* of run->collectives, or -1 */
};

struct sweep_collectives {
    uint32_t *of_name;            /* (names) index into sort + 1; NULL: none was seen */
    struct collective_sort *sort; /* (n_sorts) */
    size_t n_sorts, cap_sorts;
    struct collective_sum *sum; /* (n_sums) */
    size_t n_sums, cap_sums;
    struct open_collective *open; /* (n_open) a heap, the earliest end first */
    size_t n_open;
    int64_t next_end_ns; /* the earliest; INT64_MAX: none is open */
    int64_t step;        /* of the latest, -1: outside */
    size_t step_rows;    /* rows that it has */
    size_t step_rows_max, rows;
};

void sweep_collectives_init(struct sweep *sw);
void sweep_collectives_release(struct sweep_collectives *c);
/* Those that ended by now; before anything else that happens now. */
void sweep_collectives_pass(struct sweep *sw, int64_t now_ns);
/* After it was added to the device's time. */
void sweep_collectives_add(struct sweep *sw, const struct sweep_lane *l,
                           const struct span *s, int64_t step);
void sweep_collectives_finish(struct sweep *sw);

#endif
