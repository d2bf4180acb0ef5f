/* A history file into memory: each table once, in the order of its ids. */
#include "history/history.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "history/history_tables.h"

#include <string.h>

#define COMPARISONS_SQL                                                                  \
    "CREATE TABLE comparisons(id INTEGER PRIMARY KEY, utc TEXT, kind TEXT, "             \
    "before TEXT, after TEXT, before_hash TEXT, after_hash TEXT, machine TEXT, "         \
    "verdict TEXT, xxh3 TEXT)"
#define GATES_SQL                                                                        \
    "CREATE TABLE gates(id INTEGER PRIMARY KEY, comparison INTEGER, name TEXT, "         \
    "verdict TEXT, unit TEXT, change_unit TEXT, before REAL, after REAL, change REAL, "  \
    "low REAL, high REAL)"
#define BASELINES_SQL                                                                    \
    "CREATE TABLE baselines(id INTEGER PRIMARY KEY, name TEXT, utc TEXT, path TEXT, "    \
    "hash TEXT, machine TEXT, yaml TEXT, step_ms REAL, memory_bytes REAL, xxh3 TEXT)"

enum { HISTORY_VERSION = 1 };

static const char *const tables[] = {COMPARISONS_SQL, GATES_SQL, BASELINES_SQL};

const struct row_file_kind history_kind = {
    .what = "history of gait",
    .application_id = ROW_FILE_ID_HISTORY,
    .version = HISTORY_VERSION,
    .tables = tables,
    .n_tables = sizeof tables / sizeof *tables,
};

void history_init(struct history *h)
{
    *h = (struct history){0};
    names_init(&h->texts);
}

void history_release(struct history *h)
{
    names_release(&h->texts);
    mem_free(h->comparison);
    mem_free(h->id);
    mem_free(h->gate);
    mem_free(h->baseline);
}

static const char *keep(struct history *h, const struct row_value *v)
{
    return names_str(&h->texts, names_add_z(&h->texts, v->text));
}

static bool take_comparison(void *to, const struct row_value *v)
{
    struct history *h = to;
    if (h->n && v[0].integer <= h->id[h->n - 1])
        return false;
    vec_grow(h->id, h->cap_id, h->n + 1);
    vec_grow(h->comparison, h->cap, h->n + 1);
    h->id[h->n] = v[0].integer;
    h->comparison[h->n++] = (struct history_comparison){.utc = keep(h, &v[1]),
                                                        .kind = keep(h, &v[2]),
                                                        .before = keep(h, &v[3]),
                                                        .after = keep(h, &v[4]),
                                                        .before_hash = keep(h, &v[5]),
                                                        .after_hash = keep(h, &v[6]),
                                                        .machine = keep(h, &v[7]),
                                                        .verdict = keep(h, &v[8]),
                                                        .xxh3 = keep(h, &v[9])};
    return true;
}

/* Gates come in the order of their comparisons, as they were appended: `at` is where the
 * last one belonged. */
struct loading_gates {
    struct history *h;
    size_t at;
};

static bool take_gate(void *to, const struct row_value *v)
{
    struct loading_gates *l = to;
    struct history *h = l->h;
    while (l->at < h->n && h->id[l->at] < v[0].integer)
        l->at++;
    if (l->at == h->n || h->id[l->at] != v[0].integer)
        return false;
    h->comparison[l->at].n_gates++;
    vec_grow(h->gate, h->cap_gates, h->n_gates + 1);
    h->gate[h->n_gates++] = (struct history_gate){.name = keep(h, &v[1]),
                                                  .verdict = keep(h, &v[2]),
                                                  .unit = keep(h, &v[3]),
                                                  .change_unit = keep(h, &v[4]),
                                                  .before = v[5].real,
                                                  .after = v[6].real,
                                                  .change = v[7].real,
                                                  .low = v[8].real,
                                                  .high = v[9].real};
    return true;
}

