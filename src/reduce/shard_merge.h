/*
 * All shards as one recording: names and lanes under numbers of the rank's own. Lanes
 * stand in the order of kind, device, pid and tid, whoever saw them first, and only those
 * that have spans; the series of memory (span_facts.h) stand behind them. Private to run.
 */
#ifndef GAIT_REDUCE_SHARD_MERGE_H
#define GAIT_REDUCE_SHARD_MERGE_H

#include "reduce/shard.h"

struct merged_lane {
    struct lane lane; /* name is the rank's */
    int64_t rows, launches;
};

struct merged {
    struct names *names;      /* the first shard's, with the others' added */
    struct merged_lane *lane; /* (n_lanes + n_series) */
    size_t n_lanes, n_series;
    int32_t **lane_of;      /* (shards) [i] for a shard's lane i; -1: it has no spans */
    name_id **name_of;      /* (shards) [i] for a shard's name i */
    struct step_mark *mark; /* (n_marks) lanes are the rank's */
    size_t n_marks;
    int64_t spans; /* rows that are no memory */
    struct shard_counts counts;
    int shards;
};

void merged_init(struct merged *m, struct reduce_shard *shard, int shards);
void merged_release(struct merged *m);

#endif
