/*
 * The ops of vector_ops.h for one number type, 32 numbers at a time in two registers.
 *
 * Included by vector_ops_f32.c, vector_ops_bf16.c and vector_ops_bf16_native.c after
 * their #pragma GCC target, which say HALF (bf16), ROUND(low, high) for bf16 and PUT (the
 * function's name).
 */
#include "engine/avx512_math.h"
#include "engine/bf16.h"
#include "engine/vector_ops.h"

#include <omp.h>

#if HALF
typedef bf16 number;
#else
typedef float number;
#endif

enum { PAIR = 2 * VECTOR };

struct pair {
    __m512 low, high;
};

/* --- pairs of vectors; those that are not there are read as 0 and not written --- */

ENGINE_INLINE struct pair load_f32(const float *from, __mmask32 there)
{
    return (struct pair){
        _mm512_maskz_loadu_ps((__mmask16)there, from),
        _mm512_maskz_loadu_ps((__mmask16)(there >> VECTOR), from + VECTOR)};
}

ENGINE_INLINE void store_f32(float *to, struct pair x, __mmask32 there)
{
    _mm512_mask_storeu_ps(to, (__mmask16)there, x.low);
    _mm512_mask_storeu_ps(to + VECTOR, (__mmask16)(there >> VECTOR), x.high);
}

#if HALF
ENGINE_INLINE __m512 widened(__m256i x)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}

ENGINE_INLINE struct pair load(const number *from, __mmask32 there)
{
    __m512i x = _mm512_maskz_loadu_epi16(there, from);
    return (struct pair){widened(_mm512_castsi512_si256(x)),
                         widened(_mm512_extracti64x4_epi64(x, 1))};
}

ENGINE_INLINE void store(number *to, struct pair x, __mmask32 there)
{
    _mm512_mask_storeu_epi16(to, there, ROUND(x.low, x.high));
}
#else
ENGINE_INLINE struct pair load(const number *from, __mmask32 there)
{
    return load_f32(from, there);
}

ENGINE_INLINE void store(number *to, struct pair x, __mmask32 there)
{
    store_f32(to, x, there);
}
#endif

ENGINE_INLINE struct pair pair_of(float x)
{
    return (struct pair){_mm512_set1_ps(x), _mm512_set1_ps(x)};
}

ENGINE_INLINE struct pair add(struct pair x, struct pair y)
{
    return (struct pair){_mm512_add_ps(x.low, y.low), _mm512_add_ps(x.high, y.high)};
}

ENGINE_INLINE struct pair sub(struct pair x, struct pair y)
{
    return (struct pair){_mm512_sub_ps(x.low, y.low), _mm512_sub_ps(x.high, y.high)};
}

ENGINE_INLINE struct pair mul(struct pair x, struct pair y)
{
    return (struct pair){_mm512_mul_ps(x.low, y.low), _mm512_mul_ps(x.high, y.high)};
}

/* x y + z */
ENGINE_INLINE struct pair mul_add(struct pair x, struct pair y, struct pair z)
{
    return (struct pair){_mm512_fmadd_ps(x.low, y.low, z.low),
                         _mm512_fmadd_ps(x.high, y.high, z.high)};
}

ENGINE_INLINE struct pair max(struct pair x, struct pair y)
{
    return (struct pair){_mm512_max_ps(x.low, y.low), _mm512_max_ps(x.high, y.high)};
}

ENGINE_INLINE struct pair power(struct pair x)
{
    return (struct pair){power_of_2(x.low), power_of_2(x.high)};
}

ENGINE_INLINE struct pair sigmoid(struct pair x)
{
    return (struct pair){sigmoid_of_power(x.low), sigmoid_of_power(x.high)};
}

ENGINE_INLINE float sum_of(struct pair x)
{
    return _mm512_reduce_add_ps(_mm512_add_ps(x.low, x.high));
}

ENGINE_INLINE float max_of(struct pair x)
{
    return _mm512_reduce_max_ps(_mm512_max_ps(x.low, x.high));
}

/* A loop over n numbers, 32 at a time: i is where they begin, `there` which of them. */
#define EACH_PAIR(i, n)                                                                  \
    for (int64_t i = 0; i < (n); i += PAIR)                                              \
        for (__mmask32 there = first_of_32((n)-i), once = 1; once; once = 0)

/* Numbers that a thread takes at a time where all are alike. */
enum { CHUNK = 4096 };

ENGINE_INLINE int64_t chunk_len(int64_t first, int64_t n)
{
    return n - first < CHUNK ? n - first : CHUNK;
}

/* --- GELU and SwiGLU: see ref_pointwise.h --- */

