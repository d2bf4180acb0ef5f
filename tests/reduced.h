/* What was recorded, as one rank of a run: no temporary file fails here. */
#ifndef GAIT_TESTS_REDUCED_H
#define GAIT_TESTS_REDUCED_H

#include "cmocka_setup.h"

#include "reduce/reduce.h"

/* Returns the rank's row. */
static inline int32_t reduced(struct reducer *r, struct run *run, struct rank rank)
{
    struct err err = ERR_INIT;
    int32_t row = -1;
    assert_int_equal(reducer_finish(r, run, rank, &row, &err), STATUS_OK);
    return row;
}

#endif
