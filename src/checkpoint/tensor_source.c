#include "checkpoint/tensor_source.h"

#include "base/mem.h"
#include "checkpoint/number_format.h"

#include <string.h>

enum { PART_NUMBERS = 1 << 16, TILE = 32 };

enum status tensor_source_read(const struct tensor_source *s, int64_t first, int64_t n,
                               float *out, struct err *err)
{
    if (!s->file) {
        memset(out, 0, (size_t)n * sizeof *out);
        return STATUS_OK;
    }
    size_t size = safetensors_dtype_bits[s->tensor->dtype] / 8;
    if (s->tensor->dtype == SAFETENSORS_DTYPE_F32)
        return safetensors_load(s->file, s->tensor, (uint64_t)first * size,
                                (size_t)n * size, out, err);
    void *part = mem_alloc(PART_NUMBERS * size);
    enum status st = STATUS_OK;
    while (!st && n) {
        int64_t some = n < PART_NUMBERS ? n : PART_NUMBERS;
        st = safetensors_load(s->file, s->tensor, (uint64_t)first * size,
                              (size_t)some * size, part, err);
        if (!st)
            numbers_to_f32(out, part, s->tensor->dtype, (size_t)some);
        first += some;
        out += some;
        n -= some;
    }
    mem_free(part);
    return st;
}

/* in (rows, columns) to out (columns, rows), in tiles that stay in the cache. */
static void transpose(float *out, const float *in, int64_t rows, int64_t columns)
{
    for (int64_t r0 = 0; r0 < rows; r0 += TILE)
        for (int64_t c0 = 0; c0 < columns; c0 += TILE)
            for (int64_t r = r0; r < rows && r < r0 + TILE; r++)
                for (int64_t c = c0; c < columns && c < c0 + TILE; c++)
                    out[c * rows + r] = in[r * columns + c];
}

enum status tensor_source_all(const struct tensor_source *s, bool transposed, float *out,
                              struct err *err)
{
    int64_t n = s->rows * s->columns;
    if (s->transposed == transposed)
        return tensor_source_read(s, 0, n, out, err);
    float *in = mem_zalloc((size_t)n, sizeof *in);
    enum status st = tensor_source_read(s, 0, n, in, err);
    if (!st)
        transpose(out, in, s->transposed ? s->columns : s->rows,
                  s->transposed ? s->rows : s->columns);
    mem_free(in);
    return st;
}

enum status tensor_source_equal(bool *equal, const struct tensor_source *a,
                                const struct tensor_source *b, struct err *err)
{
    float *x = mem_alloc(2 * PART_NUMBERS * sizeof *x), *y = x + PART_NUMBERS;
    int64_t numbers = a->rows * a->columns;
    enum status st = STATUS_OK;
    *equal = true;
    for (int64_t first = 0; !st && *equal && first < numbers; first += PART_NUMBERS) {
        int64_t n = numbers - first < PART_NUMBERS ? numbers - first : PART_NUMBERS;
        st = tensor_source_read(a, first, n, x, err);
        if (!st)
            st = tensor_source_read(b, first, n, y, err);
        *equal = !st && !memcmp(x, y, (size_t)n * sizeof *x);
    }
    mem_free(x);
    return st;
}