/* gelu(x) = x / (1 + 2^t), t = x (GELU_LINEAR + GELU_CUBIC x^2) */
static const float GELU_LINEAR = -2.302208198f, GELU_CUBIC = -0.1029432397f;
/* -dt/dx ln 2 = GELU_SLOPE + GELU_SLOPE_SQUARE x^2 */
static const float GELU_SLOPE = 1.595769122f, GELU_SLOPE_SQUARE = 0.2140644488f;

ENGINE_INLINE struct pair gelu_sigmoid(struct pair x, struct pair square)
{
    return sigmoid(mul(x, mul_add(square, pair_of(GELU_CUBIC), pair_of(GELU_LINEAR))));
}

static void gelu_forward(act *out, const act *x, int64_t n)
{
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < n; first += CHUNK) {
        number *o = (number *)out + first;
        const number *from = (const number *)x + first;
        const int64_t len = chunk_len(first, n);
        EACH_PAIR(i, len)
        {
            struct pair v = load(from + i, there);
            store(o + i, mul(v, gelu_sigmoid(v, mul(v, v))), there);
        }
    }
}

static void gelu_backward(act *dx, act *out, const act *dout, const act *x, int64_t n)
{
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < n; first += CHUNK) {
        number *to = (number *)dx + first, *o = (number *)out + first;
        const number *from = (const number *)x + first, *d = (const number *)dout + first;
        const int64_t len = chunk_len(first, n);
        EACH_PAIR(i, len)
        {
            struct pair v = load(from + i, there), square = mul(v, v);
            struct pair s = gelu_sigmoid(v, square);
            struct pair slope =
                mul_add(square, pair_of(GELU_SLOPE_SQUARE), pair_of(GELU_SLOPE));
            struct pair inner = mul(mul(v, s), sub(pair_of(1), s));
            store(to + i, mul(load(d + i, there), mul_add(inner, slope, s)), there);
            store(o + i, mul(v, s), there);
        }
    }
}

ENGINE_INLINE struct pair silu_sigmoid(struct pair x)
{
    return sigmoid(mul(x, pair_of(-LOG2_E)));
}

static void swiglu_forward(act *out, const act *gate_up, int64_t M, int64_t F)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        number *o = (number *)out + m * F;
        const number *gate = (const number *)gate_up + m * 2 * F, *up = gate + F;
        EACH_PAIR(i, F)
        {
            struct pair g = load(gate + i, there);
            store(o + i, mul(mul(g, silu_sigmoid(g)), load(up + i, there)), there);
        }
    }
}

static void swiglu_backward(act *dgate_up, act *out, const act *dout, const act *gate_up,
                            int64_t M, int64_t F)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        number *dg = (number *)dgate_up + m * 2 * F, *du = dg + F;
        const number *gate = (const number *)gate_up + m * 2 * F, *up = gate + F;
        const number *d = (const number *)dout + m * F;
        number *again = (number *)out + m * F;
        EACH_PAIR(i, F)
        {
            struct pair g = load(gate + i, there), u = load(up + i, there);
            struct pair s = silu_sigmoid(g), o = load(d + i, there), gs = mul(g, s);
            store(dg + i, mul(mul(o, u), mul_add(gs, sub(pair_of(1), s), s)), there);
            store(du + i, mul(o, gs), there);
            store(again + i, mul(gs, u), there);
        }
    }
}

/* --- norms: see ref_norm.h --- */

/* Sum of x - mean, or of its squares; the part of a row that is not there is not. */
ENGINE_INLINE float row_sum(const float *x, int64_t C, float mean, const bool squares)
{
    struct pair sum[2] = {pair_of(0), pair_of(0)};
    int which = 0;
    EACH_PAIR(i, C)
    {
        struct pair v = load_f32(x + i, there);
        if (squares) {
            v = sub(v, pair_of(mean));
            v.low = _mm512_maskz_mul_ps((__mmask16)there, v.low, v.low);
            v.high = _mm512_maskz_mul_ps((__mmask16)(there >> VECTOR), v.high, v.high);
        }
        sum[which] = add(sum[which], v);
        which = !which;
    }
    return sum_of(add(sum[0], sum[1]));
}

ENGINE_INLINE struct pair scaled(struct pair hat, const float *gamma, const float *beta,
                                 int64_t i, __mmask32 there)
{
    struct pair g = load_f32(gamma + i, there);
    return beta ? mul_add(g, hat, load_f32(beta + i, there)) : mul(g, hat);
}

static void norm_forward(const struct norm *n, act *out, act *hat, real *rstd,
                         const real *x, const real *gamma, const real *beta)
{
    const int64_t C = n->C;
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < n->M; m++) {
        const float *row = x + m * C;
        number *o = (number *)out + m * C, *h = (number *)hat + m * C;
        const float mean = n->rms ? 0 : row_sum(row, C, 0, false) / (float)C;
        const float square = row_sum(row, C, mean, true) / (float)C;
        const float scale = 1 / sqrtf(square + (float)n->epsilon);
        rstd[m] = scale;
        EACH_PAIR(i, C)
        {
            struct pair v =
                mul(sub(load_f32(row + i, there), pair_of(mean)), pair_of(scale));
            store(h + i, v, there);
            store(o + i, scaled(v, gamma, beta, i, there), there);
        }
    }
}

