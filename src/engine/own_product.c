#include "engine/own_product.h"

#include "base/mem.h"
#include "engine/bf16.h"
#include "machine/cpu.h"

#include <omp.h>
#include <string.h>

/* Of a cache, for the operand that is to stay in it; the rest streams through. The last
 * level is shared with strangers. */
static const double L1_SHARE = 0.5, L2_SHARE = 0.4, L3_SHARE = 0.4;
/* Where the kernel does not tell. */
enum { L1_BYTES = 32 << 10, L2_BYTES = 1 << 20, L3_BYTES = 16 << 20 };
/* Rows for which a panel of B is worth its way from the last level into the first; a depth
 * is cut so that so many fit. Threads take blocks one by one: some more than threads. */
enum { ROW_BLOCK_LEAST = 96, ROW_BLOCK_MAX = 512, BLOCKS_A_THREAD = 4 };

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int64_t pieces_of(int64_t n, int64_t most)
{
    return (n + most - 1) / most;
}

/* n in equal pieces of at most `most`, each a multiple of `unit`. */
static int64_t equal_piece(int64_t n, int64_t most, int64_t unit)
{
    return round_up(pieces_of(n, pieces_of(n, most)), unit);
}

static int64_t fits(double bytes, double share, int64_t line_bytes, int64_t unit)
{
    int64_t n = (int64_t)(bytes * share) / line_bytes / unit * unit;
    return n < unit ? unit : n;
}

/* Of panels and tiles: a vector, a cache line. */
enum { ALIGNMENT = 64 };

static size_t aligned(int64_t bytes)
{
    return (size_t)round_up(bytes, ALIGNMENT);
}

static double cache_bytes(int level, double otherwise)
{
    int64_t bytes = cpu_cache_bytes(level);
    return bytes > 0 ? (double)bytes : otherwise;
}

/* Enough of them that no thread waits long for another, none so small that B comes from the
 * last level all the time. */
static int64_t row_block(int64_t rows, int threads, int64_t unit, int64_t fit)
{
    int64_t most = pieces_of(rows, (int64_t)threads * BLOCKS_A_THREAD);
    if (most < ROW_BLOCK_LEAST)
        most = ROW_BLOCK_LEAST;
    if (most > pieces_of(rows, threads))
        most = pieces_of(rows, threads);
    if (most > fit)
        most = fit;
    return equal_piece(rows, most < ROW_BLOCK_MAX ? most : ROW_BLOCK_MAX, unit);
}

/* Packing A pays by what reads it: this many panels of B. With 4 it costs a fifth of the
 * product, with 12 and more it is lost in the noise (docs/kernels.md). */
enum { IN_PLACE_PANELS = 8 };

static bool reads_in_place(const struct product_shape *s, const struct product_kernel *k)
{
    return k->multiply_rows && s->a.bf16 && s->a.column_stride == 1 &&
           s->rows % k->rows == 0 && s->depth % k->depth == 0 &&
           s->columns <= IN_PLACE_PANELS * (int64_t)k->columns;
}

