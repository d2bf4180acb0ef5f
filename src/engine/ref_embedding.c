/* The sum of a token's and a position's vector, and its gradient. */
#include "engine/ref_kernels.h"

ENGINE_CLONES
void ref_embedding_forward(real *out, const int32_t *tokens, const real *wte,
                           const real *wpe, int64_t B, int64_t T, int64_t C)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t b = 0; b < B; b++) {
        for (int64_t t = 0; t < T; t++) {
            real *o = out + (b * T + t) * C;
            const real *token = wte + (int64_t)tokens[b * T + t] * C;
            const real *position = wpe + t * C;
#pragma omp simd
            for (int64_t c = 0; c < C; c++)
                o[c] = token[c] + position[c];
        }
    }
}

/* Columns [first, end) of both tables. Several positions hold the same token, so one
 * thread walks over all of them in order. */
ENGINE_INLINE void embedding_backward_columns(real *dwte, real *dwpe, const real *dout,
                                              const int32_t *tokens, int64_t B, int64_t T,
                                              int64_t C, int64_t first, int64_t end)
{
    for (int64_t b = 0; b < B; b++) {
        for (int64_t t = 0; t < T; t++) {
            const real *d = dout + (b * T + t) * C;
            real *token = dwte + (int64_t)tokens[b * T + t] * C;
            real *position = dwpe + t * C;
#pragma omp simd
            for (int64_t c = first; c < end; c++) {
                token[c] += d[c];
                position[c] += d[c];
            }
        }
    }
}

ENGINE_CLONES
void ref_embedding_backward(real *dwte, real *dwpe, const real *dout,
                            const int32_t *tokens, int64_t B, int64_t T, int64_t C,
                            bool accumulate)
{
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < C; first += ENGINE_COLUMN_BLOCK) {
        int64_t end = first + ENGINE_COLUMN_BLOCK < C ? first + ENGINE_COLUMN_BLOCK : C;
        for (int64_t t = 0; t < T && !accumulate; t++)
            for (int64_t c = first; c < end; c++)
                dwpe[t * C + c] = 0;
        embedding_backward_columns(dwte, dwpe, dout, tokens, B, T, C, first, end);
    }
}
