#include "engine/own_product.h"

#include "base/status.h"
#include "engine/bf16.h"

#include <omp.h>
#include <string.h>

/* --- one run --- */

struct run {
    const struct own_product *p;
    void *c;
    const void *a, *b;
    const float *bias;
    char *shared; /* panels of the operand that all pack */
    /* Where the pieces of the depth add up: C itself where it is f32. NULL: a single piece,
     * that becomes bf16. */
    float *sums;
    int64_t sums_stride;
    int64_t from, depth; /* the piece */
    int64_t padded;      /* depth of its panels */
    int64_t first, end;  /* the lines of the shared operand whose turn it is */
    bool adds, is_last;  /* to the sums that are there; C is complete then */
};

static const void *number_at(const void *matrix, struct matrix_layout m, int64_t row,
                             int64_t column)
{
    int64_t at = row * m.row_stride + column * m.column_stride;
    return (const char *)matrix + at * (int64_t)(m.bf16 ? sizeof(bf16) : sizeof(float));
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

/* --- panels --- */

/* A thread's own. */
struct own_panels {
    char *panels;
    float *tiles;
    int64_t first, end; /* their lines */
};

/* Some lines of an operand, over the piece, where they lie. */
static struct lines lines_of(const struct run *r, bool is_b, int64_t line)
{
    const struct product_shape *s = &r->p->shape;
    if (is_b)
        return (struct lines){number_at(r->b, s->b, r->from, line), s->b.column_stride,
                              s->b.row_stride, s->b.bf16};
    return (struct lines){number_at(r->a, s->a, line, r->from), s->a.row_stride,
                          s->a.column_stride, s->a.bf16};
}

/* Where the panel of a line is, among those of lines from `first` on that are packed. */
static char *panel_at(const struct run *r, bool is_b, char *panels, int64_t first,
                      int64_t line)
{
    first = at_least(first, plan_of(r->p, is_b)->in_place);
    return panels + (line - first) * r->padded * (int64_t)r->p->kernel->number_bytes;
}

/* What is packed at a time: lines [line, line_end) of a block that begins with `first`,
 * over [depth, depth_end) of the piece. */
struct part {
    int64_t first, line, line_end, depth, depth_end;
};

static void pack(const struct run *r, bool is_b, char *panels, const struct part *part)
{
    const struct operand_plan *o = plan_of(r->p, is_b);
    const struct product_kernel *k = r->p->kernel;
    const int64_t line = at_least(part->line, o->in_place);
    if (line >= part->line_end || part->depth >= part->depth_end)
        return;
    struct lines lines = lines_of(r, is_b, line);
    lines.at =
        (const char *)lines.at + part->depth * lines.depth_stride *
                                     (int64_t)(lines.bf16 ? sizeof(bf16) : sizeof(float));
    (is_b ? k->pack_b : k->pack_a)(panel_at(r, is_b, panels, part->first, line) +
                                       part->depth * o->unit * (int64_t)k->number_bytes,
                                   &lines, part->line_end - line,
                                   part->depth_end - part->depth, r->padded);
}

/* A panel, from a depth of the piece on, as a micro-kernel reads it. */
struct panel {
    const char *at;
    bool packed;
    int64_t stride, step; /* numbers from a line to the next, from a depth to the next */
};

static struct panel panel_of(const struct run *r, bool is_b, char *panels, int64_t first,
                             int64_t line)
{
    const struct operand_plan *o = plan_of(r->p, is_b);
    const struct lines l = lines_of(r, is_b, line);
    if (line < o->in_place)
        return (struct panel){l.at, false, l.line_stride, 1};
    return (struct panel){panel_at(r, is_b, panels, first, line), true, 1, o->unit};
}

/* --- a panel of the shared operand by a block of the own --- */

/* A tile's place in C, and whether all of it is there. */
struct place {
    int64_t row, column;
    bool whole;
};

static struct place place_of(const struct run *r, int64_t shared, int64_t own)
{
    const struct own_product *p = r->p;
    struct place at = {p->b_is_own ? shared : own, p->b_is_own ? own : shared, false};
    at.whole = p->shape.rows - at.row >= p->kernel->rows &&
               p->shape.columns - at.column >= p->kernel->columns;
    return at;
}

/* Of the tile whose lines of C are fetched while that of these two lines is computed. */
static struct place place_ahead(const struct run *r, const struct own_panels *own,
                                int64_t shared, int64_t line)
{
    const struct own_product *p = r->p;
    line += p->kernel->tiles_ahead * plan_of(p, p->b_is_own)->unit;
    if (line < own->end)
        return place_of(r, shared, line);
    return place_of(r, shared + plan_of(p, !p->b_is_own)->unit,
                    own->first + line - own->end);
}

static void look_ahead(struct tile *t, const struct run *r, struct place at)
{
    const struct product_shape *s = &r->p->shape;
    const struct product_kernel *k = r->p->kernel;
    const int64_t number = s->c.bf16 && !r->sums ? sizeof(bf16) : sizeof(float);
    const int64_t stride = r->sums ? r->sums_stride : s->c.row_stride;
    const int64_t rows = s->rows - at.row, columns = s->columns - at.column;
    if (rows <= 0 || columns <= 0)
        return;
    t->c_ahead = (r->sums ? (const char *)r->sums : (const char *)r->c) +
                 (at.row * stride + at.column) * number;
    t->c_ahead_stride = stride * number;
    t->c_ahead_rows = rows < k->rows ? rows : k->rows;
    t->c_ahead_bytes = (columns < k->columns ? columns : k->columns) * number;
}

/* Sums go to C where it is, if nothing is to become of them there but more sums. */
static bool is_direct(const struct run *r, struct place at)
{
    const struct own_product *p = r->p;
    return p->kernel->streams && at.whole && r->sums && p->depth_block == p->piece &&
           !(r->is_last && p->shape.c.bf16);
}

static void multiply(const struct run *r, struct tile *t, const struct panel *a,
                     const struct panel *b, int64_t depth)
{
    const struct product_kernel *k = r->p->kernel;
    const int64_t number = (int64_t)k->number_bytes;
    t->a = a->at + depth * a->step * number;
    t->b = b->at + depth * b->step * number;
    t->a_stride = a->stride;
    (a->packed ? k->multiply : k->multiply_across)(t);
}

/* The tile at `at`, over [depth, depth + t->depth) of the piece. */
static void run_tile(const struct run *r, struct tile *t, float *own_tile,
                     struct place at, const struct panel *a, const struct panel *b,
                     int64_t depth)
{
    const struct product_kernel *k = r->p->kernel;
    const bool direct = is_direct(r, at), ends = depth + t->depth == r->padded;
    t->c = direct ? r->sums + at.row * r->sums_stride + at.column : own_tile;
    t->c_stride = direct ? r->sums_stride : k->columns;
    t->columns = r->p->shape.columns - at.column;
    t->add = direct ? r->adds : depth > 0;
    t->bias = direct && r->is_last && r->bias ? r->bias + at.column : NULL;
    multiply(r, t, a, b, depth);
    if (ends && !direct)
        put(r, own_tile, at.row, r->p->shape.rows - at.row, at.column);
}

/* A panel by all of a thread's own. What follows in the shared operand comes into the
 * second-level cache meanwhile: the next panel lies behind this one. */
static void run_panel(const struct run *r, const struct own_panels *own, int64_t line)
{
    const struct own_product *p = r->p;
    const bool b_is_own = p->b_is_own;
    const int64_t unit = plan_of(p, b_is_own)->unit,
                  shared_unit = plan_of(p, !b_is_own)->unit;
    const int64_t number = (int64_t)p->kernel->number_bytes;
    const int64_t tile_numbers = p->kernel->rows * p->kernel->columns;
    const struct panel shared = panel_of(r, !b_is_own, r->shared, r->first, line);
    const int64_t tiles = pieces_of(own->end - own->first, unit);
    for (int64_t at = 0; at < r->padded; at += p->depth_block) {
        const int64_t left = r->padded - at;
        const int64_t depth = left < p->depth_block ? left : p->depth_block;
        const int64_t share =
            round_up(depth * shared_unit * number / tiles, OWN_ALIGNMENT);
        const char *next = shared.at + (at + depth) * shared_unit * number;
        for (int64_t i = 0; i < tiles; i++, next += share) {
            const int64_t own_line = own->first + i * unit;
            const struct panel mine =
                panel_of(r, b_is_own, own->panels, own->first, own_line);
            struct tile t = {.depth = depth, .next = next};
            t.next_bytes = shared.packed ? share : 0;
            if (depth == left)
                look_ahead(&t, r, place_ahead(r, own, line, own_line));
            run_tile(r, &t,
                     own->tiles + (p->depth_block < p->piece ? i * tile_numbers : 0),
                     place_of(r, line, own_line), b_is_own ? &shared : &mine,
                     b_is_own ? &mine : &shared, at);
        }
    }
}

/* A block of the own operand, by one thread. */
static void run_own(const struct run *r, struct own_panels *own, int64_t line)
{
    const struct own_product *p = r->p;
    const struct operand_plan *o = plan_of(p, p->b_is_own);
    const int64_t step = plan_of(p, !p->b_is_own)->unit;
    own->first = line;
    own->end = o->lines - line < o->block ? o->lines : line + o->block;
    const struct part all = {line, line, own->end, 0, r->depth};
    pack(r, p->b_is_own, own->panels, &all);
    for (int64_t shared = r->first; shared < r->end; shared += step)
        run_panel(r, own, shared);
}

/* Panels that a thread packs at a time: neighbours, for what lies side by side. Where they
 * are few, a part of their depth, in steps that suit every kernel: each thread gets some. */
enum { PACK_PANELS = 4, PACK_DEPTHS = 32, PARTS_A_THREAD = 2 };

static void pack_shared(const struct run *r)
{
    const struct own_product *p = r->p;
    const struct operand_plan *o = plan_of(p, !p->b_is_own);
    const int64_t step = o->unit * PACK_PANELS, first = at_least(r->first, o->in_place);
    const int64_t groups = pieces_of(r->end - first, step);
    const int64_t cuts = pieces_of((int64_t)p->threads * PARTS_A_THREAD, groups);
    const int64_t deep = round_up(pieces_of(r->depth, cuts), PACK_DEPTHS);
#pragma omp for schedule(static)
    for (int64_t i = 0; i < groups * cuts; i++) {
        struct part part = {
            .first = r->first, .line = first + i / cuts * step, .depth = i % cuts * deep};
        part.line_end = at_most(part.line + step, r->end);
        part.depth_end = at_most(part.depth + deep, r->depth);
        pack(r, !p->b_is_own, r->shared, &part);
    }
}

/* All threads pack the shared operand, then take blocks of the other; each loop ends when
 * all are done. */
static void run_block(const struct run *r, struct own_panels *own)
{
    const struct own_product *p = r->p;
    const struct operand_plan *o = plan_of(p, p->b_is_own);
    if (plan_of(p, !p->b_is_own)->in_place < r->end)
        pack_shared(r);
#pragma omp for schedule(dynamic, 1)
    for (int64_t line = 0; line < o->lines; line += o->block)
        run_own(r, own, line);
}

/* A piece of the depth, one block of the shared operand after another. */
static void run_piece(struct run *r, struct own_panels *own)
{
    const struct operand_plan *shared = plan_of(r->p, !r->p->b_is_own);
    for (r->first = 0; r->first < shared->lines; r->first += shared->block) {
        const int64_t left = shared->lines - r->first;
        r->end = left < shared->block ? shared->lines : r->first + shared->block;
        run_block(r, own);
    }
}

void own_product_run(const struct own_product *p, void *workspace, void *c, const void *a,
                     const void *b, const float *bias)
{
    char *at = (char *)(((uintptr_t)workspace + OWN_ALIGNMENT - 1) / OWN_ALIGNMENT *
                        OWN_ALIGNMENT);
    struct run run = {.p = p, .c = c, .a = a, .b = b, .bias = bias, .shared = at};
    at += plan_of(p, !p->b_is_own)->block_bytes;
    run.sums = p->sums_bytes ? (float *)at : p->shape.c.bf16 ? NULL : c;
    run.sums_stride = p->sums_bytes ? p->shape.columns : p->shape.c.row_stride;
    at += p->sums_bytes;
    if (omp_get_max_threads() > p->threads)
        BUG("%d threads run where %d were planned for", omp_get_max_threads(),
            p->threads);
#pragma omp parallel
    {
        const size_t own_bytes = plan_of(p, p->b_is_own)->block_bytes;
        char *mine = at + (size_t)omp_get_thread_num() * (own_bytes + p->tiles_bytes);
        struct own_panels own = {.panels = mine, .tiles = (float *)(mine + own_bytes)};
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
            run_piece(&r, &own);
        }
        if (p->kernel->thread_end)
            p->kernel->thread_end();
    }
}