void own_product_open(struct own_product *p, const struct product_shape *shape,
                      const struct product_kernel *kernel, int threads)
{
    const struct product_kernel *k = kernel;
    const int64_t number = (int64_t)k->number_bytes;
    const double l2_bytes = cache_bytes(2, L2_BYTES);
    *p = (struct own_product){.shape = *shape, .kernel = k, .threads = threads};
    p->a_in_place = reads_in_place(shape, k);
    int64_t deepest = fits(l2_bytes, L2_SHARE, ROW_BLOCK_LEAST * number, k->depth);
    if (deepest > PRODUCT_DEPTH_MAX)
        deepest = PRODUCT_DEPTH_MAX;
    p->piece = equal_piece(shape->depth, deepest, k->depth);
    p->depth_block = equal_piece(
        p->piece, fits(cache_bytes(1, L1_BYTES), L1_SHARE, k->columns * number, k->depth),
        k->depth);
    p->row_block = row_block(shape->rows, threads, k->rows,
                             fits(l2_bytes, L2_SHARE, p->piece * number, k->rows));
    p->column_block = equal_piece(
        shape->columns,
        fits(cache_bytes(3, L3_BYTES), L3_SHARE, p->piece * number, k->columns),
        k->columns);
    p->b_bytes = aligned(p->column_block * p->piece * number);
    p->a_bytes = p->a_in_place ? 0 : aligned(p->row_block * p->piece * number);
    p->stripe_bytes = aligned(p->row_block * k->columns * (int64_t)sizeof(float));
    bool in_pieces = p->piece < shape->depth;
    p->sums_bytes = in_pieces && shape->c.bf16
                        ? aligned(shape->rows * shape->columns * (int64_t)sizeof(float))
                        : 0;
    p->workspace_bytes = ALIGNMENT + p->b_bytes + p->sums_bytes +
                         (size_t)threads * (p->a_bytes + p->stripe_bytes);
}

/* --- one run --- */

struct run {
    const struct own_product *p;
    void *c;
    const void *a, *b;
    const float *bias;
    char *b_panels;
    /* Where the pieces of the depth add up: C itself where it is f32. NULL: a single piece,
     * that becomes bf16. */
    float *sums;
    int64_t sums_stride;
    int64_t from, depth; /* the piece */
    int64_t padded;      /* depth of its panels */
    int64_t first, end;  /* the columns whose panels of B are packed */
    bool adds, is_last;  /* to the sums that are there; C is complete then */
};

static const void *number_at(const void *matrix, struct matrix_layout m, int64_t row,
                             int64_t column)
{
    int64_t at = row * m.row_stride + column * m.column_stride;
    return (const char *)matrix + at * (int64_t)(m.bf16 ? sizeof(bf16) : sizeof(float));
}

static void *b_panel(const struct run *r, int64_t column)
{
    return r->b_panels +
           (column - r->first) * r->padded * (int64_t)r->p->kernel->number_bytes;
}

/* Panels of B that a thread packs at a time: neighbours, for what lies side by side. */
enum { PACK_PANELS = 4 };

/* Columns [first, end) of B, and rows of A, into panels. */
static void pack_columns(const struct run *r, int64_t first, int64_t end)
{
    const struct product_shape *s = &r->p->shape;
    const struct lines from = {number_at(r->b, s->b, r->from, first), s->b.column_stride,
                               s->b.row_stride, s->b.bf16};
    r->p->kernel->pack_b(b_panel(r, first), &from, end - first, r->depth, r->padded);
}

static void pack_rows(const struct run *r, char *panels, int64_t row, int64_t rows)
{
    const struct product_shape *s = &r->p->shape;
    const struct lines from = {number_at(r->a, s->a, row, r->from), s->a.row_stride,
                               s->a.column_stride, s->a.bf16};
    r->p->kernel->pack_a(panels, &from, rows, r->depth, r->padded);
}

/* --- what becomes of a tile of sums --- */

enum { TILE_COLUMNS_MAX = 64 };

ENGINE_INLINE void put_row(const struct run *r, const float *sum, int64_t row,
                           int64_t column, int64_t n)
{
    const struct product_shape *s = &r->p->shape;
    float *full = r->sums ? r->sums + row * r->sums_stride + column : NULL;
    bf16 *half = (bf16 *)r->c + row * s->c.row_stride + column;
    const bool is_half = s->c.bf16 && r->is_last;
    float value[TILE_COLUMNS_MAX];
    for (int64_t j = 0; j < n; j++)
        value[j] = sum[j];
    if (full && r->adds)
        for (int64_t j = 0; j < n; j++)
            value[j] += full[j];
    if (r->is_last && r->bias)
        for (int64_t j = 0; j < n; j++)
            value[j] += r->bias[column + j];
    if (is_half && s->accumulate)
        for (int64_t j = 0; j < n; j++)
            value[j] += bf16_to_float(half[j]);
    if (is_half)
        for (int64_t j = 0; j < n; j++)
            half[j] = bf16_from_float(value[j]);
    else if (full)
        for (int64_t j = 0; j < n; j++)
            full[j] = value[j];
}

