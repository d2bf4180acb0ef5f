/*
 * Runs merged into one order. Only those that overlap take part: a heap of the runs whose
 * first row is not after the least at hand, while the others wait in the order of their
 * first rows. The run with the least row gives rows until another's turn comes, so that
 * the heap is touched once a change of run, not once a row.
 */
#include "base/mem.h"
#include "base/stats.h"
#include "spans/span_cursor.h"

#include <stdlib.h>

enum {
    BATCH_ROWS_MAX = 512,
    BUFFER_MAX = 32 << 10,
    BUFFERS_BYTES = 64 << 20 /* of all cursors together */
};

struct heap_entry {
    int64_t begin_ns; /* of the cursor's head */
    struct span_cursor *cursor;
};

struct span_reader {
    struct span_stream stream; /* the first: a stream is its reader */
    const int32_t *const *lane;
    const name_id *const *name;
    struct span_cursor_source source;
    const struct span_run **run; /* (runs) by first_begin_ns */
    size_t runs, runs_opened;
    struct heap_entry *heap; /* (heap_n) */
    size_t heap_n, heap_cap;
    struct span_cursor *spare; /* cursors that rest */
    struct err err;
    struct span *batch; /* (batch_rows + 1) */
    size_t batch_rows;
};

static int compare_first(const void *a, const void *b)
{
    const struct span_run *x = *(const struct span_run *const *)a;
    const struct span_run *y = *(const struct span_run *const *)b;
    return (x->first_begin_ns > y->first_begin_ns) -
           (x->first_begin_ns < y->first_begin_ns);
}

/* The most runs that are open at once. */
static size_t count_overlap(const struct span_run *const *run, size_t runs)
{
    int64_t *last_ns = mem_zalloc(runs, sizeof *last_ns);
    for (size_t i = 0; i < runs; i++)
        last_ns[i] = run[i]->last_begin_ns;
    qsort(last_ns, runs, sizeof *last_ns, compare_int64);
    size_t most = 0, ended = 0;
    for (size_t i = 0; i < runs; i++) {
        while (last_ns[ended] < run[i]->first_begin_ns)
            ended++;
        if (i + 1 - ended > most)
            most = i + 1 - ended;
    }
    mem_free(last_ns);
    return most;
}

static size_t choose_buffer_bytes(size_t open_at_once)
{
    size_t bytes = open_at_once ? BUFFERS_BYTES / open_at_once : BUFFER_MAX;
    if (bytes > BUFFER_MAX)
        return BUFFER_MAX;
    return bytes < SPAN_CURSOR_BUFFER_MIN ? SPAN_CURSOR_BUFFER_MIN : bytes;
}

/* Ties go by the run's number, then by who wrote it, then by the part of a long run; a
 * run's own rows keep their order in it. */
static bool cursor_is_before(const struct span_cursor *a, const struct span_cursor *b)
{
    if (a->head.dur_ns != b->head.dur_ns)
        return a->head.dur_ns > b->head.dur_ns;
    if (a->head.seq != b->head.seq)
        return a->head.seq < b->head.seq;
    if (a->run->order != b->run->order)
        return a->run->order < b->run->order;
    if (a->run->writer != b->run->writer)
        return a->run->writer < b->run->writer;
    return a->run->part < b->run->part;
}

static bool entry_is_before(const struct heap_entry *a, const struct heap_entry *b)
{
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns;
    return cursor_is_before(a->cursor, b->cursor);
}

static void heap_sift_down(struct span_reader *r)
{
    struct heap_entry moved = r->heap[0];
    size_t at = 0;
    for (size_t child = 1; child < r->heap_n; child = 2 * at + 1) {
        if (child + 1 < r->heap_n &&
            entry_is_before(&r->heap[child + 1], &r->heap[child]))
            child++;
        if (entry_is_before(&moved, &r->heap[child]))
            break;
        r->heap[at] = r->heap[child];
        at = child;
    }
    r->heap[at] = moved;
}

static void heap_push(struct span_reader *r, struct heap_entry entry)
{
    vec_grow(r->heap, r->heap_cap, r->heap_n + 1);
    size_t at = r->heap_n++;
    for (; at && entry_is_before(&entry, &r->heap[(at - 1) / 2]); at = (at - 1) / 2)
        r->heap[at] = r->heap[(at - 1) / 2];
    r->heap[at] = entry;
}

