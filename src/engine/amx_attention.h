/*
 * Causal self-attention in bf16 on AMX tiles. The softmax is the same as in
 * tiled_attention.h; what differs is that all products are the micro-kernel's
 * (kernel_amx.h), and that a tile of scores becomes the operand of the next product while
 * it is rounded: no probability is transposed.
 *
 *   S = q k^T         scores (queries x keys), p = e^(scale S - lse)
 *   out = p v         p rounded is a panel of A: rows of queries, depth of keys
 *   dp = dout v^T,    ds = p (dp - delta),  delta = dout . out
 *   dq = scale ds k   ds rounded is a panel of A
 *   dk^T = scale q^T ds,  dv^T = dout^T p     p and ds are panels of B: depth of queries
 *
 * Of a key block's scores, all are there at once: the softmax of a row is computed over
 * KEYS_MAX keys before it is rescaled. What is summed up (out, dq, dk^T, dv^T) is f32.
 * Memory grows with T.
 *
 * Included after kernel_amx.h by kernel_amx.c and kernel_amx_stand_in.c.
 */
#include "engine/avx512_math.h"
#include "engine/dropout_mask.h"
#include "engine/ops.h"

#include <math.h>
#include <omp.h>

enum {
    STRIPS = 2, /* of ROWS queries each, for which a panel of keys is read once */
    QUERIES = STRIPS * ROWS,
    KEYS = COLUMNS, /* of a panel */
    KEYS_MAX = 512, /* of a block */
    TILE = ROWS * COLUMNS,
};

static const float LN_2 = 0.693147181f;

/* --- products --- */

/* c, of `lines` rows in tiles one after another, += a panel of A for each 16 of them by one
 * panel of B; the depth is one tile's, and B stays in its registers. */
static void add_shallow(float *c, const bf16 *a, const bf16 *b, int64_t lines)
{
    TILE_LOAD(5, b, TILE_STRIDE);
    TILE_LOAD(6, b + TILE_NUMBERS, TILE_STRIDE);
    for (int64_t i = 0; i < lines; i += 2 * ROWS, a += 2 * TILE_NUMBERS, c += 2 * TILE) {
        TILE_LOAD(4, a, TILE_STRIDE);
        TILE_LOAD(0, c, C_STRIDE);
        TILE_PRODUCT(0, 4, 5);
        TILE_LOAD(1, c + TILE_COLUMNS, C_STRIDE);
        TILE_PRODUCT(1, 4, 6);
        TILE_STORE(0, c, C_STRIDE);
        TILE_STORE(1, c + TILE_COLUMNS, C_STRIDE);
        if (i + ROWS >= lines)
            break;
        TILE_LOAD(4, a + TILE_NUMBERS, TILE_STRIDE);
        TILE_LOAD(2, c + TILE, C_STRIDE);
        TILE_PRODUCT(2, 4, 5);
        TILE_LOAD(3, c + TILE + TILE_COLUMNS, C_STRIDE);
        TILE_PRODUCT(3, 4, 6);
        TILE_STORE(2, c + TILE, C_STRIDE);
        TILE_STORE(3, c + TILE + TILE_COLUMNS, C_STRIDE);
    }
}

/* --- sizes and scratch --- */

struct attention_sizes {
    int64_t T, D;   /* padded to whole panels */
    int64_t matrix; /* T * D */
    int64_t row;    /* of qkv */
    float scale;
};

ENGINE_INLINE int64_t whole_panels(int64_t n)
{
    return (n + COLUMNS - 1) / COLUMNS * COLUMNS;
}

static struct attention_sizes attention_sizes(const struct attention *a)
{
    struct attention_sizes z = {.T = whole_panels(a->T), .D = whole_panels(a->D)};
    z.matrix = z.T * z.D;
    z.row = attention_row(a);
    z.scale = 1 / sqrtf((float)a->D);
    return z;
}

