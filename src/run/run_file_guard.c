#include "run/run_file_guard.h"

#include "base/strbuf.h"

#include <ctype.h>
#include <errno.h>

enum {
    BUDGET_STRIDE = 1000, /* instructions from one look at the budgets to the next */
    BUDGET_INSTRUCTIONS = 100000,
    BUDGET_INSTRUCTIONS_PER_BYTE = 4, /* an honest row takes less than one */
    BUDGET_PAGES = 1000,
    BUDGET_PAGES_PER_PAGE = 8, /* an honest file takes one or two */
    HEAP_MAX_BYTES = 64 << 20, /* SQLite's own; a run takes 3 MB */
    SQL_MAX_BYTES = 16 << 10,  /* the longest view of a run has 2 KB */
};

static const struct {
    int which, value;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, SQL_MAX_BYTES + 1000},
    {SQLITE_LIMIT_SQL_LENGTH, SQL_MAX_BYTES},
    {SQLITE_LIMIT_COLUMN, 64}, /* the widest table has 20 */
    {SQLITE_LIMIT_EXPR_DEPTH, 32},
    {SQLITE_LIMIT_COMPOUND_SELECT, 4},
    {SQLITE_LIMIT_VDBE_OP, 1000},
    {SQLITE_LIMIT_FUNCTION_ARG, 8},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 0},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

static int64_t pages_fetched(sqlite3 *db)
{
    int hit = 0, miss = 0, unused;
    sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_HIT, &hit, &unused, 0);
    sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_MISS, &miss, &unused, 0);
    return (int64_t)hit + miss;
}

static int over_budget(void *context)
{
    struct run_file_guard *g = context;
    g->instructions += BUDGET_STRIDE;
    if (g->instructions > g->instructions_max || pages_fetched(g->db) > g->pages_max)
        g->exceeded = true;
    return g->exceeded;
}

static void set_budget(struct run_file_guard *g)
{
    int64_t bytes = (int64_t)g->file_bytes;
    g->instructions_max = BUDGET_INSTRUCTIONS + bytes * BUDGET_INSTRUCTIONS_PER_BYTE;
    g->pages_max = BUDGET_PAGES;
    sqlite3_progress_handler(g->db, BUDGET_STRIDE, over_budget, g);
    int64_t page_bytes = run_file_guard_int(g, "PRAGMA page_size", 0);
    if (page_bytes > 0)
        g->pages_max += bytes / page_bytes * BUDGET_PAGES_PER_PAGE;
}

static void distrust(struct run_file_guard *g)
{
    /* SQLite has it for the process only; what it writes needs less than that too. */
    sqlite3_hard_heap_limit64(HEAP_MAX_BYTES);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(g->db, limits[i].which, limits[i].value);
    sqlite3_db_config(g->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(g->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(g->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(g->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_exec(g->db, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", NULL, NULL,
                 NULL);
    set_budget(g);
}

/* file:///…?immutable=1: SQLite then looks for no journal and no log beside the file,
 * which somebody may have planted there. What could be taken for a part of an address is
 * escaped; a relative path stays one. */
static void address(struct strbuf *uri, const char *path)
{
    strbuf_puts(uri, *path == '/' ? "file://" : "file:");
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || *path == '/' || *path == '.')
            strbuf_putc(uri, *path);
        else
            strbuf_printf(uri, "%%%02x", (unsigned char)*path);
    strbuf_puts(uri, "?immutable=1");
}

bool run_file_guard_open(struct run_file_guard *g, const char *path, size_t file_bytes)
{
    *g = (struct run_file_guard){.file_bytes = file_bytes};
    struct strbuf uri;
    strbuf_init(&uri);
    address(&uri, path);
    int rc = sqlite3_open_v2(uri.s, &g->db,
                             SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                             NULL);
    strbuf_release(&uri);
    if (rc != SQLITE_OK)
        return false;
    distrust(g);
    return true;
}

bool run_file_guard_open_shared(struct run_file_guard *g, const char *path,
                                size_t file_bytes)
{
    *g = (struct run_file_guard){.file_bytes = file_bytes};
    if (sqlite3_open_v2(path, &g->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return false;
    distrust(g);
    return true;
}

bool run_file_guard_open_bytes(struct run_file_guard *g, unsigned char *bytes, size_t len)
{
    *g = (struct run_file_guard){.file_bytes = len};
    if (sqlite3_open_v2(":memory:", &g->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK ||
        sqlite3_deserialize(g->db, "main", bytes, (sqlite3_int64)len, (sqlite3_int64)len,
                            SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
        return false;
    distrust(g);
    return true;
}

void run_file_guard_close(struct run_file_guard *g)
{
    sqlite3_close(g->db);
}

int64_t run_file_guard_int(struct run_file_guard *g, const char *sql, int64_t otherwise)
{
    sqlite3_stmt *stmt = NULL;
    int64_t v = otherwise;
    if (sqlite3_prepare_v2(g->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        v = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return v;
}

/* SQLite keeps the words of a statement as they were written and reads a table by them:
 * two that are equal make equal tables, without a column that hides or is computed. */
bool run_file_guard_tables(struct run_file_guard *g, struct names *declared)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(g->db, "SELECT sql FROM sqlite_master WHERE type='table'",
                                -1, &stmt, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(stmt, 0);
        names_add_z(declared, sql ? sql : "");
        rc = SQLITE_OK;
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE;
}

void run_file_guard_limit_row(struct run_file_guard *g, int bytes)
{
    sqlite3_limit(g->db, SQLITE_LIMIT_LENGTH, bytes);
}

/* Memory is refused by the machine, or by the limit that a hostile file runs into. */
static bool has_no_memory(void)
{
    return sqlite3_memory_highwater(0) < HEAP_MAX_BYTES / 2;
}

int run_file_system_error(sqlite3 *db)
{
    int code = sqlite3_errcode(db), why = 0;
    if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
        why = sqlite3_system_errno(db);
    /* A page that the disk did not give counts as corrupt there; the file knows better.
     */
    if (!why)
        sqlite3_file_control(db, NULL, SQLITE_FCNTL_LAST_ERRNO, &why);
    return why;
}

bool run_file_guard_failed(const struct run_file_guard *g)
{
    int code = g->db ? sqlite3_errcode(g->db) : SQLITE_NOMEM;
    int why = 0;
    if (code == SQLITE_NOMEM && has_no_memory())
        why = ENOMEM;
    else if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
        why = run_file_system_error(g->db);
    if (why)
        errno = why;
    return why != 0;
}

const char *run_file_guard_why(const struct run_file_guard *g)
{
    int code = g->db ? sqlite3_errcode(g->db) : SQLITE_NOMEM;
    if (g->exceeded)
        return "reading it takes more work than its size explains";
    if (code == SQLITE_NOMEM)
        return "reading it takes more memory than a run may";
    if (code == SQLITE_TOOBIG)
        return "a row or a statement in it is too long";
    /* Where SQLite itself found nothing wrong, it was the rows that did not add up. */
    bool quiet = code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE;
    return quiet ? "rows are missing" : sqlite3_errmsg(g->db);
}
