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

/* Number (i, k) of A lies at a[i * line + k * deep]. */
ENGINE_INLINE void multiply_loops(const struct tile *t, int64_t line, int64_t deep)
{
    const float *a = t->a, *b = t->b;
    for (int i = 0; i < ROWS; i++) {
        float sum[COLUMNS] = {0}, *c = t->c + i * t->c_stride;
        for (int64_t k = 0; k < t->depth; k++)
            for (int j = 0; j < COLUMNS; j++)
                sum[j] += a[i * line + k * deep] * b[k * COLUMNS + j];
        for (int j = 0; j < COLUMNS; j++)
            c[j] = (t->add ? c[j] : 0) + (t->bias ? t->bias[j] : 0) + sum[j];
    }
}

static void multiply(const struct tile *t)
{
    multiply_loops(t, 1, ROWS);
}

static void multiply_across(const struct tile *t)
{
    multiply_loops(t, t->a_stride, 1);
}

const struct product_kernel kernel_plain = {
    .name = "plain",
    .rows = ROWS,
    .columns = COLUMNS,
    .depth = 1,
    .number_bytes = sizeof(float),
    .streams = true,
    .l2_share = 0.5,
    .is_there = is_there,
    .pack_a = pack_a,
    .pack_b = pack_b,
    .multiply = multiply,
    .multiply_across = multiply_across,
};
