#include "engine/thin_product.h"

#include "engine/bf16.h"

#include <string.h>

/* Columns that are worked on together: so many streams from memory. Threads take GROUPS of
 * them, one after another. */
enum { LANES = 16, COLUMNS = 4, GROUPS = 16 };

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef uint32_t bits __attribute__((vector_size(LANES * sizeof(uint32_t))));
typedef bf16 halves __attribute__((vector_size(LANES * sizeof(bf16))));

bool thin_product_suits(const struct product_shape *s)
{
    return s->rows <= THIN_ROWS_MAX && s->a.column_stride == 1 && s->b.row_stride == 1 &&
           s->a.bf16 == s->b.bf16 && !s->accumulate;
}

ENGINE_INLINE const char *number_at(const void *matrix, int64_t index, const bool half)
{
    return (const char *)matrix + index * (int64_t)(half ? sizeof(bf16) : sizeof(float));
}

ENGINE_INLINE void load(lanes *v, const char *from, const bool half)
{
    halves h;
    if (!half) {
        memcpy(v, from, sizeof *v);
        return;
    }
    memcpy(&h, from, sizeof h);
    bits wide = __builtin_convertvector(h, bits) << 16;
    memcpy(v, &wide, sizeof *v);
}

ENGINE_INLINE float one(const char *from, const bool half)
{
    float x;
    bf16 h;
    if (!half) {
        memcpy(&x, from, sizeof x);
        return x;
    }
    memcpy(&h, from, sizeof h);
    return bf16_to_float(h);
}

ENGINE_INLINE float sum_of(const lanes *v)
{
    float x[LANES];
    memcpy(x, v, sizeof x);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            x[i] += x[i + half];
    return x[0];
}

ENGINE_INLINE void put(const struct product_shape *s, void *c, int64_t row,
                       int64_t column, float x)
{
    int64_t at = row * s->c.row_stride + column;
    if (s->c.bf16)
        ((bf16 *)c)[at] = bf16_from_float(x);
    else
        ((float *)c)[at] = x;
}

/* `rows` and `half` are constants where this is inlined. What the next columns hold at the
 * same depth is fetched meanwhile. */
ENGINE_INLINE void columns_from(const struct product_shape *s, void *c, const void *a,
                                const void *b, const float *bias, int64_t first,
                                int64_t columns, const int rows, const bool half)
{
    const int64_t line = s->b.column_stride, whole = s->depth / LANES * LANES;
    lanes sum[THIN_ROWS_MAX][COLUMNS];
    const char *from[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) /* columns that are not there: the last once more */
        from[j] = number_at(b, (first + (j < columns ? j : columns - 1)) * line, half);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum[i][j] = (lanes){0};
    for (int64_t k = 0; k < whole; k += LANES) {
        lanes y[COLUMNS];
#pragma GCC unroll 4
        for (int j = 0; j < COLUMNS; j++) {
            const char *at = number_at(from[j], k, half);
            __builtin_prefetch(number_at(at, COLUMNS * line, half));
            load(&y[j], at, half);
        }
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            lanes x;
            load(&x, number_at(a, i * s->a.row_stride + k, half), half);
#pragma GCC unroll 4
            for (int j = 0; j < COLUMNS; j++)
                sum[i][j] += x * y[j];
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            float x = sum_of(&sum[i][j]);
            for (int64_t k = whole; k < s->depth; k++)
                x += one(number_at(a, i * s->a.row_stride + k, half), half) *
                     one(number_at(from[j], k, half), half);
            put(s, c, i, first + j, bias ? x + bias[first + j] : x);
        }
}

ENGINE_INLINE void all_columns(const struct product_shape *s, void *c, const void *a,
                               const void *b, const float *bias, const int rows,
                               const bool half)
{
#pragma omp for schedule(dynamic, GROUPS)
    for (int64_t j = 0; j < s->columns; j += COLUMNS)
        columns_from(s, c, a, b, bias, j,
                     s->columns - j < COLUMNS ? s->columns - j : COLUMNS, rows, half);
}

#define EACH_ROWS(half)                                                                  \
    switch (s->rows) {                                                                   \
    case 1:                                                                              \
        all_columns(s, c, a, b, bias, 1, half);                                          \
        break;                                                                           \
    case 2:                                                                              \
        all_columns(s, c, a, b, bias, 2, half);                                          \
        break;                                                                           \
    case 3:                                                                              \
        all_columns(s, c, a, b, bias, 3, half);                                          \
        break;                                                                           \
    default:                                                                             \
        all_columns(s, c, a, b, bias, 4, half);                                          \
    }

ENGINE_CLONES
void thin_product_run(const struct product_shape *s, void *c, const void *a,
                      const void *b, const float *bias)
{
#pragma omp parallel
    {
        if (s->a.bf16) {
            EACH_ROWS(true)
        } else {
            EACH_ROWS(false)
        }
    }
}
