/*
 * A job's figures as Parquet files, for engines that query many jobs. Start here.
 *
 *     DIR/TABLE/job=NAME/all.parquet            all ranks of the job
 *     DIR/TABLE/job=NAME/rank-000017.parquet    a rank that was exported without the others
 *
 * A job has one or the other: each rank of it stands in one file of a table, and exporting
 * it again replaces that file. Engines take NAME from the path, as Hive does.
 */
#ifndef GAIT_TABLES_TABLES_H
#define GAIT_TABLES_TABLES_H

#include "analyze/analysis.h"
#include "base/status.h"
#include "price/finding.h"

struct tables_result {
    size_t ranks, files;
    int64_t rows, bytes;
};

struct tables_job {
    const struct analysis *analysis;
    const struct findings *findings; /* NULL: none were looked for */
    const char *folder, *name;
    bool whole; /* no other ranks will come, whatever the recordings say */
};

/* Where the recordings name more ranks than the analysis has, each rank becomes a file of
 * its own. Each file appears whole or not at all, and none before all of its part are
 * complete. */
enum status tables_export(const struct tables_job *job, struct tables_result *result,
                          struct err *err);

#endif