/* What a thread works with, one after another in its scratch. */
struct attention_scratch {
    /* all keys of a group of heads: panels of B */
    bf16 *k_lines, *v_lines; /* columns are keys: k^T, v^T */
    bf16 *k_depth, *v_depth; /* columns are numbers of a head, depth of keys */
    float *dk, *dv;          /* (T / KEYS, D / ROWS, ROWS, KEYS), transposed */
    /* a tile of queries: panels of A */
    bf16 *q, *d;      /* rows are queries: q, dout */
    bf16 *q_t, *d_t;  /* rows are numbers of a head, depth of queries */
    float *sums;      /* (STRIPS, D / KEYS, ROWS, KEYS): out or dq */
    float *s, *dp;    /* (STRIPS, panels, ROWS, KEYS) scores; dp of one panel */
    bf16 *p;          /* (STRIPS, panels, ROWS, KEYS) p or ds, rounded: panels of A */
    bf16 *p_b, *ds_b; /* (QUERIES / 2, KEYS, 2): a panel of B */
};

ENGINE_INLINE void *take(char **at, int64_t numbers, size_t bytes)
{
    char *from = *at;
    *at += (size_t)numbers * bytes;
    return from;
}

/* From *at on, which moves behind it. Everything is a multiple of a tile. */
static struct attention_scratch attention_scratch(char **at, struct attention_sizes z)
{
    struct attention_scratch x;
    const int64_t tile = QUERIES * z.D, scores = STRIPS * ROWS * KEYS_MAX;
    x.k_lines = take(at, z.matrix, sizeof(bf16));
    x.v_lines = take(at, z.matrix, sizeof(bf16));
    x.k_depth = take(at, z.matrix, sizeof(bf16));
    x.v_depth = x.v_lines; /* forward needs the one, backward the other */
    x.dk = take(at, z.matrix, sizeof(float));
    x.dv = take(at, z.matrix, sizeof(float));
    x.q = take(at, tile, sizeof(bf16));
    x.d = take(at, tile, sizeof(bf16));
    x.q_t = take(at, tile, sizeof(bf16));
    x.d_t = take(at, tile, sizeof(bf16));
    x.sums = take(at, tile, sizeof(float));
    x.s = take(at, scores, sizeof(float));
    x.dp = take(at, STRIPS * TILE, sizeof(float));
    x.p = take(at, scores, sizeof(bf16));
    x.p_b = take(at, QUERIES * KEYS, sizeof(bf16));
    x.ds_b = take(at, QUERIES * KEYS, sizeof(bf16));
    return x;
}

enum { SCRATCH_ALIGNMENT = 64 };

static size_t attention_thread_bytes(struct attention_sizes z)
{
    char *at = NULL;
    attention_scratch(&at, z);
    return (size_t)(at - (char *)NULL);
}

static size_t amx_attention_scratch_bytes(const struct attention *a, int threads)
{
    return SCRATCH_ALIGNMENT +
           (size_t)threads * attention_thread_bytes(attention_sizes(a));
}

