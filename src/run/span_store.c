/* A stand-in that holds everything in memory, until the store that does not is here. */
#include "run/span_store.h"

#include "base/mem.h"

#include <stdlib.h>

struct stored {
    struct span span;
    int64_t order;
    int writer;
    size_t row;
};

struct span_writer {
    struct span_pool *pool;
    int writer;
    struct stored *row; /* (n) in runs that ended: the first `ended` */
    size_t n, cap, ended;
};

enum { WRITERS_MAX = 1024 };

struct span_pool {
    struct span_writer *writer[WRITERS_MAX];
};

struct span_reader {
    struct span_stream stream; /* first: the stream is the reader */
    struct stored *all;        /* (n) sorted */
    size_t n, at;
    struct span batch[1024];
};

struct span_pool *span_pool_new(size_t memory_bytes, const char *folder)
{
    (void)memory_bytes;
    (void)folder;
    return mem_zalloc(1, sizeof(struct span_pool));
}

void span_pool_free(struct span_pool *p)
{
    mem_free(p);
}

int64_t span_pool_spilled_bytes(const struct span_pool *p)
{
    (void)p;
    return 0;
}

struct span_writer *span_writer_new(struct span_pool *p, int writer)
{
    struct span_writer *w = mem_zalloc(1, sizeof *w);
    w->pool = p;
    w->writer = writer;
    p->writer[writer] = w;
    return w;
}

void span_writer_free(struct span_writer *w)
{
    if (!w)
        return;
    mem_free(w->row);
    mem_free(w);
}

void span_writer_add(struct span_writer *w, const struct span *span)
{
    vec_grow(w->row, w->cap, w->n + 1);
    w->row[w->n] = (struct stored){.span = *span, .writer = w->writer, .row = w->n};
    w->n++;
}

enum status span_writer_end_run(struct span_writer *w, int64_t order, struct err *err)
{
    (void)err;
    for (; w->ended < w->n; w->ended++)
        w->row[w->ended].order = order;
    return STATUS_OK;
}

void span_writer_drop_run(struct span_writer *w)
{
    w->n = w->ended;
}

static int compare_stored(const void *a, const void *b)
{
    const struct stored *x = a, *y = b;
    if (x->span.begin_ns != y->span.begin_ns)
        return x->span.begin_ns < y->span.begin_ns ? -1 : 1;
    if (x->span.dur_ns != y->span.dur_ns)
        return x->span.dur_ns > y->span.dur_ns ? -1 : 1;
    if (x->span.seq != y->span.seq)
        return x->span.seq < y->span.seq ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->writer != y->writer)
        return x->writer < y->writer ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static size_t reader_next(struct span_stream *s, const struct span **rows)
{
    struct span_reader *r = (struct span_reader *)s;
    size_t n = 0, most = sizeof r->batch / sizeof *r->batch;
    while (n < most && r->at < r->n)
        r->batch[n++] = r->all[r->at++].span;
    *rows = r->batch;
    return n;
}

struct span_reader *span_reader_new(struct span_pool *p, const int32_t *const *lane,
                                    const name_id *const *name)
{
    struct span_reader *r = mem_zalloc(1, sizeof *r);
    r->stream.next = reader_next;
    for (int k = 0; k < WRITERS_MAX && p->writer[k]; k++)
        r->n += p->writer[k]->ended;
    r->all = mem_alloc((r->n + 1) * sizeof *r->all);
    size_t n = 0;
    for (int k = 0; k < WRITERS_MAX && p->writer[k]; k++)
        for (size_t i = 0; i < p->writer[k]->ended; i++) {
            r->all[n] = p->writer[k]->row[i];
            struct span *s = &r->all[n++].span;
            s->lane = lane[k][s->lane];
            s->name = name[k][s->name];
            s->shapes = name[k][s->shapes];
        }
    qsort(r->all, r->n, sizeof *r->all, compare_stored);
    return r;
}

struct span_stream *span_reader_stream(struct span_reader *r)
{
    return &r->stream;
}

enum status span_reader_status(const struct span_reader *r, struct err *err)
{
    (void)r;
    (void)err;
    return STATUS_OK;
}

void span_reader_free(struct span_reader *r)
{
    if (!r)
        return;
    mem_free(r->all);
    mem_free(r);
}
