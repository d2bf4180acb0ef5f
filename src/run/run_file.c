/*
 * Saving and loading: for each table of schema.h one INSERT and one SELECT, made from its
 * definition. What is loaded is hostile until run_check() has passed it: the schema of
 * the file is not trusted, only ordinary tables are read, every reference is checked.
 */
#include "run/run_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/strbuf.h"
#include "run/run_file_schema.h"
#include "run/table_def.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    RUN_FILE_NAME_MAX_BYTES = 1 << 20, /* longest string accepted from a file */
    RUN_FILE_TEXT_MAX_BYTES = 1 << 30, /* all strings together */
    RUN_FILE_ROWS_MAX = 500 * 1000 * 1000,
    SQLITE_MAGIC_BYTES = 16,
};

/* --- saving
 * ------------------------------------------------------------------------------- */

/* What SQLite says, as a failure of the outside world: of the disk when we write. */
static enum status save_err(sqlite3 *db, const char *path, struct err *err)
{
    int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    const char *what = db ? sqlite3_errmsg(db) : "out of memory";
    if (code == SQLITE_FULL)
        return err_set(
            err, STATUS_ENVIRONMENT,
            "cannot write %s: the disk is full; free some room or choose another "
            "place",
            path);
    return err_set(err, STATUS_ENVIRONMENT,
                   "cannot write %s: %s; check that the folder exists and is writable",
                   path, what);
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
    mem_free(schema);
    return good && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

/* What is there and is no run is somebody's trace or source: a slip of -o must not cost
 * it. */
bool run_file_would_destroy(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0 &&
           !run_file_looks_like(path);
}

enum status run_save(const struct run *r, const char *path, struct err *err)
{
    if (run_file_would_destroy(path))
        return err_set(err, STATUS_USAGE,
                       "%s exists and is no run; choose another name, or remove it first",
                       path);
    struct new_file f;
    sqlite3 *db = NULL;
    enum status st = new_file_open(&f, path, NEW_FILE_REGULAR, err);
    if (st)
        return st;
    if (sqlite3_open_v2(f.tmp, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) !=
            SQLITE_OK ||
        !save_all(db, r))
        st = save_err(db, path, err);
    if (sqlite3_close(db) != SQLITE_OK)
        BUG("a statement was left open");
    if (st == STATUS_OK)
        return new_file_commit(&f, err);
    new_file_discard(&f);
    return st;
}

/* --- loading
 * ------------------------------------------------------------------------------ */

static enum status damaged(sqlite3 *db, const char *name, struct err *err)
{
    /* Where SQLite itself found nothing wrong, it was the rows that did not add up. */
    int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    bool quiet = code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE;
    return err_set(
        err, STATUS_INPUT,
        "%s is damaged or not a run of gait (%s); make it again with gait import "
        "or gait profile",
        name,
        !db     ? "out of memory"
        : quiet ? "rows are missing"
                : sqlite3_errmsg(db));
}

/* The first column of the first row, or `otherwise`. */
static int64_t query_int(sqlite3 *db, const char *sql, int64_t otherwise)
{
    sqlite3_stmt *stmt = NULL;
    int64_t v = otherwise;
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        v = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return v;
}

static enum status check_version(sqlite3 *db, const char *name, struct err *err)
{
    if (query_int(db, "PRAGMA application_id", 0) != RUN_FILE_APPLICATION_ID)
        return err_set(
            err, STATUS_INPUT,
            "%s is not a run of gait; give a .gait file, or a trace as .json or "
            ".json.gz",
            name);
    int64_t version = query_int(db, "PRAGMA user_version", 0);
    if (version > RUN_FORMAT_VERSION)
        return err_set(err, STATUS_INPUT,
                       "%s has run format %lld, this gait reads %d; use a newer gait, or "
                       "make the run again with this one",
                       name, (long long)version, RUN_FORMAT_VERSION);
    if (version < RUN_FORMAT_VERSION)
        return err_set(
            err, STATUS_INPUT,
            "%s has run format %lld of an older gait, this one reads format %d; make it "
            "again with gait import or gait profile",
            name, (long long)version, RUN_FORMAT_VERSION);
    return STATUS_OK;
}

/* The ordinary tables of the file: a view or virtual table of one of our names could run
 * code. Asked once, since a thousand files have seventeen tables each. */
static void list_ordinary_tables(sqlite3 *db, struct names *tables)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(
            db,
            "SELECT name FROM sqlite_master WHERE type='table' "
            "AND sql NOT LIKE 'CREATE VIRTUAL%' AND sql NOT LIKE '%GENERATED%' "
            "AND sql NOT LIKE '% AS (%'",
            -1, &stmt, NULL) == SQLITE_OK)
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(stmt, 0);
            names_add_z(tables, name ? name : "");
        }
    sqlite3_finalize(stmt);
}

