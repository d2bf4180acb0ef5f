/*
 * What one recording thread collects. What was added since the last end or drop of a
 * block is held apart from what is sure. Private to run.
 */
#ifndef GAIT_REDUCE_SHARD_H
#define GAIT_REDUCE_SHARD_H

#include "reduce/lane_index.h"
#include "reduce/reduce.h"
#include "spans/span_store.h"

enum {
    STEP_MARKS_MAX = 1000000,
    MEMORY_SERIES_MAX =
        1024, /* devices and classes; a damaged trace may name any number */
};

/* How a lane was used: by blocks that ended, and by the block that is being recorded. */
struct lane_use {
    int64_t rows, launches;
    int64_t block_rows, block_launches;
};

/* What is counted for the notes, and whether there are Python frames. */
struct shard_counts {
    int64_t out_of_range, marks_lost, memory_lost;
    int64_t python_frames;
};

struct reduce_shard {
    struct names names;
    struct lane_index lanes; /* names are the shard's */
    struct lane_use *use;    /* (lanes.n) */
    size_t cap_use;
    int32_t *touched; /* (n_touched) lanes with rows in this block */
    size_t n_touched, cap_touched;
    struct span_writer *writer; /* lane and name are the shard's */
    int64_t block_rows, runs_ended;
    struct step_mark
        *mark; /* (n_marks) the first `sure_marks` are of blocks that ended */
    size_t n_marks, cap_marks, sure_marks;
    size_t memory_series;
    struct shard_counts sure, block;
};

void shard_init(struct reduce_shard *s, struct span_pool *pool, int number);
void shard_release(struct reduce_shard *s);

#endif