/* When the gates no longer move. */
static void point_at_gates(struct history *h)
{
    size_t at = 0;
    for (size_t i = 0; i < h->n; i++) {
        h->comparison[i].gate = h->gate + at;
        at += h->comparison[i].n_gates;
    }
}

static bool take_baseline(void *to, const struct row_value *v)
{
    struct history *h = to;
    for (size_t i = 0; i < h->n_baselines; i++)
        if (!strcmp(h->baseline[i].name, v[0].text))
            return false;
    vec_grow(h->baseline, h->cap_baselines, h->n_baselines + 1);
    h->baseline[h->n_baselines++] = (struct history_baseline){.name = keep(h, &v[0]),
                                                              .utc = keep(h, &v[1]),
                                                              .path = keep(h, &v[2]),
                                                              .hash = keep(h, &v[3]),
                                                              .machine = keep(h, &v[4]),
                                                              .yaml = keep(h, &v[5]),
                                                              .step_ms = v[6].real,
                                                              .memory_bytes = v[7].real,
                                                              .xxh3 = keep(h, &v[8])};
    return true;
}

static enum status changed(const char *path, const char *what, const char *utc,
                           struct err *err)
{
    return err_set(
        err, STATUS_INPUT,
        "%s is damaged (the %s of %s is not what was stored); take a copy that "
        "is whole, or move it away and begin a new one",
        path, what, utc);
}

static enum status check_hashes(const struct history *h, const char *path,
                                struct err *err)
{
    for (size_t i = 0; i < h->n; i++)
        if (strcmp(history_comparison_hash(&h->comparison[i]).s, h->comparison[i].xxh3) !=
            0)
            return changed(path, "comparison", h->comparison[i].utc, err);
    for (size_t i = 0; i < h->n_baselines; i++)
        if (strcmp(history_baseline_hash(&h->baseline[i]).s, h->baseline[i].xxh3) != 0)
            return changed(path, "baseline", h->baseline[i].utc, err);
    return STATUS_OK;
}

enum status history_load(struct history *h, const char *path, struct err *err)
{
#define T ROW_VALUE_TEXT
#define R ROW_VALUE_REAL
#define I ROW_VALUE_INT
    static const enum row_value_kind comparison[] = {I, T, T, T, T, T, T, T, T, T},
                                     gate[] = {I, T, T, T, T, R, R, R, R, R},
                                     baseline[] = {T, T, T, T, T, T, R, R, T};
#undef T
#undef R
#undef I
    struct loading_gates gates = {.h = h};
    struct row_file *f;
    enum status st = row_file_open(&f, path, &history_kind, ROW_FILE_READ, err);
    if (st)
        return st;
    st = row_file_select(
        f, "SELECT id, " HISTORY_COMPARISON_COLUMNS " FROM comparisons ORDER BY id",
        comparison, 1 + HISTORY_COMPARISON_N, take_comparison, h, err);
    if (!st)
        st = row_file_select(f, "SELECT " HISTORY_GATE_COLUMNS " FROM gates ORDER BY id",
                             gate, HISTORY_GATE_N, take_gate, &gates, err);
    if (!st)
        st = row_file_select(
            f, "SELECT " HISTORY_BASELINE_COLUMNS " FROM baselines ORDER BY id", baseline,
            HISTORY_BASELINE_N, take_baseline, h, err);
    row_file_close(f);
    point_at_gates(h);
    return st ? st : check_hashes(h, path, err);
}

const struct history_baseline *history_find(const struct history *h, const char *path,
                                            const char *name, struct err *err)
{
    struct strbuf known;
    for (size_t i = 0; i < h->n_baselines; i++)
        if (!strcmp(h->baseline[i].name, name))
            return &h->baseline[i];
    strbuf_init(&known);
    for (size_t i = 0; i < h->n_baselines; i++)
        strbuf_printf(&known, "%s%s", i ? ", " : "it has ", h->baseline[i].name);
    err_set(err, STATUS_INPUT, "%s has no baseline %s; %s", path, name,
            known.len ? known.s : "save one: gait verify CONFIG --save-baseline NAME");
    strbuf_release(&known);
    return NULL;
}
