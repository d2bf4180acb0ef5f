/* The SQL of a run file; private to run. */
#ifndef GAIT_RUN_RUN_FILE_SCHEMA_H
#define GAIT_RUN_RUN_FILE_SCHEMA_H

#include "base/strbuf.h"
#include "run/table_def.h"

/* "gait" in PRAGMA application_id, which the file command shows. */
#define RUN_FILE_APPLICATION_ID 0x67616974

#define RUN_FILE_NAMES_SQL "CREATE TABLE raw_names(id INTEGER PRIMARY KEY, text TEXT)"
#define RUN_FILE_CHECKSUMS_SQL                                                           \
    "CREATE TABLE raw_checksums(id INTEGER PRIMARY KEY, name TEXT, xxh3 TEXT)"

/* The statement that declares raw_<table>, as SQLite keeps it. */
void run_file_table_sql(struct strbuf *sql, const struct table_def *def);

#endif