/* Tiles that are whole and mostly what a product consists of. */
ENGINE_INLINE void put_whole(const struct run *r, const float *tile, int64_t row,
                             int64_t column, int rows, int columns)
{
    float *to = r->sums + row * r->sums_stride + column;
    for (int i = 0; i < rows; i++, tile += columns, to += r->sums_stride) {
        if (r->adds)
            for (int j = 0; j < columns; j++)
                to[j] += tile[j];
        else
            for (int j = 0; j < columns; j++)
                to[j] = tile[j];
    }
}

ENGINE_CLONES
static void put_tile(const struct run *r, const float *tile, int64_t row, int64_t rows,
                     int64_t column)
{
    const struct product_kernel *k = r->p->kernel;
    const struct product_shape *s = &r->p->shape;
    const int64_t left = s->columns - column;
    const int64_t columns = left < k->columns ? left : k->columns;
    const bool whole = rows >= k->rows && left >= k->columns;
    const bool ends = r->is_last && (s->c.bf16 || r->bias);
    if (whole && r->sums && !ends && k->columns == 32)
        put_whole(r, tile, row, column, k->rows, 32);
    else if (whole && r->sums && !ends && k->columns == 16)
        put_whole(r, tile, row, column, k->rows, 16);
    else
        for (int64_t i = 0; i < rows && i < k->rows; i++)
            put_row(r, tile + i * k->columns, row + i, column, columns);
}

static void put(const struct run *r, const float *tile, int64_t row, int64_t rows,
                int64_t column)
{
    const struct product_kernel *k = r->p->kernel;
    const struct product_shape *s = &r->p->shape;
    if (k->put_bf16 && s->c.bf16 && !r->sums && !s->accumulate && rows >= k->rows &&
        s->columns - column >= k->columns)
        k->put_bf16((bf16 *)r->c + row * s->c.row_stride + column, s->c.row_stride, tile,
                    r->bias ? r->bias + column : NULL);
    else
        put_tile(r, tile, row, rows, column);
}

/* --- prefetching --- */

enum { CACHE_LINE = 64, TILES_AHEAD = 4 };

/* Into the second level: the first is full of what is in use. */
ENGINE_INLINE void prefetch(const void *at, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch((const char *)at + i, 0, 2);
}

/* The lines of C that a tile is written to. */
static void prefetch_tile(const struct run *r, int64_t row, int64_t rows, int64_t column)
{
    const struct product_shape *s = &r->p->shape;
    const int64_t number = s->c.bf16 && !r->sums ? sizeof(bf16) : sizeof(float);
    const int64_t stride = r->sums ? r->sums_stride : s->c.row_stride;
    const char *to = r->sums ? (const char *)r->sums : r->c;
    for (int64_t i = 0; i < rows && i < r->p->kernel->rows; i++)
        prefetch(to + ((row + i) * stride + column) * number,
                 r->p->kernel->columns * number);
}

/* A panel of B by all panels of A that are in the second-level cache. What follows in B
 * comes into it meanwhile: its next piece lies behind this one. */