static struct attention_scratch scratch_of_this_thread(void *scratch,
                                                       struct attention_sizes z)
{
    uintptr_t first = ((uintptr_t)scratch + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT *
                      SCRATCH_ALIGNMENT;
    char *at = (char *)first + (size_t)omp_get_thread_num() * attention_thread_bytes(z);
    return attention_scratch(&at, z);
}

/* --- what dropout keeps, for KEYS keys of a row --- */

struct factors {
    float of[KEYS] __attribute__((aligned(64)));
};

static void draw_factors(struct factors *f, const struct attention *a, int64_t b,
                         int64_t h, int64_t t, int64_t j)
{
    dropout_factors(f->of, &a->dropout, attention_dropout_index(a, b, h, t) + (uint64_t)j,
                    KEYS);
}

/* --- forward --- */

/* Where one head's queries are worked on. */
struct head {
    const struct attention *a;
    struct attention_sizes z;
    struct attention_scratch x;
    int64_t b, h;
};

/* The running softmax of a tile's rows, base 2 and scaled. */
struct softmax_rows {
    float max[QUERIES], sum[QUERIES];
};

/* Row i of a tile begins in each panel at: */
ENGINE_INLINE int64_t row_at(int64_t i)
{
    return i / ROWS * (int64_t)ROWS * KEYS_MAX + i % ROWS * KEYS;
}

ENGINE_INLINE float row_max(const float *s, int64_t panels, __mmask32 last)
{
    __m512 low = _mm512_set1_ps(-INFINITY), high = low;
    for (int64_t p = 0; p + 1 < panels; p++, s += TILE) {
        low = _mm512_max_ps(low, _mm512_load_ps(s));
        high = _mm512_max_ps(high, _mm512_load_ps(s + VECTOR));
    }
    low = _mm512_mask_max_ps(low, (__mmask16)last, low, _mm512_load_ps(s));
    high = _mm512_mask_max_ps(high, (__mmask16)(last >> VECTOR), high,
                              _mm512_load_ps(s + VECTOR));
    return _mm512_reduce_max_ps(_mm512_max_ps(low, high));
}

/* p = e^(scale s - max) of a row, rounded; returns their sum. */
ENGINE_INLINE float row_exp(bf16 *p, const float *s, int64_t panels, __mmask32 last,
                            float scale, float max, const struct head *head, int64_t t,
                            int64_t j0, const bool drops)
{
    const __m512 c = _mm512_set1_ps(scale), top = _mm512_set1_ps(max);
    __m512 sum_low = _mm512_setzero_ps(), sum_high = sum_low;
    for (int64_t i = 0; i < panels; i++, s += TILE, p += TILE) {
        const __mmask32 seen = i + 1 < panels ? 0xffffffffu : last;
        __m512 low = power_of_2(_mm512_fmsub_ps(_mm512_load_ps(s), c, top));
        __m512 high = power_of_2(_mm512_fmsub_ps(_mm512_load_ps(s + VECTOR), c, top));
        low = _mm512_maskz_mov_ps((__mmask16)seen, low);
        high = _mm512_maskz_mov_ps((__mmask16)(seen >> VECTOR), high);
        sum_low = _mm512_add_ps(sum_low, low);
        sum_high = _mm512_add_ps(sum_high, high);
        if (drops) {
            struct factors f;
            draw_factors(&f, head->a, head->b, head->h, t, j0 + i * KEYS);
            low = _mm512_mul_ps(low, _mm512_load_ps(f.of));
            high = _mm512_mul_ps(high, _mm512_load_ps(f.of + VECTOR));
        }
        _mm512_store_si512(p, ROUND(low, high));
    }
    return _mm512_reduce_add_ps(_mm512_add_ps(sum_low, sum_high));
}

ENGINE_INLINE void scale_row(float *sums, int64_t i, int64_t D, float factor)
{
    const int64_t panels = D / KEYS;
    float *at = sums + i / ROWS * panels * TILE + i % ROWS * KEYS;
    const __m512 f = _mm512_set1_ps(factor);
    for (int64_t d = 0; d < panels; d++, at += TILE)
        for (int v = 0; v < KEYS; v += VECTOR)
            _mm512_store_ps(at + v, _mm512_mul_ps(f, _mm512_load_ps(at + v)));
}

/* The rows' scores of a key block become probabilities; out is scaled to the new
 * maximum. */
ENGINE_INLINE void softmax_rows(const struct head *h, struct softmax_rows *rows,
                                int64_t t0, int64_t n, int64_t j0, int64_t panels,
                                const bool drops)
{
    const float scale = h->z.scale * LOG2_E;
    for (int64_t i = 0; i < n; i++) {
        const __mmask32 last = first_of_32(t0 + i + 1 - j0 - (panels - 1) * KEYS);
        const float *s = h->x.s + row_at(i);
        float max = row_max(s, panels, last) * scale;
        max = max > rows->max[i] ? max : rows->max[i];
        float sum = row_exp(h->x.p + row_at(i), s, panels, last, scale, max, h, t0 + i,
                            j0, drops);
        if (j0 > 0) {
            const float shrink = exp2f(rows->max[i] - max);
            scale_row(h->x.sums, i, h->z.D, shrink);
            sum += rows->sum[i] * shrink;
        }
        rows->max[i] = max;
        rows->sum[i] = sum;
    }
}

/* Compiled for each: a call in the loop would empty its registers. */
static void softmax_block(const struct head *h, struct softmax_rows *rows, int64_t t0,
                          int64_t n, int64_t j0, int64_t panels)
{
    if (h->a->dropout.probability > 0)
        softmax_rows(h, rows, t0, n, j0, panels, true);
    else
        softmax_rows(h, rows, t0, n, j0, panels, false);
}

/* Scores of the tile's queries and `panels` panels of keys; `to` has so many a strip. */
ENGINE_INLINE void tile_scores(float *to, int64_t strip, const bf16 *queries,
                               const bf16 *keys, int64_t D, int64_t panels)
{
    for (int64_t p = 0; p < panels; p++)
        for (int i = 0; i < STRIPS; i++)
            multiply_near(to + i * strip + p * TILE, queries + i * ROWS * D,
                          keys + p * KEYS * D, D, false);
}

/* sums (+)= p times what lies in depth: panels of B of T keys, from key j0 on. */
ENGINE_INLINE void tile_sums(const struct head *h, const bf16 *depth, int64_t j0,
                             int64_t panels)
{
    const int64_t wide = h->z.D / KEYS;
    for (int64_t d = 0; d < wide; d++)
        for (int i = 0; i < STRIPS; i++)
            multiply_near(h->x.sums + (i * wide + d) * TILE,
                          h->x.p + (int64_t)i * ROWS * KEYS_MAX,
                          depth + (d * h->z.T + j0) * KEYS, panels * KEYS, j0 > 0);
}

/* Row i of sums, times a factor, to D numbers. */
ENGINE_INLINE void store_row(bf16 *to, const struct head *h, int64_t i, float factor)
{
    const int64_t D = h->a->D, panels = h->z.D / KEYS;
    const float *from = h->x.sums + i / ROWS * panels * TILE + i % ROWS * KEYS;
    const __m512 f = _mm512_set1_ps(factor);
    for (int64_t d = 0; d < D; d += KEYS, from += TILE)
        _mm512_mask_storeu_epi16(to + d, first_of_32(D - d),
                                 ROUND(_mm512_mul_ps(f, _mm512_load_ps(from)),
                                       _mm512_mul_ps(f, _mm512_load_ps(from + VECTOR))));
}

/* Key panels of the block at j0 that the tile at t0 sees. */
ENGINE_INLINE int64_t panels_seen(int64_t t0, int64_t j0)
{
    int64_t keys = t0 + QUERIES - j0;
    return (keys < KEYS_MAX ? keys : KEYS_MAX) / KEYS;
}

ENGINE_INLINE const bf16 *head_of_row(const struct head *h, const bf16 *qkv, int64_t t,
                                      int64_t head)
{
    return qkv + (h->b * h->a->T + t) * h->z.row + head * h->a->D;
}

ENGINE_INLINE struct lines rows_of(const bf16 *from, int64_t row)
{
    return (struct lines){from, row, 1, true};
}

ENGINE_INLINE struct lines columns_of(const bf16 *from, int64_t row)
{
    return (struct lines){from, 1, row, true};
}

/* Queries t0 … t0 + n - 1 of one head. */
static void queries_forward(const struct head *h, bf16 *out, float *lse, const bf16 *qkv,
                            int64_t t0, int64_t n)
{
    const struct lines q = rows_of(head_of_row(h, qkv, t0, h->h), h->z.row);
    const int64_t H = h->a->H, D = h->a->D;
    struct softmax_rows rows = {{0}, {0}};
    pack_a(h->x.q, &q, n, D, h->z.D);
    if (n <= ROWS) /* the other strip is not there */
        memset(h->x.q + ROWS * h->z.D, 0, (size_t)(ROWS * h->z.D) * sizeof(bf16));
    for (int i = 0; i < QUERIES; i++)
        rows.max[i] = -INFINITY; /* scores of -Inf become NaN, as in plain attention */
    for (int64_t j0 = 0; j0 < t0 + n; j0 += KEYS_MAX) {
        const int64_t panels = panels_seen(t0, j0);
        tile_scores(h->x.s, ROWS * KEYS_MAX, h->x.q, h->x.k_lines + j0 * h->z.D, h->z.D,
                    panels);
        softmax_block(h, &rows, t0, n, j0, panels);
        tile_sums(h, h->x.v_depth, j0, panels);
    }
    for (int64_t i = 0; i < n; i++) {
        store_row(out + ((h->b * h->a->T + t0 + i) * H + h->h) * D, h, i,
                  1 / rows.sum[i]);
        lse[(h->b * H + h->h) * h->a->T + t0 + i] =
            rows.max[i] * LN_2 + logf(rows.sum[i]);
    }
}

static void amx_attention_forward(const struct attention *a, act *out, real *lse,
                                  act *att, void *scratch, const act *qkv)
{
    const struct attention_sizes z = attention_sizes(a);
    const int64_t share = a->H / a->G;
    (void)att;
#pragma omp parallel
    {
        struct head head = {a, z, scratch_of_this_thread(scratch, z), 0, 0};
        thread_begin();
        memset(head.x.p, 0, sizeof(bf16) * STRIPS * ROWS * KEYS_MAX);
#pragma omp for collapse(2) schedule(static)
        for (int64_t b = 0; b < a->B; b++)
            for (int64_t g = 0; g < a->G; g++) {
                head.b = b;
                const bf16 *k = head_of_row(&head, (const bf16 *)qkv, 0, a->H + g);
                const struct lines keys = rows_of(k, z.row);
                const struct lines values = columns_of(k + a->G * a->D, z.row);
                pack_b(head.x.k_lines, &keys, a->T, a->D, z.D);
                pack_b(head.x.v_depth, &values, a->D, a->T, z.T);
                for (head.h = g * share; head.h < (g + 1) * share; head.h++)
                    for (int64_t t0 = 0; t0 < a->T; t0 += QUERIES)
                        queries_forward(&head, (bf16 *)out, lse, (const bf16 *)qkv, t0,
                                        a->T - t0 < QUERIES ? a->T - t0 : QUERIES);
            }
        thread_end();
    }
}

/* --- backward --- */

/* Of a tile's rows; those that are not there have a probability of 0. */
struct backward_rows {
    float lse[QUERIES], delta[QUERIES]; /* lse in base 2 */
};

/* Even and odd rows of 16 numbers side by side, rounded: a row of a panel of B. */
ENGINE_INLINE void store_pair(bf16 *to, __m512 even, __m512 odd)
{
    static const bf16 order[2 * VECTOR] __attribute__((aligned(64))) = {
        0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    _mm512_store_si512(
        to, _mm512_permutexvar_epi16(_mm512_load_si512(order), ROUND(even, odd)));
}

struct p_and_ds {
    __m512 p, ds;
};

/* Of 16 keys of a row. */
ENGINE_INLINE struct p_and_ds p_and_ds(const float *s, const float *dp, float scale,
                                       float lse, float delta, __mmask16 seen,
                                       const float *factor)
{
    struct p_and_ds x;
    __m512 d = _mm512_load_ps(dp);
    __m512 p = power_of_2(
        _mm512_fmsub_ps(_mm512_load_ps(s), _mm512_set1_ps(scale), _mm512_set1_ps(lse)));
    if (factor)
        d = _mm512_mul_ps(d, _mm512_load_ps(factor));
    x.ds = _mm512_maskz_mul_ps(seen, p, _mm512_sub_ps(d, _mm512_set1_ps(delta)));
    x.p = _mm512_maskz_mov_ps(seen, p);
    if (factor)
        x.p = _mm512_mul_ps(x.p, _mm512_load_ps(factor));
    return x;
}

/* Rows i and i + 1 of a tile's scores with one panel of keys become p and ds as the
 * products need them. ds_a: where ds is a panel of A. */
ENGINE_INLINE void backward_pair(const struct head *h, const struct backward_rows *rows,
                                 bf16 *ds_a, int64_t t0, int64_t i, int64_t j,
                                 const bool drops)
{
    const int64_t at = i / ROWS * TILE + i % ROWS * KEYS;
    const float scale = h->z.scale * LOG2_E;
    struct p_and_ds x[2][2];
#pragma GCC unroll 2
    for (int r = 0; r < 2; r++) {
        const __mmask32 seen = first_of_32(t0 + i + r + 1 - j);
        struct factors f;
        if (drops)
            draw_factors(&f, h->a, h->b, h->h, t0 + i + r, j);
#pragma GCC unroll 2
        for (int c = 0; c < 2; c++) {
            const int64_t from = at + r * KEYS + c * VECTOR;
            x[r][c] = p_and_ds(h->x.s + from, h->x.dp + from, scale, rows->lse[i + r],
                               rows->delta[i + r], (__mmask16)(seen >> (c * VECTOR)),
                               drops ? f.of + c * VECTOR : NULL);
        }
        _mm512_store_si512(ds_a + r * KEYS, ROUND(x[r][0].ds, x[r][1].ds));
    }
#pragma GCC unroll 2
    for (int c = 0; c < 2; c++) {
        const int64_t to = c * TILE_NUMBERS + i / 2 * DEPTH;
        store_pair(h->x.p_b + to, x[0][c].p, x[1][c].p);
        store_pair(h->x.ds_b + to, x[0][c].ds, x[1][c].ds);
    }
}

ENGINE_INLINE void backward_tile(const struct head *h, const struct backward_rows *rows,
                                 bf16 *ds_a, int64_t t0, int64_t j, const bool drops)
{
    for (int64_t i = 0; i < QUERIES; i += 2)
        backward_pair(h, rows, ds_a + row_at(i), t0, i, j, drops);
}

/* One panel of keys, from key j on, which is panel `place` of its block. */
static void panel_backward(const struct head *h, const struct backward_rows *rows,
                           int64_t t0, int64_t j, int64_t place)
{
    const int64_t D = h->z.D;
    tile_scores(h->x.s, TILE, h->x.q, h->x.k_lines + j * D, D, 1);
    tile_scores(h->x.dp, TILE, h->x.d, h->x.v_lines + j * D, D, 1);
    if (h->a->dropout.probability > 0)
        backward_tile(h, rows, h->x.p + place * TILE, t0, j, true);
    else
        backward_tile(h, rows, h->x.p + place * TILE, t0, j, false);
    add_shallow(h->x.dv + j * D, h->x.d_t, h->x.p_b, h->a->D);
    add_shallow(h->x.dk + j * D, h->x.q_t, h->x.ds_b, h->a->D);
}

/* A tile's queries and gradients of out as panels of A, in both orders. */
static void pack_queries(const struct head *h, struct lines q, struct lines d, int64_t n)
{
    const int64_t D = h->a->D;
    const struct lines q_t = columns_of(q.at, q.line_stride);
    const struct lines d_t = columns_of(d.at, d.line_stride);
    if (n <= ROWS)
        memset(h->x.q, 0, (size_t)(2 * QUERIES * h->z.D) * sizeof(bf16)); /* and d */
    pack_a(h->x.q, &q, n, D, h->z.D);
    pack_a(h->x.d, &d, n, D, h->z.D);
    pack_a(h->x.q_t, &q_t, D, n, QUERIES);
    pack_a(h->x.d_t, &d_t, D, n, QUERIES);
}

static float dot(const bf16 *x, const bf16 *y, int64_t n)
{
    __m512 sum = _mm512_setzero_ps();
    for (int64_t i = 0; i < n; i += VECTOR) {
        const __mmask16 there = (__mmask16)first_of_32(n - i);
        __m512i a = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, x + i));
        __m512i b = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, y + i));
        sum = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_slli_epi32(a, 16)),
                              _mm512_castsi512_ps(_mm512_slli_epi32(b, 16)), sum);
    }
    return _mm512_reduce_add_ps(sum);
}