/* The heap's least has no more rows. */
static void heap_pop(struct span_reader *r)
{
    r->heap[0].cursor->spare = r->spare;
    r->spare = r->heap[0].cursor;
    r->heap[0] = r->heap[--r->heap_n];
}

static bool span_reader_open_run(struct span_reader *r, const struct span_run *run)
{
    struct span_cursor *c = r->spare;
    if (c)
        r->spare = c->spare;
    else
        c = mem_zalloc(1, sizeof *c);
    c->lane = r->lane[run->writer];
    c->name = r->name[run->writer];
    bool good = span_cursor_open(c, &r->source, run);
    heap_push(r, (struct heap_entry){c->head.begin_ns, c});
    return good;
}

/* Opens the runs that begin no later than the least row at hand. */
static bool span_reader_open_due(struct span_reader *r)
{
    while (r->runs_opened < r->runs) {
        const struct span_run *run = r->run[r->runs_opened];
        if (r->heap_n && run->first_begin_ns > r->heap[0].begin_ns)
            break;
        r->runs_opened++;
        if (!span_reader_open_run(r, run))
            return false;
    }
    return true;
}

/* Rows of the least run that begin before this need no look at the others. */
static int64_t span_reader_limit_ns(const struct span_reader *r)
{
    int64_t limit_ns = INT64_MAX;
    if (r->runs_opened < r->runs)
        limit_ns = r->run[r->runs_opened]->first_begin_ns;
    for (size_t child = 1; child < 3 && child < r->heap_n; child++)
        if (r->heap[child].begin_ns < limit_ns)
            limit_ns = r->heap[child].begin_ns;
    return limit_ns;
}

static size_t span_reader_next(struct span_stream *s, const struct span **rows)
{
    struct span_reader *r = (struct span_reader *)s;
    size_t n = 0;
    *rows = r->batch;
    while (n < r->batch_rows && r->err.status == STATUS_OK) {
        if (!span_reader_open_due(r) || !r->heap_n)
            break;
        struct span_cursor *c = r->heap[0].cursor;
        bool more;
        n += span_cursor_take(c, &r->source, span_reader_limit_ns(r), &r->batch[n],
                              r->batch_rows - n, &more);
        if (more)
            r->heap[0].begin_ns = c->head.begin_ns;
        else
            heap_pop(r);
        if (r->heap_n)
            heap_sift_down(r);
    }
    return r->err.status == STATUS_OK ? n : 0;
}

struct span_reader *span_reader_new(struct span_pool *p, const int32_t *const *lane,
                                    const name_id *const *name)
{
    struct span_reader *r = mem_zalloc(1, sizeof *r);
    r->stream.next = span_reader_next;
    r->lane = lane;
    r->name = name;
    r->err = (struct err)ERR_INIT;
    r->runs = p->n;
    r->run = mem_zalloc(p->n, sizeof(struct span_run *));
    r->batch_rows = 1;
    for (size_t i = 0; i < p->n; i++) {
        r->run[i] = &p->run[i];
        r->batch_rows += p->run[i].rows;
    }
    if (r->batch_rows > BATCH_ROWS_MAX)
        r->batch_rows = BATCH_ROWS_MAX;
    r->batch = mem_alloc((r->batch_rows + 1) * sizeof *r->batch);
    qsort(r->run, r->runs, sizeof(struct span_run *), compare_first);
    r->source = (struct span_cursor_source){
        .file = &p->file,
        .buffer_bytes = choose_buffer_bytes(count_overlap(r->run, r->runs)),
        .err = &r->err};
    return r;
}

struct span_stream *span_reader_stream(struct span_reader *r)
{
    return &r->stream;
}

enum status span_reader_status(const struct span_reader *r, struct err *err)
{
    if (r->err.status != STATUS_OK && err)
        *err = r->err;
    return r->err.status;
}

void span_reader_free(struct span_reader *r)
{
    if (!r)
        return;
    while (r->heap_n)
        heap_pop(r);
    for (struct span_cursor *c = r->spare, *next; c; c = next) {
        next = c->spare;
        span_cursor_release(c);
        mem_free(c);
    }
    mem_free(r->heap);
    mem_free(r->run);
    mem_free(r->batch);
    mem_free(r);
}