static void multiply_stripe(const struct run *r, float *stripe, const char *a_panels,
                            int64_t row, int64_t rows, int64_t column)
{
    const struct product_kernel *k = r->p->kernel;
    const int64_t number = (int64_t)k->number_bytes;
    const struct matrix_layout a = r->p->shape.a;
    const char *b = b_panel(r, column);
    for (int64_t at = 0; at < r->padded; at += r->p->depth_block) {
        const int64_t left = r->padded - at;
        const int64_t depth = left < r->p->depth_block ? left : r->p->depth_block;
        const char *next = b + (at + depth) * k->columns * number;
        const int64_t share = depth * k->columns * number * k->rows / rows;
        for (int64_t i = 0; i < rows; i += k->rows, next += share) {
            float *tile = stripe + i * k->columns;
            prefetch(next, share);
            if (depth == left)
                prefetch_tile(r, row + i + TILES_AHEAD * k->rows,
                              rows - i - TILES_AHEAD * k->rows, column);
            if (r->p->a_in_place)
                k->multiply_rows(tile, number_at(r->a, a, row + i, r->from + at),
                                 a.row_stride * number, b + at * k->columns * number,
                                 depth, at > 0);
            else
                k->multiply(tile, a_panels + (i * r->padded + at * k->rows) * number,
                            b + at * k->columns * number, depth, at > 0);
            if (depth == left)
                put(r, tile, row + i, rows - i, column);
        }
    }
}

/* A block of rows of C, by one thread: panels of A are its own. */
static void run_rows(const struct run *r, char *own, int64_t row)
{
    const struct own_product *p = r->p;
    const int64_t left = p->shape.rows - row;
    const int64_t rows = left < p->row_block ? left : p->row_block;
    float *stripe = (float *)(own + p->a_bytes);
    if (!p->a_in_place)
        pack_rows(r, own, row, rows);
    for (int64_t column = r->first; column < r->end; column += p->kernel->columns)
        multiply_stripe(r, stripe, own, row, rows, column);
}

/* All threads pack columns of B, then take rows; each loop ends when all are done. */
static void run_block(const struct run *r, char *own)
{
    const struct own_product *p = r->p;
    const int64_t step = p->kernel->columns * PACK_PANELS;
#pragma omp for schedule(static)
    for (int64_t column = r->first; column < r->end; column += step)
        pack_columns(r, column, column + step < r->end ? column + step : r->end);
#pragma omp for schedule(dynamic, 1)
    for (int64_t row = 0; row < p->shape.rows; row += p->row_block)
        run_rows(r, own, row);
}

/* A piece of the depth, one block of columns after another. */
static void run_piece(struct run *r, char *own)
{
    const int64_t columns = r->p->shape.columns, block = r->p->column_block;
    for (r->first = 0; r->first < columns; r->first += block) {
        r->end = columns - r->first < block ? columns : r->first + block;
        run_block(r, own);
    }
}

void own_product_run(const struct own_product *p, void *workspace, void *c, const void *a,
                     const void *b, const float *bias)
{
    char *at = (char *)(((uintptr_t)workspace + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    struct run run = {.p = p, .c = c, .a = a, .b = b, .bias = bias, .b_panels = at};
    run.sums = p->sums_bytes ? (float *)(at + p->b_bytes) : p->shape.c.bf16 ? NULL : c;
    run.sums_stride = p->sums_bytes ? p->shape.columns : p->shape.c.row_stride;
    at += p->b_bytes + p->sums_bytes;
    if (omp_get_max_threads() > p->threads)
        BUG("%d threads run where %d were planned for", omp_get_max_threads(),
            p->threads);
#pragma omp parallel
    {
        char *own = at + (size_t)omp_get_thread_num() * (p->a_bytes + p->stripe_bytes);
        if (p->kernel->thread_begin)
            p->kernel->thread_begin();
        for (int64_t from = 0; from < p->shape.depth; from += p->piece) {
            struct run r = run;
            int64_t left = p->shape.depth - from;
            r.from = from;
            r.depth = left < p->piece ? left : p->piece;
            r.padded = round_up(r.depth, p->kernel->depth);
            r.adds = from > 0 || (p->shape.accumulate && !p->shape.c.bf16);
            r.is_last = left <= p->piece;
            run_piece(&r, own);
        }
        if (p->kernel->thread_end)
            p->kernel->thread_end();
    }
}
