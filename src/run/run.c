/* Life, merging, equality and checks of a run: loops over the definitions of its tables.
 */
#include "run/run.h"

#include "base/mem.h"
#include "run/table_def.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void run_init(struct run *r)
{
    *r = (struct run){0};
    names_init(&r->names);
}

static void table_release(struct run *r, enum run_table which)
{
    const struct table_def *def = &run_table_def[which];
    const struct table *t = run_table(r, which);
    for (size_t i = 0; t->cap && i < def->n_columns; i++)
        mem_free(column_data(t, &def->columns[i]));
}

void run_drop_detail(struct run *r)
{
    table_release(r, RUN_TABLE_spans);
    table_release(r, RUN_TABLE_edges);
    r->spans = (struct spans){0};
    r->edges = (struct edges){0};
}

void run_release(struct run *r)
{
    for (int t = 0; t < RUN_TABLE_COUNT; t++)
        table_release(r, t);
    names_release(&r->names);
    *r = (struct run){0};
}

#define RUN_TABLE_ADD_DEFINE(row, table_name, COLUMNS, doc)                              \
    size_t table_name##_add(struct table_name *t, struct row value)                      \
    {                                                                                    \
        return table_add(&t->table, &run_table_def[RUN_TABLE_##table_name], &value);     \
    }                                                                                    \
    struct row table_name##_get(const struct table_name *t, size_t i)                    \
    {                                                                                    \
        if (i >= t->table.n)                                                             \
            BUG("row %zu of %zu in " #table_name, i, t->table.n);                        \
        return (struct row){COLUMNS(RUN_ROW_GET)};                                       \
    }
#define RUN_ROW_GET(ctype, storage, name, doc) .name = t->name[i],
RUN_TABLES(RUN_TABLE_ADD_DEFINE)

/* Names of src as names of dst. */
static name_id *names_map(struct names *dst, const struct names *src)
{
    name_id *map = mem_alloc(src->n * sizeof *map);
    for (size_t i = 0; i < src->n; i++)
        map[i] = names_add(dst, src->str[i], src->len[i]);
    return map;
}

static void table_merge(struct run *dst, const struct run *src, enum run_table which,
                        const name_id *map, const size_t *shift)
{
    const struct table_def *def = &run_table_def[which];
    struct table *to = run_table(dst, which);
    const struct table *from = run_table_const(src, which);
    table_reserve(to, def, to->n + from->n);
    for (size_t ci = 0; ci < def->n_columns && from->n; ci++) {
        const struct column_def *c = &def->columns[ci];
        memcpy((char *)column_data(to, c) + to->n * c->size, column_data(from, c),
               from->n * c->size);
        if (c->type != COLUMN_NAME && c->type != COLUMN_REF)
            continue;
        for (size_t i = to->n; i < to->n + from->n; i++) {
            int64_t v = column_get_int(to, c, i);
            if (c->type == COLUMN_NAME)
                column_set_int(to, c, i, map[v]);
            else if (v >= 0)
                column_set_int(to, c, i, v + (int64_t)shift[c->ref]);
        }
    }
    to->n += from->n;
}

void run_merge(struct run *dst, const struct run *src)
{
    name_id *map = names_map(&dst->names, &src->names);
    size_t shift[RUN_TABLE_COUNT];
    for (int t = 0; t < RUN_TABLE_COUNT; t++)
        shift[t] = run_table(dst, t)->n;
    for (int t = 0; t < RUN_TABLE_COUNT; t++)
        table_merge(dst, src, t, map, shift);
    mem_free(map);
}

struct run_place run_place_of(const struct run *r)
{
    return (struct run_place){r->ranks.table.n, r->lanes.table.n, r->steps.table.n};
}

void run_merge_detail(struct run *dst, const struct run *src, const struct run_place *at)
{
    name_id *map = names_map(&dst->names, &src->names);
    size_t shift[RUN_TABLE_COUNT] = {[RUN_TABLE_ranks] = at->ranks,
                                     [RUN_TABLE_lanes] = at->lanes,
                                     [RUN_TABLE_steps] = at->steps,
                                     [RUN_TABLE_spans] = dst->spans.table.n};
    table_merge(dst, src, RUN_TABLE_spans, map, shift);
    table_merge(dst, src, RUN_TABLE_edges, map, shift);
    mem_free(map);
}

static bool value_equal(const struct run *a, const struct run *b, const struct table *ta,
                        const struct table *tb, const struct column_def *c, size_t i)
{
    if (c->type == COLUMN_F64) {
        double da = ((double *)column_data(ta, c))[i],
               db = ((double *)column_data(tb, c))[i];
        return da == db || (isnan(da) && isnan(db));
    }
    int64_t va = column_get_int(ta, c, i), vb = column_get_int(tb, c, i);
    if (c->type == COLUMN_NAME)
        return a->names.len[va] == b->names.len[vb] &&
               !memcmp(a->names.str[va], b->names.str[vb], a->names.len[va]);
    return va == vb;
}

static bool table_equal(const struct run *a, const struct run *b, enum run_table which,
                        struct err *why_not)
{
    const struct table_def *def = &run_table_def[which];
    const struct table *ta = run_table_const(a, which), *tb = run_table_const(b, which);
    if (ta->n != tb->n) {
        err_set(why_not, STATUS_FAILED, "%s: %zu rows and %zu rows", def->name, ta->n,
                tb->n);
        return false;
    }
    for (size_t ci = 0; ci < def->n_columns; ci++)
        for (size_t i = 0; i < ta->n; i++)
            if (!value_equal(a, b, ta, tb, &def->columns[ci], i)) {
                err_set(why_not, STATUS_FAILED, "%s.%s differs in row %zu", def->name,
                        def->columns[ci].name, i);
                return false;
            }
    return true;
}

bool run_equal(const struct run *a, const struct run *b, struct err *why_not)
{
    for (int t = 0; t < RUN_TABLE_COUNT; t++)
        if (!table_equal(a, b, t, why_not))
            return false;
    return true;
}

/* The least and the most a value may be. Times stay where sums of two cannot overflow. */
static void column_range(const struct run *r, const struct column_def *c, int64_t *min,
                         int64_t *max)
{
    size_t len = strlen(c->name);
    *min = INT64_MIN;
    *max = INT64_MAX;
    if (c->type == COLUMN_ENUM) {
        *min = 0;
        *max = c->enum_count - 1;
    } else if (c->type == COLUMN_NAME) {
        *min = 0;
        *max = (int64_t)r->names.n - 1;
    } else if (c->type == COLUMN_REF) {
        *min = -1;
        *max = (int64_t)run_table_const(r, c->ref)->n - 1;
    } else if (!strcmp(c->name, "dur_ns") || !strcmp(c->name, "count")) {
        *min = 0;
        *max = RUN_TIME_MAX_NS;
    } else if (!strcmp(c->name, "ns") || (len > 3 && !strcmp(c->name + len - 3, "_ns"))) {
        *min = -RUN_TIME_MAX_NS;
        *max = RUN_TIME_MAX_NS;
    }
}

static enum status table_check(const struct run *r, enum run_table which, struct err *err)
{
    const struct table_def *def = &run_table_def[which];
    const struct table *t = run_table_const(r, which);
    for (size_t ci = 0; ci < def->n_columns; ci++) {
        const struct column_def *c = &def->columns[ci];
        if (c->type == COLUMN_F64)
            continue;
        int64_t min, max;
        column_range(r, c, &min, &max);
        for (size_t i = 0; i < t->n; i++) {
            int64_t v = column_get_int(t, c, i);
            if (v < min || v > max)
                return err_set(
                    err, STATUS_INPUT, "%s.%s in row %zu is %lld, outside %lld to %lld",
                    def->name, c->name, i, (long long)v, (long long)min, (long long)max);
        }
    }
    return STATUS_OK;
}

/* Callers stand before those they call, forward calls before backward ones, and the calls
 * of a rank together with their tensors: whoever follows them ends. */
static enum status check_flow(const struct run *r, struct err *err)
{
    const struct watched_ops *w = &r->watched_ops;
    const struct op_tensors *u = &r->op_tensors;
    for (size_t i = 0; i < r->lines.table.n; i++)
        if (r->lines.caller[i] >= (int32_t)i)
            return err_set(err, STATUS_INPUT, "lines row %zu is called by a later one",
                           i);
    for (size_t i = 0; i < w->table.n; i++) {
        bool in_range = w->step[i] >= 0 && w->step[i] < RUN_WATCHED_STEPS_MAX &&
                        w->thread[i] >= 0 && w->thread[i] < RUN_WATCHED_THREADS_MAX &&
                        w->backward[i] >= 0 && (size_t)w->backward[i] <= w->table.n;
        int32_t forward = w->forward[i];
        if (!in_range || w->rank[i] < 0 || forward >= (int32_t)i ||
            (forward >= 0 && w->rank[forward] != w->rank[i]) ||
            (i && w->rank[i] < w->rank[i - 1]))
            return err_set(err, STATUS_INPUT, "watched_ops row %zu is out of place", i);
    }
    for (size_t i = 0; i < r->host_samples.table.n; i++)
        if (r->host_samples.rank[i] < 0)
            return err_set(err, STATUS_INPUT, "host_samples row %zu has no rank", i);
    for (size_t i = 0; i < u->table.n; i++)
        if (u->op[i] < 0 || (i && u->op[i] < u->op[i - 1]))
            return err_set(err, STATUS_INPUT, "op_tensors row %zu is out of order", i);
    return STATUS_OK;
}

enum status run_check(const struct run *r, struct err *err)
{
    enum status st = STATUS_OK;
    for (int t = 0; t < RUN_TABLE_COUNT && st == STATUS_OK; t++)
        st = table_check(r, t, err);
    /* A span, step or lane without an owner has no place to be shown. */
    for (size_t i = 0; i < r->lanes.table.n && st == STATUS_OK; i++)
        if (r->lanes.rank[i] < 0)
            st = err_set(err, STATUS_INPUT, "lanes row %zu has no rank", i);
    for (size_t i = 0; i < r->steps.table.n && st == STATUS_OK; i++)
        if (r->steps.rank[i] < 0 || r->steps.end_ns[i] < r->steps.begin_ns[i] ||
            r->steps.device_end_ns[i] < r->steps.device_begin_ns[i])
            st = err_set(err, STATUS_INPUT, "steps row %zu has no rank or ends early", i);
    for (size_t i = 0; i < r->spans.table.n && st == STATUS_OK; i++)
        if (r->spans.lane[i] < 0)
            st = err_set(err, STATUS_INPUT, "spans row %zu has no lane", i);
    return st ? st : check_flow(r, err);
}

const char *run_name(const struct run *r, name_id id)
{
    return names_str(&r->names, id);
}

/* Its row, or SIZE_MAX. Keys are compared as numbers: of thousands of ranks there are
 * many facts, and most that are asked for no rank has. */
static size_t find_fact(const struct run *r, int32_t rank, const char *key)
{
    int64_t id = names_find_z(&r->names, key);
    for (size_t i = 0; id >= 0 && i < r->facts.table.n; i++)
        if (r->facts.key[i] == (name_id)id &&
            (r->facts.rank[i] == rank || r->facts.rank[i] < 0))
            return i;
    return SIZE_MAX;
}

double run_fact(const struct run *r, int32_t rank, const char *key)
{
    size_t i = find_fact(r, rank, key);
    return i == SIZE_MAX ? NAN : r->facts.value[i];
}

const char *run_fact_text(const struct run *r, int32_t rank, const char *key)
{
    size_t i = find_fact(r, rank, key);
    return i == SIZE_MAX ? "" : run_name(r, r->facts.text[i]);
}

void run_add_fact(struct run *r, int32_t rank, const char *key, double value,
                  const char *unit, enum origin origin, const char *how)
{
    facts_add(&r->facts, (struct fact){
                             .rank = rank,
                             .key = names_add_z(&r->names, key),
                             .value = value,
                             .unit = names_add_z(&r->names, unit),
                             .text = names_add_z(&r->names, how),
                             .origin = origin,
                         });
}

void run_add_fact_text(struct run *r, int32_t rank, const char *key, const char *text,
                       enum origin origin)
{
    run_add_fact(r, rank, key, NAN, "", origin, text);
}

void run_add_note(struct run *r, int32_t rank, int64_t offset, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    name_id id = names_add_z(&r->names, text);
    for (size_t i = 0; i < r->notes.table.n; i++)
        if (r->notes.rank[i] == rank && r->notes.text[i] == id) {
            r->notes.count[i]++;
            return;
        }
    notes_add(&r->notes,
              (struct note){.rank = rank, .offset = offset, .count = 1, .text = id});
}