static void norm_apply(const struct norm *n, act *out, const act *hat, const real *gamma,
                       const real *beta)
{
    const int64_t C = n->C;
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < n->M; m++) {
        number *o = (number *)out + m * C;
        const number *h = (const number *)hat + m * C;
        EACH_PAIR(i, C)
        store(o + i, scaled(load(h + i, there), gamma, beta, i, there), there);
    }
}

ENGINE_INLINE void norm_backward_row(float *dx, const number *dout, const number *hat,
                                     const float *gamma, float rstd, bool rms, int64_t C,
                                     bool accumulate)
{
    struct pair sum_g = pair_of(0), sum_gh = sum_g;
    EACH_PAIR(i, C)
    {
        struct pair g = mul(load_f32(gamma + i, there), load(dout + i, there));
        sum_g = add(sum_g, g);
        sum_gh = mul_add(g, load(hat + i, there), sum_gh);
    }
    const struct pair scale = pair_of(rstd);
    const struct pair mean_g = pair_of(rms ? 0 : sum_of(sum_g) / (float)C);
    const struct pair minus_gh = pair_of(-sum_of(sum_gh) / (float)C);
    EACH_PAIR(i, C)
    {
        struct pair g = mul(load_f32(gamma + i, there), load(dout + i, there));
        g = mul_add(load(hat + i, there), minus_gh, sub(g, mean_g));
        struct pair before = accumulate ? load_f32(dx + i, there) : pair_of(0);
        store_f32(dx + i, mul_add(scale, g, before), there);
    }
}

/* --- sums over rows --- */

/* Rows that are added in registers before the next columns' turn; what comes next is
 * prefetched: rows lie on different pages. */
enum { SUM_ROWS = 8 };

struct column_sums {
    float *d, *dh;           /* (columns) sums of d, and of d h */
    const number *dat, *hat; /* of the first row; hat NULL: none */
    int64_t stride;
};

ENGINE_INLINE void add_rows(const struct column_sums *s, int64_t row, int64_t rows,
                            int64_t columns, const bool with_hat)
{
    EACH_PAIR(i, columns)
    {
        struct pair d = load_f32(s->d + i, there);
        struct pair dh = with_hat ? load_f32(s->dh + i, there) : d;
        for (int64_t r = row; r < row + rows; r++) {
            const int64_t at = r * s->stride + i;
            struct pair v = load(s->dat + at, there);
            __builtin_prefetch(s->dat + at + SUM_ROWS * s->stride);
            d = add(d, v);
            if (with_hat) {
                __builtin_prefetch(s->hat + at + SUM_ROWS * s->stride);
                dh = mul_add(v, load(s->hat + at, there), dh);
            }
        }
        store_f32(s->d + i, d, there);
        if (with_hat)
            store_f32(s->dh + i, dh, there);
    }
}

/* Each column's sum runs over the rows in their order. */
ENGINE_INLINE void sum_columns(const struct column_sums *s, int64_t M, int64_t columns,
                               const bool with_hat)
{
    for (int64_t m = 0; m < M; m += SUM_ROWS)
        add_rows(s, m, M - m < SUM_ROWS ? M - m : SUM_ROWS, columns, with_hat);
}

ENGINE_INLINE void put_sums(float *to, const float *sum, int64_t n, bool accumulate)
{
    for (int64_t i = 0; to && i < n; i++)
        to[i] = sum[i] + (accumulate ? to[i] : 0);
}

ENGINE_INLINE void norm_backward_columns(real *dgamma, real *dbeta, const number *dout,
                                         const number *hat, int64_t M, int64_t C,
                                         int64_t first, int64_t end, bool accumulate)
{
    float d[ENGINE_COLUMNS_MOST] = {0}, dh[ENGINE_COLUMNS_MOST] = {0};
    const struct column_sums s = {d, dh, dout + first, hat + first, C};
    sum_columns(&s, M, end - first, true);
    put_sums(dgamma + first, dh, end - first, accumulate);
    put_sums(dbeta ? dbeta + first : NULL, d, end - first, accumulate);
}

static void norm_backward(const struct norm *n, real *dx, real *dgamma, real *dbeta,
                          const act *dout, const act *hat, const real *gamma,
                          const real *rstd, bool accumulate_dx, bool accumulate)
{
    const int64_t M = n->M, C = n->C;
    const number *d = (const number *)dout, *h = (const number *)hat;
    const int64_t block = engine_column_block(C, omp_get_max_threads());
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int64_t first = 0; first < C; first += block)
            norm_backward_columns(dgamma, dbeta, d, h, M, C, first,
                                  first + block < C ? first + block : C, accumulate);