/* A file that is being loaded. */
struct loading {
    sqlite3 *db;
    struct names tables; /* ordinary ones */
};

static sqlite3_stmt *select_from(const struct loading *l, const char *table,
                                 const char *columns)
{
    struct strbuf text;
    strbuf_init(&text);
    sqlite3_stmt *stmt = NULL;
    strbuf_printf(&text, "raw_%s", table);
    if (names_find_z(&l->tables, text.s) >= 0) {
        strbuf_clear(&text);
        strbuf_printf(&text, "SELECT id%s FROM raw_%s ORDER BY id", columns, table);
        if (sqlite3_prepare_v2(l->db, text.s, -1, &stmt, NULL) != SQLITE_OK)
            stmt = NULL;
    }
    strbuf_release(&text);
    return stmt;
}

/* Ids must be 0, 1, 2 …: they are the row numbers that other tables refer to. */
static bool row_is(sqlite3_stmt *stmt, size_t i)
{
    return sqlite3_column_type(stmt, 0) == SQLITE_INTEGER &&
           sqlite3_column_int64(stmt, 0) == (int64_t)i && i < RUN_FILE_ROWS_MAX;
}

/* The names of the file, in order; false on damage. Ids of the file are ids of *names,
 * since an empty table interns distinct strings in order; a repeated string is damage. */
