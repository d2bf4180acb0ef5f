#include "run/table_def.h"

#include "base/mem.h"

#include <string.h>

#define RUN_ENUM_TEXT(v, text) text,
#define RUN_ENUM_DEFINE(CAPS, type)                                                      \
    const char *const type##_text[CAPS##_COUNT] = {CAPS##_LIST(RUN_ENUM_TEXT)};
RUN_ENUMS(RUN_ENUM_DEFINE)

/* Storage words of schema.h → type, enum texts, enum count, referenced table. */
#define STORE_I32 COLUMN_I32, NULL, 0, -1
#define STORE_I64 COLUMN_I64, NULL, 0, -1
#define STORE_F64 COLUMN_F64, NULL, 0, -1
#define STORE_NAME COLUMN_NAME, NULL, 0, -1
#define STORE_RANK COLUMN_REF, NULL, 0, RUN_TABLE_ranks
#define STORE_LANE COLUMN_REF, NULL, 0, RUN_TABLE_lanes
#define STORE_STEP COLUMN_REF, NULL, 0, RUN_TABLE_steps
#define STORE_SPAN COLUMN_REF, NULL, 0, RUN_TABLE_spans
#define STORE_LINE COLUMN_REF, NULL, 0, RUN_TABLE_lines
#define STORE_TENSOR COLUMN_REF, NULL, 0, RUN_TABLE_tensors
#define STORE_WATCHED_OP COLUMN_REF, NULL, 0, RUN_TABLE_watched_ops
#define STORE_RUN_SOURCE COLUMN_ENUM, run_source_text, RUN_SOURCE_COUNT, -1
#define STORE_ORIGIN COLUMN_ENUM, origin_text, ORIGIN_COUNT, -1
#define STORE_LANE_KIND COLUMN_ENUM, lane_kind_text, LANE_KIND_COUNT, -1
#define STORE_SPAN_KIND COLUMN_ENUM, span_kind_text, SPAN_KIND_COUNT, -1
#define STORE_EDGE_KIND COLUMN_ENUM, edge_kind_text, EDGE_KIND_COUNT, -1
#define STORE_STEP_METHOD COLUMN_ENUM, step_method_text, STEP_METHOD_COUNT, -1
#define STORE_PHASE COLUMN_ENUM, phase_text, PHASE_COUNT, -1
#define STORE_TIME_CLASS COLUMN_ENUM, time_class_text, TIME_CLASS_COUNT, -1
#define STORE_MEMORY_CLASS COLUMN_ENUM, memory_class_text, MEMORY_CLASS_COUNT, -1
#define STORE_TIMING_KIND COLUMN_ENUM, timing_kind_text, TIMING_KIND_COUNT, -1
#define STORE_SPLIT COLUMN_ENUM, split_text, SPLIT_COUNT, -1
#define STORE_VALUE_SOURCE COLUMN_ENUM, value_source_text, VALUE_SOURCE_COUNT, -1
#define STORE_TENSOR_ROLE COLUMN_ENUM, tensor_role_text, TENSOR_ROLE_COUNT, -1
#define STORE_SAMPLE_PART COLUMN_ENUM, sample_part_text, SAMPLE_PART_COUNT, -1
#define STORE_MOVED_KIND COLUMN_ENUM, moved_kind_text, MOVED_KIND_COUNT, -1

#define COLUMN_DEF_BEGIN(row, table_name, COLUMNS, doc)                                  \
    static const struct column_def table_name##_columns[] = {COLUMNS(COLUMN_DEF_##row)};
#define COLUMN_DEF(row, table_name, ctype, storage, name, doc)                           \
    {STORE_##storage,                                                                    \
     #name,                                                                              \
     doc,                                                                                \
     sizeof(ctype),                                                                      \
     offsetof(struct row, name),                                                         \
     offsetof(struct table_name, name)},
#define COLUMN_DEF_rank(c, s, n, d) COLUMN_DEF(rank, ranks, c, s, n, d)
#define COLUMN_DEF_lane(c, s, n, d) COLUMN_DEF(lane, lanes, c, s, n, d)
#define COLUMN_DEF_step(c, s, n, d) COLUMN_DEF(step, steps, c, s, n, d)
#define COLUMN_DEF_span(c, s, n, d) COLUMN_DEF(span, spans, c, s, n, d)
#define COLUMN_DEF_edge(c, s, n, d) COLUMN_DEF(edge, edges, c, s, n, d)
#define COLUMN_DEF_op(c, s, n, d) COLUMN_DEF(op, ops, c, s, n, d)
#define COLUMN_DEF_collective(c, s, n, d) COLUMN_DEF(collective, collectives, c, s, n, d)
#define COLUMN_DEF_collective_sum(c, s, n, d)                                            \
    COLUMN_DEF(collective_sum, collective_sums, c, s, n, d)
