#include "run/row_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "run/run_file_guard.h"
#include "run/run_file_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WAIT_MS = 10 * 1000, /* for other processes; an append takes some milliseconds */
    ROW_MAX_BYTES = 2 << 20,
};

struct row_file {
    struct run_file_guard guard;
    const struct row_file_kind *kind;
    const char *path; /* the caller's */
    bool is_new;      /* it has no tables yet */
};

/* What SQLite says, as what the user can do about it. */
static enum status failed(struct row_file *f, const char *doing, struct err *err)
{
    sqlite3 *db = f->guard.db;
    int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return err_set(err, STATUS_ENVIRONMENT,
                       "%s is in use by another process for more than %d s; try again",
                       f->path, WAIT_MS / 1000);
    if (code == SQLITE_READONLY)
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot write %s: it or its folder is read-only; change its mode, "
                       "or name another file",
                       f->path);
    if (code == SQLITE_FULL)
        errno = ENOSPC;
    else if (!run_file_guard_failed(&f->guard) && code == SQLITE_IOERR)
        errno =
            EIO; /* of a call whose errno SQLite does not keep; no fault of the file */
    else if (!run_file_guard_failed(&f->guard))
        return err_set(err, STATUS_INPUT,
                       "%s is damaged or not a %s (%s); move it away and begin a new one",
                       f->path, f->kind->what, run_file_guard_why(&f->guard));
    return file_err(err, doing, f->path);
}