/* What the passes get. */
struct backward {
    bf16 *dqkv;
    const bf16 *dout, *out, *qkv;
    const float *lse;
};

static void queries_backward(const struct head *h, const struct backward *w, int64_t t0,
                             int64_t n)
{
    const int64_t H = h->a->H, D = h->a->D, at = (h->b * h->a->T + t0) * H + h->h;
    const float *lse = w->lse + (h->b * H + h->h) * h->a->T + t0;
    struct backward_rows rows;
    for (int i = 0; i < QUERIES; i++) {
        const int64_t o = (at + i * H) * D;
        rows.lse[i] = i < n ? lse[i] * LOG2_E : INFINITY;
        rows.delta[i] = i < n ? dot(w->dout + o, w->out + o, D) : 0;
    }
    pack_queries(h, rows_of(head_of_row(h, w->qkv, t0, h->h), h->z.row),
                 rows_of(w->dout + at * D, H * D), n);
    for (int64_t j0 = 0; j0 < t0 + n; j0 += KEYS_MAX) {
        const int64_t panels = panels_seen(t0, j0);
        for (int64_t p = 0; p < panels; p++)
            panel_backward(h, &rows, t0, j0 + p * KEYS, p);
        tile_sums(h, h->x.k_depth, j0, panels);
    }
    for (int64_t i = 0; i < n; i++)
        store_row((bf16 *)head_of_row(h, w->dqkv, t0 + i, h->h), h, i, h->z.scale);
}

