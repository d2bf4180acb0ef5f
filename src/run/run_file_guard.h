/*
 * An SQLite file that may be hostile, opened for reading. Nothing in it may make SQLite
 * run code of the file's (views, triggers, computed columns), write, open another file,
 * or do work without proportion to the file's size:
 *   - only tables that are declared word for word as gait declares them are read;
 *   - a load may take so many instructions of SQLite's machine per byte of the file and
 *     fetch so many pages per page of it. A row that is read takes an instruction for
 * each column and at least a byte in the file for each column, and each page is needed
 * once, so an honest file is far below; pages that refer to themselves are not. Both are
 * counts, not clocks: the same file is refused on every machine or on none. Private to
 * run.
 */
#ifndef GAIT_RUN_RUN_FILE_GUARD_H
#define GAIT_RUN_RUN_FILE_GUARD_H

#include "base/names.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct run_file_guard {
    sqlite3 *db; /* NULL where SQLite had no memory for it */
    size_t file_bytes;
    int64_t instructions, instructions_max;
    int64_t pages_max;
    bool exceeded; /* the work was stopped by a budget */
};

/* Open a file, or bytes that the caller keeps until the close. False where SQLite cannot;
 * the guard must be closed all the same. */
bool run_file_guard_open(struct run_file_guard *g, const char *path, size_t file_bytes);
bool run_file_guard_open_bytes(struct run_file_guard *g, unsigned char *bytes,
                               size_t len);
/* A file that others may be writing to, with SQLite's locks and its journal; so it is for
 * files that the user keeps, not for what was sent to him. It is opened for writing where
 * the system allows it: a journal that a kill left is rolled back first. */
bool run_file_guard_open_shared(struct run_file_guard *g, const char *path,
                                size_t file_bytes);
void run_file_guard_close(struct run_file_guard *g);

/* The first column of the first row, or `otherwise`. */
int64_t run_file_guard_int(struct run_file_guard *g, const char *sql, int64_t otherwise);

/* The statements that declare the file's tables; false where they cannot be read. */
bool run_file_guard_tables(struct run_file_guard *g, struct names *declared);

/* From now on a row may have so many bytes. */
void run_file_guard_limit_row(struct run_file_guard *g, int bytes);

/* The errno of the system call that made the last statement fail; 0: none did. */
int run_file_system_error(sqlite3 *db);
/* Did reading stop because of the machine, its disk or its memory, and not of the file?
 * Then errno says what it was. */
bool run_file_guard_failed(const struct run_file_guard *g);
/* Why reading stopped, for a message. */
const char *run_file_guard_why(const struct run_file_guard *g);

#endif