#define COLUMN_DEF_site(c, s, n, d) COLUMN_DEF(site, sites, c, s, n, d)
#define COLUMN_DEF_launch_sum(c, s, n, d) COLUMN_DEF(launch_sum, launches, c, s, n, d)
#define COLUMN_DEF_class_time(c, s, n, d) COLUMN_DEF(class_time, times, c, s, n, d)
#define COLUMN_DEF_phase_time(c, s, n, d) COLUMN_DEF(phase_time, phases, c, s, n, d)
#define COLUMN_DEF_memory(c, s, n, d) COLUMN_DEF(memory, memories, c, s, n, d)
#define COLUMN_DEF_loss(c, s, n, d) COLUMN_DEF(loss, losses, c, s, n, d)
#define COLUMN_DEF_movement(c, s, n, d) COLUMN_DEF(movement, movements, c, s, n, d)
#define COLUMN_DEF_fact(c, s, n, d) COLUMN_DEF(fact, facts, c, s, n, d)
#define COLUMN_DEF_timing(c, s, n, d) COLUMN_DEF(timing, timings, c, s, n, d)
#define COLUMN_DEF_replacement(c, s, n, d)                                               \
    COLUMN_DEF(replacement, replacements, c, s, n, d)
#define COLUMN_DEF_source_line(c, s, n, d) COLUMN_DEF(source_line, lines, c, s, n, d)
#define COLUMN_DEF_host_sample(c, s, n, d)                                               \
    COLUMN_DEF(host_sample, host_samples, c, s, n, d)
#define COLUMN_DEF_tensor_life(c, s, n, d) COLUMN_DEF(tensor_life, tensors, c, s, n, d)
#define COLUMN_DEF_watched_op(c, s, n, d) COLUMN_DEF(watched_op, watched_ops, c, s, n, d)
#define COLUMN_DEF_op_tensor(c, s, n, d) COLUMN_DEF(op_tensor, op_tensors, c, s, n, d)
#define COLUMN_DEF_note(c, s, n, d) COLUMN_DEF(note, notes, c, s, n, d)
RUN_TABLES(COLUMN_DEF_BEGIN)

#define TABLE_DEF(row, table_name, COLUMNS, doc)                                         \
    {#table_name, doc, table_name##_columns,                                             \
     sizeof table_name##_columns / sizeof *table_name##_columns,                         \
     offsetof(struct run, table_name)},
const struct table_def run_table_def[RUN_TABLE_COUNT] = {RUN_TABLES(TABLE_DEF)};

struct table *run_table(struct run *r, enum run_table t)
{
    return (struct table *)((char *)r + run_table_def[t].in_run);
}

const struct table *run_table_const(const struct run *r, enum run_table t)
{
    return (const struct table *)((const char *)r + run_table_def[t].in_run);
}

static void **column_slot(const struct table *t, const struct column_def *c)
{
    return (void **)((char *)(uintptr_t)t + c->in_table);
}

void *column_data(const struct table *t, const struct column_def *c)
{
    return *column_slot(t, c);
}

int64_t column_get_int(const struct table *t, const struct column_def *c, size_t i)
{
    const void *data = column_data(t, c);
    if (c->size == 8)
        return ((const int64_t *)data)[i];
    if (c->type == COLUMN_NAME)
        return ((const name_id *)data)[i];
    return ((const int32_t *)data)[i];
}

void column_set_int(struct table *t, const struct column_def *c, size_t i, int64_t v)
{
    void *data = column_data(t, c);
    if (c->size == 8)
        ((int64_t *)data)[i] = v;
    else if (c->type == COLUMN_NAME)
        ((name_id *)data)[i] = (name_id)v;
    else
        ((int32_t *)data)[i] = (int32_t)v;
}

void table_reserve(struct table *t, const struct table_def *def, size_t rows)
{
    if (rows <= t->cap)
        return;
    size_t cap = t->cap ? t->cap * 2 : 16;
    if (cap < rows)
        cap = rows;
    for (size_t i = 0; i < def->n_columns; i++) {
        const struct column_def *c = &def->columns[i];
        void **slot = column_slot(t, c);
        *slot = mem_resize(*slot, cap, c->size);
    }
    t->cap = cap;
}

size_t table_add(struct table *t, const struct table_def *def, const void *row)
{
    table_reserve(t, def, t->n + 1);
    for (size_t i = 0; i < def->n_columns; i++) {
        const struct column_def *c = &def->columns[i];
        memcpy((char *)column_data(t, c) + t->n * c->size, (const char *)row + c->in_row,
               c->size);
    }
    return t->n++;
}
