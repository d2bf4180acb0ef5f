/*
 * Checksums of a run file, one a table, over values and not over bytes of the file:
 * whoever vacuums or indexes it changes nothing, and a part that is loaded is checked by
 * itself. Described in docs/run-format.md. Private to run.
 */
#ifndef GAIT_RUN_RUN_FILE_CHECKSUM_H
#define GAIT_RUN_RUN_FILE_CHECKSUM_H

#include "base/content_hash.h"
#include "run/table_def.h"

/* Rows of raw_checksums: the names, then the tables of schema.h in their order. */
enum {
    RUN_CHECKSUM_NAMES,
    RUN_CHECKSUM_TABLES, /* + enum run_table */
    RUN_CHECKSUM_COUNT = RUN_CHECKSUM_TABLES + RUN_TABLE_COUNT
};

const char *run_checksum_table(int which); /* "names", "ranks" … */
struct content_hash_text run_checksum(const struct run *r, int which);

#endif
