/*
 * An SQLite file of rows that several processes append to and read: what a history is
 * kept in. Here because run owns sqlite3.h and the guard against hostile files, both of
 * which a second user of SQLite needs; the header shows nothing of SQLite.
 *
 * A file is of one kind, told by its application id, and has that kind's tables word for
 * word and no other. One opening is one transaction: it sees one state of the file, and a
 * kill at any moment leaves the state before or the state after row_file_commit().
 *
 *     row_file_open → row_file_select, row_file_change … → row_file_commit → row_file_close
 */
#ifndef GAIT_RUN_ROW_FILE_H
#define GAIT_RUN_ROW_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The application ids of gait's files of rows, "ghis": run_save() replaces no such file. */
enum { ROW_FILE_ID_HISTORY = 0x67686973 };

struct row_file_kind {
    const char *what; /* for messages: "history of gait" */
    int32_t application_id, version;
    const char *const *tables; /* (n_tables) the statements that declare them */
    size_t n_tables;
};

enum row_file_mode {
    ROW_FILE_READ,
    ROW_FILE_APPEND, /* the file is made where there is none */
};

/* A value of a row. A real that is NAN is stored as NULL and read back as NAN. */
struct row_value {
    enum row_value_kind { ROW_VALUE_TEXT, ROW_VALUE_REAL, ROW_VALUE_INT } kind;
    const char *text; /* NUL-terminated; one that was read lives until the next row */
    double real;
    int64_t integer;
};

enum { ROW_FILE_COLUMNS_MAX = 16 };

struct row_file;

/* Waits for other processes, some seconds at most. On OK the caller closes *out. */
enum status row_file_open(struct row_file **out, const char *path,
                          const struct row_file_kind *kind, enum row_file_mode mode,
                          struct err *err);

/* Each row of a SELECT whose columns are of these kinds; false: the row is not as gait
 * writes it, which ends the reading. */
typedef bool row_file_take(void *to, const struct row_value *row);
enum status row_file_select(struct row_file *f, const char *sql,
                            const enum row_value_kind *kinds, size_t n,
                            row_file_take *take, void *to, struct err *err);

/* An INSERT or DELETE with a ? for each value. */
enum status row_file_change(struct row_file *f, const char *sql,
                            const struct row_value *values, size_t n, struct err *err);
/* The id of the last row inserted. */
int64_t row_file_last_id(const struct row_file *f);

enum status row_file_commit(struct row_file *f, struct err *err);
/* What was not committed is undone. */
void row_file_close(struct row_file *f);

#endif
