/*
 * Loading: for each table of schema.h one SELECT, made from its definition. What is
 * loaded is hostile until the guard (run_file_guard.h), run_check() and the checksums
 * have passed it: each value has its type, every reference is checked, nothing is longer
 * than the file.
 */
#include "run/run_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "run/run_file_checksum.h"
#include "run/run_file_guard.h"
#include "run/run_file_schema.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME_MAX_BYTES = 1 << 20, /* longest string accepted from a file */
    NAME_ROW_MAX_BYTES = NAME_MAX_BYTES + 100,
    ROW_MAX_BYTES = 1000, /* of numbers; the widest row has 201 */
    ROWS_MAX = 500 * 1000 * 1000,
    SQLITE_MAGIC_BYTES = 16,
};

/* A file that is being loaded. */
struct loading {
    struct run_file_guard guard;
    struct names declared; /* the statements that declare its tables */
    struct run run;        /* what was read so far */
    const char *name;      /* for messages */
    struct err *err;
};

static enum status damaged(const struct loading *l, const char *what, const char *why)
{
    if (run_file_guard_failed(&l->guard))
        return file_err(l->err, "read", l->name);
    return err_set(l->err, STATUS_INPUT,
                   "%s is damaged or not a run of gait (%s%s%s); make it again with gait "
                   "import or gait profile",
                   l->name, what, *what ? ": " : "", why);
}

static enum status check_version(struct loading *l)
{
    int64_t id = run_file_guard_int(&l->guard, "PRAGMA application_id", 0);
    if (id != RUN_FILE_APPLICATION_ID && run_file_guard_failed(&l->guard))
        return file_err(l->err, "read", l->name);
    if (id != RUN_FILE_APPLICATION_ID)
        return err_set(
            l->err, STATUS_INPUT,
            "%s is not a run of gait; give a .gait file, or a trace as .json or "
            ".json.gz",
            l->name);
    int64_t version = run_file_guard_int(&l->guard, "PRAGMA user_version", 0);
    if (!version && run_file_guard_failed(&l->guard))
        return file_err(l->err, "read", l->name);
    if (version > RUN_FORMAT_VERSION)
        return err_set(l->err, STATUS_INPUT,
                       "%s has run format %lld, this gait reads %d; use a newer gait, or "
                       "make the run again with this one",
                       l->name, (long long)version, RUN_FORMAT_VERSION);
    if (version < RUN_FORMAT_VERSION)
        return err_set(
            l->err, STATUS_INPUT,
            "%s has run format %lld of an older gait, this one reads format %d; make it "
            "again with gait import or gait profile",
            l->name, (long long)version, RUN_FORMAT_VERSION);
    return STATUS_OK;
}

/* Read a table of the file in the order of its ids, row by row: the rows of one that is
 * not declared by these words are not looked at. *take gets a row whose id is i; false:
 * its values are not as gait writes them. */
typedef bool take_row(struct loading *l, sqlite3_stmt *stmt, size_t i, void *to);

static enum status each_row(struct loading *l, const char *table, const char *declared,
                            const char *select, take_row *take, void *to)
{
    sqlite3_stmt *stmt = NULL;
    char why[128] = "";
    if (names_find_z(&l->declared, declared) < 0)
        return damaged(l, table, "it is missing or not declared as gait declares it");
    int rc = sqlite3_prepare_v2(l->guard.db, select, -1, &stmt, NULL);
    bool good = rc == SQLITE_OK;
    /* Ids must be 0, 1, 2 …: they are the row numbers that other tables refer to. */
    for (size_t i = 0; good && (rc = sqlite3_step(stmt)) == SQLITE_ROW; i++) {
        good = i < ROWS_MAX && sqlite3_column_int64(stmt, 0) == (int64_t)i;
        if (good && !take(l, stmt, i, to)) {
            snprintf(why, sizeof why, "row %zu is not as gait writes it", i);
            good = false;
        }
    }
    good = good && rc == SQLITE_DONE;
    enum status st =
        good ? STATUS_OK : damaged(l, table, *why ? why : run_file_guard_why(&l->guard));
    sqlite3_finalize(stmt);
    return st;
}

/* Ids of the file are ids of *names, since an empty table interns distinct strings in
 * order; a repeated string is damage. All strings together are shorter than the file,
 * unless its pages refer to each other in circles. */