/* 16 keys of dk or dv, 32 numbers of a head from d on: transposed and rounded. */
ENGINE_INLINE void store_keys(bf16 *to, const struct head *h, const float *from,
                              int64_t d, int64_t keys, float factor)
{
    const __m512 f = _mm512_set1_ps(factor);
    __m512i half[2][VECTOR];
    for (int i = 0; i < 2; i++) {
#pragma GCC unroll 16
        for (int k = 0; k < VECTOR; k++)
            half[i][k] = _mm512_castps_si512(
                _mm512_mul_ps(f, _mm512_load_ps(from + i * TILE + k * KEYS)));
        transpose(half[i]);
    }
    for (int64_t k = 0; k < VECTOR && k < keys; k++)
        _mm512_mask_storeu_epi16(
            to + k * h->z.row + d, first_of_32(h->a->D - d),
            ROUND(_mm512_castsi512_ps(half[0][k]), _mm512_castsi512_ps(half[1][k])));
}

static void store_all_keys(bf16 *to, const struct head *h, const float *from,
                           float factor)
{
    for (int64_t j = 0; j < h->a->T; j += VECTOR)
        for (int64_t d = 0; d < h->a->D; d += KEYS)
            store_keys(to + j * h->z.row, h,
                       from + j / KEYS * KEYS * h->z.D + d * KEYS + j % KEYS, d,
                       h->a->T - j, factor);
}