static enum status execute(struct row_file *f, const char *sql, const char *doing,
                           struct err *err)
{
    if (sqlite3_exec(f->guard.db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return STATUS_OK;
    return failed(f, doing, err);
}

/* --- of the right kind? */

static enum status wrong_kind(struct row_file *f, int64_t id, struct err *err)
{
    if (id == RUN_FILE_APPLICATION_ID)
        return err_set(err, STATUS_INPUT,
                       "%s is a run of gait, not a %s; name another file", f->path,
                       f->kind->what);
    return err_set(err, STATUS_INPUT,
                   "%s is an SQLite file, but not a %s; name another file", f->path,
                   f->kind->what);
}

static bool has_the_tables(struct row_file *f)
{
    struct names declared;
    names_init(&declared);
    bool good = run_file_guard_tables(&f->guard, &declared);
    for (size_t i = 0; i < f->kind->n_tables && good; i++)
        good = names_find_z(&declared, f->kind->tables[i]) >= 0;
    names_release(&declared);
    return good;
}

/* Told at once: after the next statement SQLite no longer knows why this one failed. */
static bool read_int(struct row_file *f, const char *sql, int64_t *out)
{
    *out = run_file_guard_int(&f->guard, sql, INT64_MIN);
    return *out != INT64_MIN;
}

static enum status check_kind(struct row_file *f, struct err *err)
{
    int64_t id, version, things;
    if (!read_int(f, "PRAGMA application_id", &id) ||
        !read_int(f, "PRAGMA user_version", &version) ||
        !read_int(f, "SELECT count(*) FROM sqlite_master", &things))
        return failed(f, "read", err);
    f->is_new = !id && !version && !things;
    if (f->is_new)
        return STATUS_OK;
    if (id != f->kind->application_id)
        return wrong_kind(f, id, err);
    if (version != f->kind->version)
        return err_set(err, STATUS_INPUT,
                       "%s has format %lld, this gait reads %d; use the gait that wrote "
                       "it, or begin a new one",
                       f->path, (long long)version, f->kind->version);
    /* With other indexes, views or triggers a change would run what the file says. */
    if (things != (int64_t)f->kind->n_tables || !has_the_tables(f))
        return err_set(err, STATUS_INPUT,
                       "%s is damaged or not a %s (its tables are not as gait declares "
                       "them); move it away and begin a new one",
                       f->path, f->kind->what);
    return STATUS_OK;
}

static enum status make_tables(struct row_file *f, struct err *err)
{
    struct strbuf sql;
    strbuf_init(&sql);
    strbuf_printf(&sql, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
                  f->kind->application_id, f->kind->version);
    for (size_t i = 0; i < f->kind->n_tables; i++)
        strbuf_printf(&sql, "%s;\n", f->kind->tables[i]);
    enum status st = execute(f, sql.s, "write", err);
    strbuf_release(&sql);
    f->is_new = false;
    return st;
}

/* --- open and close */

/* A regular file, made empty where there is none and one is wanted. */
static enum status find_file(const char *path, enum row_file_mode mode, size_t *bytes,
                             struct err *err)
{
    struct stat s;
    if (stat(path, &s)) {
        if (errno != ENOENT || mode == ROW_FILE_READ)
            return file_err(err, "read", path);
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0)
            return file_err(err, "write", path);
        close(fd);
        if (stat(path, &s))
            return file_err(err, "read", path);
    }
    if (!S_ISREG(s.st_mode))
        return err_set(err, STATUS_INPUT, "%s is not a regular file; name another", path);
    *bytes = (size_t)s.st_size;
    return STATUS_OK;
}

static enum status begin(struct row_file *f, size_t bytes, enum row_file_mode mode,
                         struct err *err)
{
    if (!run_file_guard_open_shared(&f->guard, f->path, bytes))
        return failed(f, "read", err);
    sqlite3_limit(f->guard.db, SQLITE_LIMIT_VARIABLE_NUMBER, ROW_FILE_COLUMNS_MAX);
    run_file_guard_limit_row(&f->guard, ROW_MAX_BYTES);
    sqlite3_busy_timeout(f->guard.db, WAIT_MS);
    bool append = mode == ROW_FILE_APPEND;
    enum status st =
        execute(f, append ? "BEGIN IMMEDIATE" : "BEGIN", append ? "write" : "read", err);
    if (!st)
        st = check_kind(f, err);
    return st || !f->is_new || !append ? st : make_tables(f, err);
}

enum status row_file_open(struct row_file **out, const char *path,
                          const struct row_file_kind *kind, enum row_file_mode mode,
                          struct err *err)
{
    size_t bytes = 0;
    enum status st = find_file(path, mode, &bytes, err);
    if (st)
        return st;
    struct row_file *f = mem_zalloc(1, sizeof *f);
    f->path = path;
    f->kind = kind;
    st = begin(f, bytes, mode, err);
    if (st)
        row_file_close(f);
    else
        *out = f;
    return st;
}

enum status row_file_commit(struct row_file *f, struct err *err)
{
    return execute(f, "COMMIT", "write", err);
}

void row_file_close(struct row_file *f)
{
    run_file_guard_close(&f->guard);
    mem_free(f);
}

/* --- rows */

static bool read_value(struct row_value *v, sqlite3_stmt *stmt, int at,
                       enum row_value_kind kind)
{
    int type = sqlite3_column_type(stmt, at);
    *v = (struct row_value){.kind = kind, .real = NAN};
    switch (kind) {
    case ROW_VALUE_TEXT:
        v->text = (const char *)sqlite3_column_text(stmt, at);
        return type == SQLITE_TEXT && v->text &&
               strlen(v->text) == (size_t)sqlite3_column_bytes(stmt, at);
    case ROW_VALUE_REAL:
        if (type != SQLITE_NULL)
            v->real = sqlite3_column_double(stmt, at);
        return type == SQLITE_NULL || (type == SQLITE_FLOAT && isfinite(v->real));
    case ROW_VALUE_INT:
        v->integer = sqlite3_column_int64(stmt, at);
        return type == SQLITE_INTEGER;
    }
    return false;
}

static bool take_row(sqlite3_stmt *stmt, const enum row_value_kind *kinds, size_t n,
                     row_file_take *take, void *to)
{
    struct row_value row[ROW_FILE_COLUMNS_MAX];
    for (size_t i = 0; i < n; i++)
        if (!read_value(&row[i], stmt, (int)i, kinds[i]))
            return false;
    return take(to, row);
}

enum status row_file_select(struct row_file *f, const char *sql,
                            const enum row_value_kind *kinds, size_t n,
                            row_file_take *take, void *to, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    enum status st = STATUS_OK;
    if (f->is_new)
        return STATUS_OK;
    int rc = sqlite3_prepare_v2(f->guard.db, sql, -1, &stmt, NULL);
    while (rc == SQLITE_OK && !st && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        if (!take_row(stmt, kinds, n, take, to))
            st = err_set(err, STATUS_INPUT,
                         "%s is damaged (a row is not as gait writes it: %s); move it "
                         "away and begin a new one",
                         f->path, sql);
        rc = SQLITE_OK;
    }
    if (!st && rc != SQLITE_DONE)
        st = failed(f, "read", err);
    sqlite3_finalize(stmt);
    return st;
}

static int bind(sqlite3_stmt *stmt, int at, const struct row_value *v)
{
    switch (v->kind) {
    case ROW_VALUE_TEXT:
        return sqlite3_bind_text(stmt, at, v->text, -1, SQLITE_STATIC);
    case ROW_VALUE_REAL: /* SQLite makes NULL of a NAN */
        return sqlite3_bind_double(stmt, at, isfinite(v->real) ? v->real : NAN);
    case ROW_VALUE_INT:
        return sqlite3_bind_int64(stmt, at, v->integer);
    }
    BUG("a value of no kind");
}

enum status row_file_change(struct row_file *f, const char *sql,
                            const struct row_value *values, size_t n, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(f->guard.db, sql, -1, &stmt, NULL);
    for (size_t i = 0; i < n && rc == SQLITE_OK; i++)
        rc = bind(stmt, (int)i + 1, &values[i]);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    enum status st = rc == SQLITE_DONE ? STATUS_OK : failed(f, "write", err);
    sqlite3_finalize(stmt);
    return st;
}

int64_t row_file_last_id(const struct row_file *f)
{
    return sqlite3_last_insert_rowid(f->guard.db);
}