static bool take_name(struct loading *l, sqlite3_stmt *stmt, size_t i, void *to)
{
    size_t *total = to;
    const char *text = sqlite3_column_blob(stmt, 1);
    size_t len = (size_t)sqlite3_column_bytes(stmt, 1);
    *total += len;
    return sqlite3_column_type(stmt, 1) == SQLITE_TEXT && len <= NAME_MAX_BYTES &&
           *total <= l->guard.file_bytes &&
           names_add(&l->run.names, text ? text : "", len) == i;
}

static enum status load_names(struct loading *l)
{
    size_t total = 0;
    run_file_guard_limit_row(&l->guard, NAME_ROW_MAX_BYTES);
    enum status st = each_row(l, "raw_names", RUN_FILE_NAMES_SQL,
                              "SELECT id, text FROM raw_names NOT INDEXED ORDER BY id",
                              take_name, &total);
    run_file_guard_limit_row(&l->guard, ROW_MAX_BYTES);
    return st;
}

/* A value beyond what its column holds becomes one that run_check() refuses. */
static bool take_value(sqlite3_stmt *stmt, int at, struct table *t,
                       const struct column_def *c, size_t i)
{
    int type = sqlite3_column_type(stmt, at);
    if (c->type == COLUMN_F64) {
        double *v = (double *)column_data(t, c) + i;
        *v = type == SQLITE_NULL ? NAN : sqlite3_column_double(stmt, at);
        return type == SQLITE_FLOAT || type == SQLITE_NULL;
    }
    int64_t v = sqlite3_column_int64(stmt, at);
    int64_t max = c->size == 8             ? INT64_MAX
                  : c->type == COLUMN_NAME ? UINT32_MAX
                                           : INT32_MAX;
    int64_t min = c->size == 8 ? INT64_MIN : c->type == COLUMN_NAME ? 0 : INT32_MIN;
    column_set_int(t, c, i, v > max ? max : v < min ? min : v);
    return type == SQLITE_INTEGER;
}

static bool take_numbers(struct loading *l, sqlite3_stmt *stmt, size_t i, void *to)
{
    enum run_table which = *(enum run_table *)to;
    const struct table_def *def = &run_table_def[which];
    struct table *t = run_table(&l->run, which);
    bool good = true;
    table_reserve(t, def, i + 1);
    for (size_t ci = 0; ci < def->n_columns; ci++)
        good = take_value(stmt, (int)ci + 1, t, &def->columns[ci], i) && good;
    t->n = i + 1;
    return good;
}

static enum status load_table(struct loading *l, enum run_table which)
{
    const struct table_def *def = &run_table_def[which];
    struct strbuf table, declared, select;
    strbuf_init(&table);
    strbuf_init(&declared);
    strbuf_init(&select);
    strbuf_printf(&table, "raw_%s", def->name);
    run_file_table_sql(&declared, def);
    strbuf_puts(&select, "SELECT id");
    for (size_t ci = 0; ci < def->n_columns; ci++)
        strbuf_printf(&select, ",\"%s\"", def->columns[ci].name);
    strbuf_printf(&select, " FROM %s NOT INDEXED ORDER BY id", table.s);
    enum status st = each_row(l, table.s, declared.s, select.s, take_numbers, &which);
    strbuf_release(&table);
    strbuf_release(&declared);
    strbuf_release(&select);
    return st;
}

static bool is_loaded(enum run_table which, enum run_parts parts)
{
    bool detail = which == RUN_TABLE_spans || which == RUN_TABLE_edges;
    return parts == RUN_PARTS_ALL || !detail;
}

struct stored_checksums {
    struct content_hash_text of[RUN_CHECKSUM_COUNT];
    size_t n;
};

static bool take_checksum(struct loading *l, sqlite3_stmt *stmt, size_t i, void *to)
{
    (void)l;
    struct stored_checksums *stored = to;
    const void *text = sqlite3_column_blob(stmt, 1);
    if (i >= RUN_CHECKSUM_COUNT || sqlite3_column_bytes(stmt, 1) != CONTENT_HASH_DIGITS)
        return false;
    memcpy(stored->of[i].s, text, CONTENT_HASH_DIGITS);
    stored->n = i + 1;
    return true;
}

/* A fuzzer cannot make a checksum; what lies behind must be tried all the same. */
static bool checksum_differs(const struct loading *l, int which,
                             const struct content_hash_text *stored)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)l, (void)which, (void)stored;
    return false;
#else
    struct content_hash_text found = run_checksum(&l->run, which);
    return memcmp(found.s, stored->s, CONTENT_HASH_DIGITS) != 0;
#endif
}