static bool load_names(const struct loading *l, struct names *names)
{
    sqlite3_stmt *stmt = select_from(l, "names", ",text");
    size_t i = 0, total = 0;
    int rc = SQLITE_ERROR;
    while (stmt && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *text = sqlite3_column_blob(stmt, 1);
        size_t len = (size_t)sqlite3_column_bytes(stmt, 1);
        total += len;
        if (!row_is(stmt, i) || len > RUN_FILE_NAME_MAX_BYTES ||
            total > RUN_FILE_TEXT_MAX_BYTES ||
            names_add(names, text ? text : "", len) != i)
            break;
        i++;
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE && i > 0;
}

/* Out-of-range values become one that run_check() refuses. */
static void load_value(sqlite3_stmt *stmt, int at, struct table *t,
                       const struct column_def *c, size_t i)
{
    if (c->type == COLUMN_F64) {
        bool null = sqlite3_column_type(stmt, at) == SQLITE_NULL;
        ((double *)column_data(t, c))[i] = null ? NAN : sqlite3_column_double(stmt, at);
        return;
    }
    int64_t v = sqlite3_column_int64(stmt, at);
    int64_t max = c->size == 8             ? INT64_MAX
                  : c->type == COLUMN_NAME ? UINT32_MAX
                                           : INT32_MAX;
    int64_t min = c->size == 8 ? INT64_MIN : c->type == COLUMN_NAME ? 0 : INT32_MIN;
    column_set_int(t, c, i, v > max ? max : v < min ? min : v);
}

static bool load_table(const struct loading *l, struct run *r, enum run_table which)
{
    const struct table_def *def = &run_table_def[which];
    struct table *t = run_table(r, which);
    struct strbuf columns;
    strbuf_init(&columns);
    for (size_t ci = 0; ci < def->n_columns; ci++)
        strbuf_printf(&columns, ",\"%s\"", def->columns[ci].name);
    sqlite3_stmt *stmt = select_from(l, def->name, columns.s);
    strbuf_release(&columns);
    int rc = SQLITE_ERROR;
    while (stmt && (rc = sqlite3_step(stmt)) == SQLITE_ROW && row_is(stmt, t->n)) {
        table_reserve(t, def, t->n + 1);
        for (size_t ci = 0; ci < def->n_columns; ci++)
            load_value(stmt, (int)ci + 1, t, &def->columns[ci], t->n);
        t->n++;
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE;
}

static bool load_rows(const struct loading *l, struct run *r, enum run_parts parts)
{
    bool good = load_names(l, &r->names);
    for (int t = 0; good && t < RUN_TABLE_COUNT; t++) {
        bool detail = t == RUN_TABLE_spans || t == RUN_TABLE_edges;
        if (!detail || parts != RUN_PARTS_AGGREGATES)
            good = load_table(l, r, t);
    }
    return good;
}

static enum status load_tables(sqlite3 *db, struct run *r, const char *name,
                               enum run_parts parts, struct err *err)
{
    struct loading l = {.db = db};
    names_init(&l.tables);
    list_ordinary_tables(db, &l.tables);
    bool good = load_rows(&l, r, parts);
    names_release(&l.tables);
    if (!good)
        return damaged(db, name, err);
    if (run_check(r, err) != STATUS_OK)
        return err_prefix(err, "%s is damaged", name);
    return STATUS_OK;
}

/* Nothing in the file may make SQLite run functions, triggers or views of its own. */
static void distrust(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_exec(db, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", NULL, NULL, NULL);
}

static enum status load_db(struct run *r, sqlite3 *db, const char *name,
                           enum run_parts parts, struct err *err)
{
    struct run loaded;
    run_init(&loaded);
    distrust(db);
    enum status st = check_version(db, name, err);
    if (st == STATUS_OK)
        st = load_tables(db, &loaded, name, parts, err);
    if (st == STATUS_OK)
        run_merge(r, &loaded);
    run_release(&loaded);
    return st;
}

enum status run_load(struct run *r, const char *path, enum run_parts parts,
                     struct err *err)
{
    /* SQLite's own words for a missing or unreadable file do not help; ours do. */
    int fd;
    enum status st = file_open_input(&fd, path, err);
    if (st)
        return st;
    close(fd);
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
        st = load_db(r, db, path, parts, err);
    else
        st = damaged(db, path, err);
    sqlite3_close(db);
    return st;
}

enum status run_load_bytes(struct run *r, const void *data, size_t len, const char *name,
                           struct err *err)
{
    sqlite3 *db = NULL;
    enum status st;
    /* SQLite wants the bytes in memory that it may touch, but READONLY keeps it from
     * growing. */
    unsigned char *copy = mem_alloc(len);
    memcpy(copy, data, len);
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_deserialize(db, "main", copy, (sqlite3_int64)len, (sqlite3_int64)len,
                            SQLITE_DESERIALIZE_READONLY) == SQLITE_OK)
        st = load_db(r, db, name, RUN_PARTS_ALL, err);
    else
        st = damaged(db, name, err);
    sqlite3_close(db);
    mem_free(copy);
    return st;
}

bool run_file_looks_like(const char *path)
{
    char head[SQLITE_MAGIC_BYTES] = "";
    struct stat s;
    /* A pipe is not looked into: what is read from it is gone. */
    if (stat(path, &s) || !S_ISREG(s.st_mode))
        return false;
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    size_t got = fread(head, 1, sizeof head, f);
    fclose(f);
    return got == sizeof head && !memcmp(head, "SQLite format 3", sizeof head);
}
