/* Appending to a history file: each of these is one transaction. */
#include "base/strbuf.h"
#include "history/history.h"
#include "history/history_tables.h"

#include <string.h>
#include <time.h>

struct history_utc history_now(void)
{
    struct history_utc out;
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(out.s, sizeof out.s, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return out;
}

static enum status add_gate(struct row_file *f, int64_t comparison,
                            const struct history_gate *g, struct err *err)
{
    const struct row_value v[HISTORY_GATE_N] = {
        row_int(comparison), row_text(g->name),        row_text(g->verdict),
        row_text(g->unit),   row_text(g->change_unit), row_real(g->before),
        row_real(g->after),  row_real(g->change),      row_real(g->low),
        row_real(g->high)};
    return row_file_change(
        f, "INSERT INTO gates(" HISTORY_GATE_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?)", v,
        HISTORY_GATE_N, err);
}

static enum status add_comparison(struct row_file *f, const struct history_comparison *c,
                                  struct err *err)
{
    const struct content_hash_text hash = history_comparison_hash(c);
    const struct row_value v[HISTORY_COMPARISON_N] = {
        row_text(c->utc),     row_text(c->kind),        row_text(c->before),
        row_text(c->after),   row_text(c->before_hash), row_text(c->after_hash),
        row_text(c->machine), row_text(c->verdict),     row_text(hash.s)};
    enum status st = row_file_change(f,
                                     "INSERT INTO comparisons(" HISTORY_COMPARISON_COLUMNS
                                     ") VALUES(?,?,?,?,?,?,?,?,?)",
                                     v, HISTORY_COMPARISON_N, err);
    int64_t id = row_file_last_id(f);
    for (size_t i = 0; i < c->n_gates && !st; i++)
        st = add_gate(f, id, &c->gate[i], err);
    return st;
}

enum status history_append(const char *path, const struct history_comparison *c,
                           struct err *err)
{
    struct row_file *f;
    enum status st = row_file_open(&f, path, &history_kind, ROW_FILE_APPEND, err);
    if (st)
        return st;
    st = add_comparison(f, c, err);
    if (!st)
        st = row_file_commit(f, err);
    row_file_close(f);
    return st;
}

static enum status add_baseline(struct row_file *f, const struct history_baseline *b,
                                struct err *err)
{
    const struct content_hash_text hash = history_baseline_hash(b);
    const struct row_value v[HISTORY_BASELINE_N] = {
        row_text(b->name),    row_text(b->utc),          row_text(b->path),
        row_text(b->hash),    row_text(b->machine),      row_text(b->yaml),
        row_real(b->step_ms), row_real(b->memory_bytes), row_text(hash.s)};
    enum status st =
        row_file_change(f, "DELETE FROM baselines WHERE name = ?", v, 1, err);
    if (!st)
        st = row_file_change(f,
                             "INSERT INTO baselines(" HISTORY_BASELINE_COLUMNS
                             ") VALUES(?,?,?,?,?,?,?,?,?)",
                             v, HISTORY_BASELINE_N, err);
    return st;
}

enum status history_already(const char *path, const char *name, struct err *err)
{
    return err_set(err, STATUS_USAGE,
                   "%s has a baseline %s already; add --replace to replace it, or choose "
                   "another name",
                   path, name);
}

static bool take_equal(void *to, const struct row_value *row)
{
    const char **name = to;
    if (*name && !strcmp(*name, row[0].text))
        *name = NULL;
    return true;
}

/* Asked in the transaction: another process may have saved one meanwhile. */
static enum status check_absent(struct row_file *f, const char *path, const char *name,
                                struct err *err)
{
    static const enum row_value_kind kinds[] = {ROW_VALUE_TEXT};
    const char *looked_for = name;
    enum status st = row_file_select(f, "SELECT name FROM baselines", kinds, 1,
                                     take_equal, &looked_for, err);
    if (st || looked_for)
        return st;
    return history_already(path, name, err);
}

enum status history_save(const char *path, const struct history_baseline *b, bool replace,
                         struct err *err)
{
    struct row_file *f;
    enum status st = row_file_open(&f, path, &history_kind, ROW_FILE_APPEND, err);
    if (st)
        return st;
    if (!replace)
        st = check_absent(f, path, b->name, err);
    if (!st)
        st = add_baseline(f, b, err);
    if (!st)
        st = row_file_commit(f, err);
    row_file_close(f);
    return st;
}