static enum status check_checksums(struct loading *l, enum run_parts parts)
{
    struct stored_checksums stored = {.n = 0};
    enum status st =
        each_row(l, "raw_checksums", RUN_FILE_CHECKSUMS_SQL,
                 "SELECT id, xxh3 FROM raw_checksums NOT INDEXED ORDER BY id",
                 take_checksum, &stored);
    if (st == STATUS_OK && stored.n < RUN_CHECKSUM_COUNT)
        st = damaged(l, "raw_checksums", "rows are missing");
    for (int i = 0; i < RUN_CHECKSUM_COUNT && st == STATUS_OK; i++) {
        bool loaded =
            i < RUN_CHECKSUM_TABLES || is_loaded(i - RUN_CHECKSUM_TABLES, parts);
        if (loaded && checksum_differs(l, i, &stored.of[i]))
            st = err_set(
                l->err, STATUS_INPUT,
                "%s is damaged: the checksum of its table %s does not match; copy "
                "it again from where it came, or make it again with gait import or "
                "gait profile (a run that was edited is not read either)",
                l->name, run_checksum_table(i));
    }
    return st;
}

static enum status load_tables(struct loading *l, enum run_parts parts)
{
    if (!run_file_guard_tables(&l->guard, &l->declared))
        return damaged(l, "", run_file_guard_why(&l->guard));
    enum status st = load_names(l);
    for (int t = 0; t < RUN_TABLE_COUNT && st == STATUS_OK; t++)
        if (is_loaded(t, parts))
            st = load_table(l, t);
    /* Before the checksums: it says which value is wrong. */
    if (st == STATUS_OK && (st = run_check(&l->run, l->err)) != STATUS_OK)
        st = err_prefix(l->err, "%s is damaged", l->name);
    if (st == STATUS_OK)
        st = check_checksums(l, parts);
    return st;
}

/* Append the run behind a guard to *r. */
static enum status load(struct run *r, struct loading *l, enum run_parts parts)
{
    names_init(&l->declared);
    run_init(&l->run);
    enum status st = check_version(l);
    if (st == STATUS_OK)
        st = load_tables(l, parts);
    if (st == STATUS_OK)
        run_merge(r, &l->run);
    run_release(&l->run);
    names_release(&l->declared);
    return st;
}

enum status run_load(struct run *r, const char *path, enum run_parts parts,
                     struct err *err)
{
    struct loading l = {.name = path, .err = err};
    struct stat s;
    /* SQLite's own words for a missing or unreadable file do not help; ours do. */
    int fd;
    enum status st = file_open_input(&fd, path, err);
    if (st)
        return st;
    if (fstat(fd, &s))
        st = file_err(err, "read", path);
    close(fd);
    if (st)
        return st;
    st = run_file_guard_open(&l.guard, path, (size_t)s.st_size)
             ? load(r, &l, parts)
             : damaged(&l, "", run_file_guard_why(&l.guard));
    run_file_guard_close(&l.guard);
    return st;
}

enum status run_load_bytes(struct run *r, const void *data, size_t len, const char *name,
                           struct err *err)
{
    struct loading l = {.name = name, .err = err};
    /* SQLite wants the bytes in memory that it may touch, but READONLY keeps it from
     * growing. */
    unsigned char *copy = mem_alloc(len);
    memcpy(copy, data, len);
    enum status st = run_file_guard_open_bytes(&l.guard, copy, len)
                         ? load(r, &l, RUN_PARTS_ALL)
                         : damaged(&l, "", run_file_guard_why(&l.guard));
    run_file_guard_close(&l.guard);
    mem_free(copy);
    return st;
}

enum run_file_look run_file_look(const char *path)
{
    char head[SQLITE_MAGIC_BYTES];
    struct stat s;
    if (stat(path, &s))
        return errno == ENOENT ? RUN_FILE_LOOK_OTHER : RUN_FILE_LOOK_UNREADABLE;
    /* A pipe is not looked into: what is read from it is gone. */
    if (!S_ISREG(s.st_mode))
        return RUN_FILE_LOOK_OTHER;
    FILE *f = fopen(path, "rb");
    if (!f)
        return RUN_FILE_LOOK_UNREADABLE;
    size_t got = fread(head, 1, sizeof head, f);
    bool failed = ferror(f);
    int saved = errno;
    fclose(f);
    errno = saved;
    if (failed)
        return RUN_FILE_LOOK_UNREADABLE;
    return got == sizeof head && !memcmp(head, "SQLite format 3", sizeof head)
               ? RUN_FILE_LOOK_RUN
               : RUN_FILE_LOOK_OTHER;
}

bool run_file_looks_like(const char *path)
{
    return run_file_look(path) == RUN_FILE_LOOK_RUN;
}