#pragma omp for schedule(static)
        for (int64_t m = 0; m < M; m++)
            norm_backward_row(dx + m * C, d + m * C, h + m * C, gamma, rstd[m], n->rms, C,
                              accumulate_dx);
    }
}

static void bias_backward(real *db, const act *dy, int64_t M, int64_t N, bool accumulate)
{
    const int64_t block = engine_column_block(N, omp_get_max_threads());
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < N; first += block) {
        const int64_t columns = N - first < block ? N - first : block;
        float d[ENGINE_COLUMNS_MOST] = {0};
        const struct column_sums s = {d, NULL, (const number *)dy + first, NULL, N};
        sum_columns(&s, M, columns, false);
        put_sums(db + first, d, columns, accumulate);
    }
}

/* --- the loss: see ref_loss.h --- */

enum { LOSS_CHUNK = 512 }; /* of a row, that is summed in f32 */

ENGINE_INLINE float row_top(const number *x, int64_t V)
{
    const struct pair lowest = pair_of(-INFINITY);
    struct pair top = lowest;
    EACH_PAIR(i, V)
    {
        struct pair v = load(x + i, there);
        v.low = _mm512_mask_mov_ps(lowest.low, (__mmask16)there, v.low);
        v.high = _mm512_mask_mov_ps(lowest.high, (__mmask16)(there >> VECTOR), v.high);
        top = max(top, v);
    }
    return max_of(top);
}

/* e^(x - top) */
ENGINE_INLINE struct pair power_below(struct pair x, struct pair top)
{
    return power(mul(sub(x, top), pair_of(LOG2_E)));
}

ENGINE_INLINE double row_exp_sum(const number *x, float top, int64_t V)
{
    double all = 0;
    for (int64_t first = 0; first < V; first += LOSS_CHUNK) {
        const int64_t n = V - first < LOSS_CHUNK ? V - first : LOSS_CHUNK;
        struct pair sum = pair_of(0);
        EACH_PAIR(i, n)
        {
            struct pair p = power_below(load(x + first + i, there), pair_of(top));
            p.low = _mm512_maskz_mov_ps((__mmask16)there, p.low);
            p.high = _mm512_maskz_mov_ps((__mmask16)(there >> VECTOR), p.high);
            sum = add(sum, p);
        }
        all += (double)sum_of(sum);
    }
    return all;
}

ENGINE_INLINE float number_at(const number *x, int64_t i)
{
#if HALF
    return bf16_to_float(x[i]);
#else
    return x[i];
#endif
}

static void cross_entropy_forward(real *loss, real *softmax, const act *logits,
                                  const int32_t *targets, int64_t M, int64_t V)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        const number *row = (const number *)logits + m * V;
        const float top = row_top(row, V);
        const double sum = row_exp_sum(row, top, V);
        softmax[2 * m] = top;
        softmax[2 * m + 1] = (float)(1 / sum);
        loss[m] =
            targets[m] < 0
                ? 0
                : (float)((double)top - (double)number_at(row, targets[m]) + log(sum));
    }
}

static void cross_entropy_backward(act *dlogits, const act *logits, const real *softmax,
                                   const int32_t *targets, real scale, int64_t M,
                                   int64_t V)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        number *d = (number *)dlogits + m * V;
        const number *x = (const number *)logits + m * V;
        const float top = softmax[2 * m], inverse = softmax[2 * m + 1];
        const float row_scale = targets[m] < 0 ? 0 : scale;
        float of_target = 0;
        if (targets[m] >= 0)
            of_target = real_exp(number_at(x, targets[m]) - top) * inverse - 1;
        const struct pair factor = pair_of(row_scale * inverse), of = pair_of(top);
        EACH_PAIR(i, V)
        store(d + i, mul(factor, power_below(load(x + i, there), of)), there);
        if (targets[m] >= 0) {
            const struct pair one = pair_of(row_scale * of_target);
            store(d + targets[m], one, 1);
        }
    }
}

void PUT(struct engine_ops *ops)
{
    ops->gelu_forward = gelu_forward;
    ops->gelu_backward = gelu_backward;
    ops->swiglu_forward = swiglu_forward;
    ops->swiglu_backward = swiglu_backward;
    ops->norm_forward = norm_forward;
    ops->norm_apply = norm_apply;
    ops->norm_backward = norm_backward;
    ops->bias_backward = bias_backward;
    ops->cross_entropy_forward = cross_entropy_forward;
    ops->cross_entropy_backward = cross_entropy_backward;
}
