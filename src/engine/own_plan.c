/* How a product of our own is cut: sizes of blocks by caches, which operand is whose. */
#include "engine/own_product.h"

#include "machine/cpu.h"

/* Of a cache, for the operand that is to stay in it; the rest streams through. The last
 * level is shared with strangers. Of the second level: the kernel's own share. */
static const double L1_SHARE = 0.5, L3_SHARE = 0.4;
/* Where the kernel does not tell. */
enum { L1_BYTES = 32 << 10, L2_BYTES = 1 << 20, L3_BYTES = 16 << 20 };
/* Lines for which a panel of the other operand is worth its way from the last level; a
 * depth is cut so that so many fit. More in a block than LINES_MAX bring nothing. */
enum { LINES_LEAST = 96, LINES_MAX = 512 };

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

static size_t aligned(int64_t bytes)
{
    return (size_t)round_up(bytes, OWN_ALIGNMENT);
}

static double cache_bytes(int level, double otherwise)
{
    int64_t bytes = cpu_cache_bytes(level);
    return bytes > 0 ? (double)bytes : otherwise;
}

/* --- the plan --- */

/* Panels in the blocks of the thread that has most of them. */
static int64_t longest(int64_t panels, int64_t block, int threads)
{
    return pieces_of(pieces_of(panels, block), threads) * block;
}

/* Panels of a block: threads have equally many, and where that is so, blocks are many, so
 * that a thread whose core is disturbed can take fewer. */
static int64_t own_block(int64_t panels, int64_t unit, int threads, int64_t fit_lines)
{
    enum { ROUNDS_MORE = 4 };
    const int64_t most = fit_lines / unit;
    const int64_t fewest = pieces_of(panels, most * threads);
    int64_t best = 0;
    for (int64_t n = fewest; n <= fewest + ROUNDS_MORE; n++) {
        int64_t block = pieces_of(panels, n * threads);
        if (best && block * unit < LINES_LEAST)
            break;
        if (!best || longest(panels, block, threads) <= longest(panels, best, threads))
            best = block;
    }
    return best;
}

static void plan_own(struct operand_plan *o, const struct own_product *p)
{
    int64_t fit = fits(cache_bytes(2, L2_BYTES), p->kernel->l2_share,
                       p->piece * (int64_t)p->kernel->number_bytes, o->unit);
    if (fit > LINES_MAX)
        fit = LINES_MAX / o->unit * o->unit;
    o->block =
        own_block(pieces_of(o->lines, o->unit), o->unit, p->threads, fit) * o->unit;
}

static void plan_shared(struct operand_plan *o, const struct own_product *p)
{
    o->block = equal_piece(o->lines,
                           fits(cache_bytes(3, L3_BYTES), L3_SHARE,
                                p->piece * (int64_t)p->kernel->number_bytes, o->unit),
                           o->unit);
}

static void plan_panels(struct operand_plan *o, const struct own_product *p)
{
    const int64_t packed = o->lines - o->in_place;
    o->block_bytes = aligned(round_up(packed < o->block ? packed : o->block, o->unit) *
                             p->piece * (int64_t)p->kernel->number_bytes);
}

/* Packing A pays by what reads it: so many panels of B. */
enum { IN_PLACE_PANELS = 8 };

static bool a_stays(const struct own_product *p)
{
    const struct product_shape *s = &p->shape;
    return p->kernel->multiply_across && s->a.bf16 == p->kernel->only_bf16 &&
           s->a.column_stride == 1 && s->depth % p->kernel->depth == 0 &&
           pieces_of(p->b.lines, p->b.unit) <= IN_PLACE_PANELS;
}

/* Threads take blocks of the operand whose packing is dearer, as it is transposed: then it
 * is written to the second-level cache alone. Else of the larger one. */
static bool own_is_b(const struct own_product *p)
{
    const bool a_turns = p->shape.a.column_stride == 1;
    const bool b_turns = p->shape.b.row_stride == 1;
    const bool b_is_larger = p->b.lines > p->a.lines;
    const bool enough = pieces_of(p->a.lines, p->a.unit) >= p->threads;
    return a_turns && !b_turns && enough ? false : b_is_larger;
}

static void plan_depth(struct own_product *p)
{
    const struct product_kernel *k = p->kernel;
    const int64_t number = (int64_t)k->number_bytes;
    int64_t deepest =
        fits(cache_bytes(2, L2_BYTES), k->l2_share, LINES_LEAST * number, k->depth);
    p->piece = equal_piece(p->shape.depth, at_most(deepest, PRODUCT_DEPTH_MAX), k->depth);
    p->depth_block = p->piece;
    if (!k->streams)
        p->depth_block = equal_piece(
            p->piece,
            fits(cache_bytes(1, L1_BYTES), L1_SHARE, k->columns * number, k->depth),
            k->depth);
}

static void plan_workspace(struct own_product *p)
{
    const struct operand_plan *own = plan_of(p, p->b_is_own);
    const struct product_kernel *k = p->kernel;
    const int64_t tiles = p->depth_block < p->piece ? own->block / own->unit : 1;
    const int64_t numbers = p->shape.rows * p->shape.columns;
    const bool in_pieces = p->piece < p->shape.depth;
    p->tiles_bytes = aligned(tiles * k->rows * k->columns * (int64_t)sizeof(float));
    p->sums_bytes =
        in_pieces && p->shape.c.bf16 ? aligned(numbers * (int64_t)sizeof(float)) : 0;
    p->workspace_bytes = OWN_ALIGNMENT + plan_of(p, !p->b_is_own)->block_bytes +
                         p->sums_bytes +
                         (size_t)p->threads * (own->block_bytes + p->tiles_bytes);
}

void own_product_open(struct own_product *p, const struct product_shape *shape,
                      const struct product_kernel *kernel, int threads)
{
    *p = (struct own_product){.shape = *shape, .kernel = kernel, .threads = threads};
    p->a = (struct operand_plan){.lines = shape->rows, .unit = kernel->rows};
    p->b = (struct operand_plan){.lines = shape->columns, .unit = kernel->columns};
    p->b_is_own = kernel->streams && own_is_b(p);
    if (a_stays(p))
        p->a.in_place = p->a.lines / p->a.unit * p->a.unit;
    plan_depth(p);
    plan_own(p->b_is_own ? &p->b : &p->a, p);
    plan_shared(p->b_is_own ? &p->a : &p->b, p);
    plan_panels(&p->a, p);
    plan_panels(&p->b, p);
    plan_workspace(p);
}