/* All heads that share keys and values. */
static void group_backward(struct head *h, const struct backward *w, int64_t g)
{
    const struct attention *a = h->a;
    const int64_t share = a->H / a->G, values = a->G * a->D;
    const bf16 *k = head_of_row(h, w->qkv, 0, a->H + g);
    const struct lines keys = rows_of(k, h->z.row), deep = columns_of(k, h->z.row);
    const struct lines v = rows_of(k + values, h->z.row);
    pack_b(h->x.k_lines, &keys, a->T, a->D, h->z.D);
    pack_b(h->x.v_lines, &v, a->T, a->D, h->z.D);
    pack_b(h->x.k_depth, &deep, a->D, a->T, h->z.T);
    memset(h->x.dk, 0, (size_t)(2 * h->z.matrix) * sizeof(float)); /* and dv */
    for (h->h = g * share; h->h < (g + 1) * share; h->h++)
        for (int64_t t0 = 0; t0 < a->T; t0 += QUERIES)
            queries_backward(h, w, t0, a->T - t0 < QUERIES ? a->T - t0 : QUERIES);
    bf16 *to = (bf16 *)head_of_row(h, w->dqkv, 0, a->H + g);
    store_all_keys(to, h, h->x.dk, h->z.scale);
    store_all_keys(to + values, h, h->x.dv, 1);
}

static void amx_attention_backward(const struct attention *a, act *dqkv, void *scratch,
                                   const act *dout, const act *out, const act *qkv,
                                   const real *lse, const act *att)
{
    const struct attention_sizes z = attention_sizes(a);
    const struct backward w = {(bf16 *)dqkv, (const bf16 *)dout, (const bf16 *)out,
                               (const bf16 *)qkv, lse};
    (void)att;
#pragma omp parallel
    {
        struct head head = {a, z, scratch_of_this_thread(scratch, z), 0, 0};
        thread_begin();
#pragma omp for collapse(2) schedule(static)
        for (int64_t b = 0; b < a->B; b++)
            for (int64_t g = 0; g < a->G; g++) {
                head.b = b;
                group_backward(&head, &w, g);
            }
        thread_end();
    }
}

static int64_t amx_attention_kept(const struct attention *a)
{
    (void)a;
    return 0;
}

static const struct attention_ops attention_ops = {
    .scratch_bytes = amx_attention_scratch_bytes,
    .kept = amx_attention_kept,
    .forward = amx_attention_forward,
    .backward = amx_attention_backward,
};
