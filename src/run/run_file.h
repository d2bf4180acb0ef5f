/*
 * A run on disk: an SQLite file, described in docs/run-format.md. Each table of schema.h
 * is a table raw_<table> (names and enums as numbers) with a view <table> in which they
 * are text.
 */
#ifndef GAIT_RUN_RUN_FILE_H
#define GAIT_RUN_RUN_FILE_H

#include "base/strbuf.h"
#include "run/run.h"

enum run_parts {
    RUN_PARTS_ALL,
    RUN_PARTS_AGGREGATES, /* without spans and edges: what a merge of many ranks needs */
};

/* Written under a temporary name, synced, renamed: a reader sees the old file or the new
 * one. A file that is there and is no run is not replaced. */
enum status run_save(const struct run *r, const char *path, struct err *err);

/* Append the file's run to *r (run_init'ed by the caller). On failure *r is as before. */
enum status run_load(struct run *r, const char *path, enum run_parts parts,
                     struct err *err);
/* The same from bytes in memory; name is for messages. */
enum status run_load_bytes(struct run *r, const void *data, size_t len, const char *name,
                           struct err *err);

/* How a file begins. */
enum run_file_look {
    RUN_FILE_LOOK_OTHER,      /* also where there is none */
    RUN_FILE_LOOK_RUN,        /* as an SQLite file does */
    RUN_FILE_LOOK_UNREADABLE, /* errno says why */
};
enum run_file_look run_file_look(const char *path);
/* Does it begin as an SQLite file does? */
bool run_file_looks_like(const char *path);

/* The statements that make the tables and views, for docs and tests. The caller frees it.
 */
char *run_file_schema_sql(void);
/* The reference of tables and columns for docs/run-format.md. */
void run_file_schema_markdown(struct strbuf *out);

/* Is there something at path that is not a run, or cannot be read to know? run_save()
 * refuses it; ask before long work. */
enum status run_file_check_target(const char *path, struct err *err);

#endif
