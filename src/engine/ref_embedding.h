/* The sum of a token's and a position's vector, in full precision, and its gradient. */
#include "engine/number.h"

#include <omp.h>

/* out (+)= row of a table */
ENGINE_INLINE void add_row(real *out, struct weight w, int64_t row, int64_t C, bool add)
{
    const number *value = numbers_of(w.value) + row * C;
#ifdef GAIT_NUMBER_BF16
    const int16_t *low = w.low + row * C;
#pragma omp simd
    for (int64_t c = 0; c < C; c++)
        out[c] = split_join(value[c], low[c]) + (add ? out[c] : 0);
#else
#pragma omp simd
    for (int64_t c = 0; c < C; c++)
        out[c] = value[c] + (add ? out[c] : 0);
#endif
}

ENGINE_CLONES
static void ref_embedding_forward(real *out, const int32_t *tokens, struct weight wte,
                                  struct weight wpe, int64_t B, int64_t T, int64_t C)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < B * T; m++) {
        add_row(out + m * C, wte, tokens[m], C, false);
        if (wpe.value)
            add_row(out + m * C, wpe, m % T, C, true);
    }
}

/* Columns [first, end) of both tables. Several positions hold the same token, so one
 * thread walks over all of them in order. */
ENGINE_INLINE void embedding_backward_columns(real *dwte, real *dwpe, const real *dout,
                                              const int32_t *tokens, int64_t B, int64_t T,
                                              int64_t C, int64_t first, int64_t end)
{
    for (int64_t m = 0; m < B * T; m++) {
        const real *d = dout + m * C;
        real *token = dwte + (int64_t)tokens[m] * C;
#pragma omp simd
        for (int64_t c = first; c < end; c++)
            token[c] += d[c];
        if (!dwpe)
            continue;
        real *position = dwpe + m % T * C;
#pragma omp simd
        for (int64_t c = first; c < end; c++)
            position[c] += d[c];
    }
}

ENGINE_CLONES
static void ref_embedding_backward(real *dwte, real *dwpe, const real *dout,
                                   const int32_t *tokens, int64_t B, int64_t T, int64_t C,
                                   bool accumulate)
{
    const int64_t block = engine_column_block(C, omp_get_max_threads());
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < C; first += block) {
        int64_t end = first + block < C ? first + block : C;
        for (int64_t t = 0; t < T && dwpe && !accumulate; t++)
            for (int64_t c = first; c < end; c++)
                dwpe[t * C + c] = 0;
        embedding_backward_columns(dwte, dwpe, dout, tokens, B, T, C, first, end);
    }
}
