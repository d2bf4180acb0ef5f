/*
 * A job's figures as Parquet files, for engines that query many jobs. Start here.
 *
 *     DIR/TABLE/job=NAME/all.parquet            all ranks of the job
 *     DIR/TABLE/job=NAME/rank-000017.parquet    a rank that was exported without the others
 *
 * A job has one or the other: each rank of it stands in one file of a table, and exporting
 * it again replaces that file. Files of ranks that are not known to be in the new ones are
 * never replaced. Engines take NAME from the path, as Hive does.
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
    bool whole;    /* no other ranks will come, whatever the recordings say */
    bool own_name; /* of its only file: what is there is an earlier export of that */
};

/* Unless the recordings say that there are no other ranks, each becomes a file of its own.
 * One that does not know its number cannot, and is taken as the whole job: refused where
 * files of ranks are there. Each file appears whole or not at all, and none before all of its part are
 * complete. */
enum status tables_export(const struct tables_job *job, struct tables_result *result,
                          struct err *err);

#endif
