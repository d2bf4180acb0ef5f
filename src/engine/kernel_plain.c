/* The micro-kernel in plain C: what every machine has, and what the others are read
 * against. */
#define PACK_LANES 4
#include "engine/pack_f32.h"

enum { ROWS = 4, COLUMNS = 16 };

static bool is_there(void)
{
    return true;
}

ENGINE_CLONES
static void pack_a(void *panels, const struct lines *from, int64_t lines, int64_t depth,
                   int64_t padded)
{
    pack_f32(panels, from, lines, depth, padded, ROWS);
}

ENGINE_CLONES
static void pack_b(void *panels, const struct lines *from, int64_t lines, int64_t depth,
                   int64_t padded)
{
    pack_f32(panels, from, lines, depth, padded, COLUMNS);
}

static void multiply(float *c, const void *a, const void *b, int64_t depth, bool add)
{
    const float *x = a, *y = b;
    for (int i = 0; i < ROWS * COLUMNS && !add; i++)
        c[i] = 0;
    for (int64_t k = 0; k < depth; k++, x += ROWS, y += COLUMNS)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                c[i * COLUMNS + j] += x[i] * y[j];
}

const struct product_kernel kernel_plain = {
    .name = "plain",
    .rows = ROWS,
    .columns = COLUMNS,
    .depth = 1,
    .number_bytes = sizeof(float),
    .is_there = is_there,
    .pack_a = pack_a,
    .pack_b = pack_b,
    .multiply = multiply,
};
