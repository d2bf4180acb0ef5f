/* The open run of one thread: rows as added; at its end sorted, packed, put away. */
#include "base/mem.h"
#include "spans/span_pack.h"
#include "spans/span_pool.h"
#include "spans/span_sort.h"

_Static_assert(SPAN_RUN_ROWS - 1 <= UINT16_MAX, "span_sort.h numbers rows in 16 bits");

struct span_writer {
    struct span_pool *pool;
    int writer;
    struct span_row *row; /* (rows) of the open run, not yet put away */
    size_t rows, cap_rows;
    struct span_sort sort;
    uint8_t *packed;
    size_t cap_packed;
    struct span_run *part; /* (parts) of the open run, put away since it was long */
    size_t parts, cap_parts;
    struct err trouble; /* of a part; told at the run's end */
};

struct span_writer *span_writer_new(struct span_pool *p, int writer)
{
    struct span_writer *w = mem_zalloc(1, sizeof *w);
    w->pool = p;
    w->writer = writer;
    w->trouble = (struct err)ERR_INIT;
    span_sort_init(&w->sort);
    return w;
}

void span_writer_free(struct span_writer *w)
{
    if (!w)
        return;
    span_sort_release(&w->sort);
    mem_free(w->row);
    mem_free(w->packed);
    mem_free(w->part);
    mem_free(w);
}

/* Packs the sorted rows and fills in what is known of them. */
static void span_writer_pack(struct span_writer *w, struct span_run *run)
{
    const uint16_t *index = w->sort.index;
    size_t packed_max = w->rows * PACK_ROW_MAX_BYTES + PACK_SLACK;
    if (packed_max > w->cap_packed) {
        mem_free(w->packed);
        w->packed = mem_alloc(packed_max);
        w->cap_packed = packed_max;
    }
    struct pack_state state = {.begin_ns = w->row[index[0]].begin_ns};
    uint8_t *at = w->packed;
    uint32_t lane_max = 0, name_max = 0;
    for (size_t i = 0; i < w->rows; i++) {
        const struct span_row *row = &w->row[index[i]];
        at = pack_row(at, row, &state);
        lane_max = row->lane > lane_max ? row->lane : lane_max;
        name_max = row->name > name_max ? row->name : name_max;
        name_max = row->shapes > name_max ? row->shapes : name_max;
    }
    *run = (struct span_run){
        .writer = w->writer,
        .first_begin_ns = w->row[index[0]].begin_ns,
        .last_begin_ns = state.begin_ns,
        .rows = (uint32_t)w->rows,
        .bytes = (uint32_t)(at - w->packed),
        .lane_max = lane_max,
        .name_max = name_max,
    };
}

/* Trouble is kept, and what comes after it is not: the run is lost as a whole. */
static void span_writer_put_part(struct span_writer *w)
{
    if (!w->rows || w->trouble.status != STATUS_OK)
        goto out;
    span_sort_rows(&w->sort, w->row, w->rows);
    struct span_run run;
    span_writer_pack(w, &run);
    run.part = (int32_t)w->parts;
    if (span_pool_store(w->pool, w->packed, &run, &w->trouble) != STATUS_OK)
        goto out;
    vec_grow(w->part, w->cap_parts, w->parts + 1);
    w->part[w->parts++] = run;
out:
    w->rows = 0;
}

void span_writer_add(struct span_writer *w, const struct span *span)
{
    if (span->lane < 0 || (unsigned)span->kind >= SPAN_KIND_COUNT)
        BUG("span on lane %d of kind %d", span->lane, (int)span->kind);
    if (w->rows == SPAN_RUN_ROWS)
        span_writer_put_part(w);
    vec_grow(w->row, w->cap_rows, w->rows + 1);
    w->row[w->rows++] = (struct span_row){
        .begin_ns = span->begin_ns,
        .dur_ns = span->dur_ns,
        .seq = span->seq,
        .correlation = span->correlation,
        .flop = span->flop,
        .bytes = span->bytes,
        .lane = (uint32_t)span->lane,
        .kind = span->kind,
        .name = span->name,
        .shapes = span->shapes,
    };
}

enum status span_writer_end_run(struct span_writer *w, int64_t order, struct err *err)
{
    span_writer_put_part(w);
    enum status st = w->trouble.status;
    if (st != STATUS_OK) {
        if (err)
            *err = w->trouble;
        span_writer_drop_run(w);
        return st;
    }
    for (size_t i = 0; i < w->parts; i++)
        w->part[i].order = order;
    span_pool_publish(w->pool, w->part, w->parts);
    w->parts = 0;
    return STATUS_OK;
}

void span_writer_drop_run(struct span_writer *w)
{
    w->parts = 0;
    w->rows = 0;
    w->trouble = (struct err)ERR_INIT;
}
