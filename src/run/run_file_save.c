/* Saving: for each table of schema.h one INSERT, made from its definition; checksums
 * last. */
#include "run/run_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/strbuf.h"
#include "run/row_file.h"
#include "run/run_file_checksum.h"
#include "run/run_file_guard.h"
#include "run/run_file_schema.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>

/* What SQLite says, as a failure of the outside world: of the disk when we write. */
static enum status save_err(sqlite3 *db, const char *path, struct err *err)
{
    int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    errno = code == SQLITE_FULL    ? ENOSPC
            : code == SQLITE_NOMEM ? ENOMEM
                                   : run_file_system_error(db);
    if (errno)
        return file_err(err, "write", path);
    return err_set(err, STATUS_ENVIRONMENT,
                   "cannot write %s: %s; check that the folder exists and is writable",
                   path, sqlite3_errmsg(db));
}

static bool bind_value(sqlite3_stmt *stmt, int at, const struct table *t,
                       const struct column_def *c, size_t i)
{
    if (c->type == COLUMN_F64)
        return sqlite3_bind_double(stmt, at, ((double *)column_data(t, c))[i]) ==
               SQLITE_OK;
    return sqlite3_bind_int64(stmt, at, column_get_int(t, c, i)) == SQLITE_OK;
}

static bool save_table(sqlite3 *db, const struct run *r, enum run_table which)
{
    const struct table_def *def = &run_table_def[which];
    const struct table *t = run_table_const(r, which);
    struct strbuf sql;
    strbuf_init(&sql);
    strbuf_printf(&sql, "INSERT INTO raw_%s VALUES(?", def->name);
    strbuf_repeat(&sql, ",?", (int)def->n_columns);
    strbuf_puts(&sql, ")");
    sqlite3_stmt *stmt = NULL;
    bool good = sqlite3_prepare_v2(db, sql.s, -1, &stmt, NULL) == SQLITE_OK;
    for (size_t i = 0; good && i < t->n; i++) {
        good = sqlite3_bind_int64(stmt, 1, (int64_t)i) == SQLITE_OK;
        for (size_t ci = 0; good && ci < def->n_columns; ci++)
            good = bind_value(stmt, (int)ci + 2, t, &def->columns[ci], i);
        good =
            good && sqlite3_step(stmt) == SQLITE_DONE && sqlite3_reset(stmt) == SQLITE_OK;
    }
    sqlite3_finalize(stmt);
    strbuf_release(&sql);
    return good;
}

static bool save_names(sqlite3 *db, const struct names *names)
{
    sqlite3_stmt *stmt = NULL;
    bool good = sqlite3_prepare_v2(db, "INSERT INTO raw_names VALUES(?,?)", -1, &stmt,
                                   NULL) == SQLITE_OK;
    for (size_t i = 0; good && i < names->n; i++)
        good = sqlite3_bind_int64(stmt, 1, (int64_t)i) == SQLITE_OK &&
               sqlite3_bind_text(stmt, 2, names->str[i], (int)names->len[i],
                                 SQLITE_STATIC) == SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_DONE && sqlite3_reset(stmt) == SQLITE_OK;
    sqlite3_finalize(stmt);
    return good;
}

static bool save_checksums(sqlite3 *db, const struct run *r)
{
    sqlite3_stmt *stmt = NULL;
    bool good = sqlite3_prepare_v2(db, "INSERT INTO raw_checksums VALUES(?,?,?)", -1,
                                   &stmt, NULL) == SQLITE_OK;
    for (int i = 0; good && i < RUN_CHECKSUM_COUNT; i++) {
        struct content_hash_text hash = run_checksum(r, i);
        good = sqlite3_bind_int64(stmt, 1, i) == SQLITE_OK &&
               sqlite3_bind_text(stmt, 2, run_checksum_table(i), -1, SQLITE_STATIC) ==
                   SQLITE_OK &&
               sqlite3_bind_text(stmt, 3, hash.s, -1, SQLITE_TRANSIENT) == SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_DONE && sqlite3_reset(stmt) == SQLITE_OK;
    }
    sqlite3_finalize(stmt);
    return good;
}

static bool save_all(sqlite3 *db, const struct run *r)
{
    char *schema = run_file_schema_sql();
    /* The file is new and becomes visible by a rename: no journal is needed. */
    bool good = sqlite3_exec(db,
                             "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                             "PRAGMA page_size=4096; BEGIN",
                             NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK &&
                save_names(db, &r->names);
    for (int t = 0; good && t < RUN_TABLE_COUNT; t++)
        good = save_table(db, r, t);
    good = good && save_checksums(db, r);
    mem_free(schema);
    return good && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

/* A file of rows, such as a history, by its application id: it stands in the header at a
 * fixed place. */
static bool is_row_file(const char *path)
{
    enum { ID_AT = 68 };
    unsigned char head[ID_AT + 4];
    FILE *f = fopen(path, "rb");
    bool whole = f && fread(head, sizeof head, 1, f) == 1;
    if (f)
        fclose(f);
    const unsigned char *b = head + ID_AT;
    return whole && ((uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
                     b[3]) == ROW_FILE_ID_HISTORY;
}

/* What exists and is not a run is somebody's trace or source: a slip of -o must not cost
 * it. */
enum status run_file_check_target(const char *path, struct err *err)
{
    struct stat s;
    if (stat(path, &s))
        return errno == ENOENT ? STATUS_OK : file_err(err, "write", path);
    if (!S_ISREG(s.st_mode) || !s.st_size)
        return STATUS_OK;
    switch (run_file_look(path)) {
    case RUN_FILE_LOOK_RUN:
        if (!is_row_file(path))
            return STATUS_OK;
        break;
    case RUN_FILE_LOOK_UNREADABLE: /* it may be anything */
        return file_err(err, "read", path);
    case RUN_FILE_LOOK_OTHER:
        break;
    }
    return err_set(err, STATUS_USAGE,
                   "%s exists and is not a run; choose another name, or remove it first",
                   path);
}

/* Without locks, where a network's file system has none: nobody else knows the file. */
static bool open_unlocked(sqlite3 **db, const char *path)
{
    return sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW,
                           "unix-none") == SQLITE_OK;
}

/* Where SQLite cannot open a file for writing it opens it for reading and forgets why. A
 * fault that has passed is no matter; one that lasts is told by the first write. */
static bool open_new(sqlite3 **db, const char *path)
{
    if (!open_unlocked(db, path))
        return false;
    if (!sqlite3_db_readonly(*db, "main"))
        return true;
    sqlite3_close(*db);
    return open_unlocked(db, path);
}

enum status run_save(const struct run *r, const char *path, struct err *err)
{
    enum status st = run_file_check_target(path, err);
    if (st)
        return st;
    struct new_file f;
    sqlite3 *db = NULL;
    st = new_file_open(&f, path, NEW_FILE_REGULAR, err);
    if (st)
        return st;
    if (!open_new(&db, f.tmp) || !save_all(db, r))
        st = save_err(db, path, err);
    if (sqlite3_close(db) != SQLITE_OK)
        BUG("a statement was left open");
    if (st == STATUS_OK)
        return new_file_commit(&f, err);
    new_file_discard(&f);
    return st;
}
