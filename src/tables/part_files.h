/*
 * The files of one part of a job, one for each table: written under other names, and given
 * their own when all of them are complete. The other names begin with a dot, which
 * engines leave out that read folders, and have another end, for those that match names. So
 * a query sees tables of the old export or of the new one, but for the moment in which
 * files are renamed, six or those of all ranks. Private to tables.
 */
#ifndef GAIT_TABLES_PART_FILES_H
#define GAIT_TABLES_PART_FILES_H

#include "tables/flat_table.h"
#include "tables/tables.h"

struct part {
    const char *dir, *job; /* job=NAME */
    const char *file;      /* all.parquet, rank-000017.parquet */
    bool instead_of_ranks; /* it has all that files of single ranks have: they go */
    size_t first, n;       /* of analysis->ranks */
};

/* On failure earlier files stand. Adds to *result. */
enum status part_write(const struct part *p, const struct flat_source *s,
                       struct tables_result *result, struct err *err);

#endif
