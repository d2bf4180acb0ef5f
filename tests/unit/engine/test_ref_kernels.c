/*
 * Each reference kernel against a formula written down independently, in double and in
 * the most naive way, for odd sizes; and bit by bit the same for any number of threads.
 */
#include "engine/ref_kernels.h"
#include "kernel_fixture.h"

enum { B = 3, T = 7, H = 3, D = 5, C = H * D, V = 11, M = B * T };

static void exponential_is_right_to_a_few_units_in_the_last_place(void **state)
{
    (void)state;
    for (double x = -86; x < 88; x += 0.0137) {
        double expected = exp((double)(real)x);
        assert_true(fabs((double)real_exp((real)x) / expected - 1) < 4e-7);
    }
    assert_true(isnan(real_exp(NAN)));
    assert_true(real_exp(-1e30f) < 1e-37f);
    assert_true(isfinite(real_exp(1e30f)));
}

static void linear_case(int64_t rows, int64_t N, int64_t K)
{
    struct linear l = {.M = rows, .N = N, .K = K, .has_bias = true};
    real *x = random_reals(rows * K, 1), *w = random_reals(N * K, 2);
    real *b = random_reals(N, 3), *dy = random_reals(rows * N, 4);
    real *y = random_reals(rows * N, 5), *dx = random_reals(rows * K, 6);
    real *dw = random_reals(N * K, 7), *db = random_reals(N, 8);
    double *ey = mem_zalloc((size_t)(rows * N), sizeof *ey);
    double *edx = mem_zalloc((size_t)(rows * K), sizeof *edx);
    double *edw = mem_zalloc((size_t)(N * K), sizeof *edw);
    double *edb = mem_zalloc((size_t)N, sizeof *edb);
    for (int64_t m = 0; m < rows; m++) {
        for (int64_t n = 0; n < N; n++) {
            ey[m * N + n] = b[n];
            edb[n] += dy[m * N + n];
            for (int64_t k = 0; k < K; k++) {
                ey[m * N + n] += (double)x[m * K + k] * w[n * K + k];
                edx[m * K + k] += (double)dy[m * N + n] * w[n * K + k];
                edw[n * K + k] += (double)dy[m * N + n] * x[m * K + k];
            }
        }
    }
    assert_same_for_any_threads(y, rows * N, ref_linear_forward(&l, y, x, w, b));
    assert_near(y, ey, rows * N);
    assert_same_for_any_threads(dx, rows * K, ref_linear_backward_input(&l, dx, dy, w));
    assert_near(dx, edx, rows * K);
    assert_same_for_any_threads(dw, N * K,
                                ref_linear_backward_weight(&l, dw, db, dy, x, false));
    assert_near(dw, edw, N * K);
    assert_same_for_any_threads(db, N, ref_bias_backward(db, dy, rows, N, false));
    assert_near(db, edb, N);

    ref_linear_backward_weight(&l, dw, db, dy, x, true);
    for (int64_t i = 0; i < N * K; i++)
        edw[i] *= 2;
    for (int64_t i = 0; i < N; i++)
        edb[i] *= 2;
    assert_near(dw, edw, N * K);
    assert_near(db, edb, N);
    void *all[] = {x, w, b, dy, y, dx, dw, db, ey, edx, edw, edb};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
}

static void linear_is_the_matrix_product(void **state)
{
    (void)state;
    linear_case(1, 1, 1);
    linear_case(5, 67, 3);
    linear_case(13, 33, 17);
    linear_case(2, 1, 129);
}

static void embedding_adds_token_and_position(void **state)
{
    (void)state;
    int32_t *tokens = random_tokens(M, V, 1);
    real *wte = random_reals(V * C, 2), *wpe = random_reals(T * C, 3);
    real *out = random_reals(M * C, 4), *dout = random_reals(M * C, 5);
    real *before = random_reals(V * C, 6), *dwte = random_reals(V * C, 6);
    real *dwpe = random_reals(T * C, 7);
    double eout[M * C], edwte[V * C], edwpe[T * C] = {0};
    for (int i = 0; i < V * C; i++)
        edwte[i] = before[i];
    for (int m = 0; m < M; m++) {
        for (int c = 0; c < C; c++) {
            eout[m * C + c] = (double)wte[tokens[m] * C + c] + wpe[m % T * C + c];
            edwte[tokens[m] * C + c] += dout[m * C + c];
            edwpe[m % T * C + c] += dout[m * C + c];
        }
    }
    assert_same_for_any_threads(out, M * C,
                                ref_embedding_forward(out, tokens, wte, wpe, B, T, C));
    assert_near(out, eout, M * C);
    assert_same_for_any_threads(dwte, V * C, {
        memcpy(dwte, before, V * C * sizeof *dwte);
        ref_embedding_backward(dwte, dwpe, dout, tokens, B, T, C, false);
    });
    assert_near(dwte, edwte, V * C);
    assert_near(dwpe, edwpe, T * C);
    void *all[] = {tokens, wte, wpe, out, dout, before, dwte, dwpe};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
}

/* Mean over the width of a row's f(c). */
static double row_mean(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

static void layernorm_case(int64_t rows, int64_t width, bool accumulate_dx)
{
    real *x = random_reals(rows * width, 1), *gamma = random_reals(width, 2);
    real *beta = random_reals(width, 3), *dout = random_reals(rows * width, 4);
    real *out = random_reals(rows * width, 5), *mean = random_reals(rows, 6);
    real *rstd = random_reals(rows, 7), *dgamma = random_reals(width, 8);
    real *dbeta = random_reals(width, 9), *before = random_reals(rows * width, 10);
    real *dx = random_reals(rows * width, 10);
    size_t cells = (size_t)(rows * width);
    double *eout = mem_zalloc(cells, sizeof *eout), *edx = mem_zalloc(cells, sizeof *edx);
    double *edg = mem_zalloc((size_t)width, sizeof *edg);
    double *edb = mem_zalloc((size_t)width, sizeof *edb);
    double *g = mem_zalloc((size_t)width, sizeof *g);
    double *gn = mem_zalloc((size_t)width, sizeof *gn);
    for (int64_t m = 0; m < rows; m++) {
        double mu = 0, var = 0;
        for (int64_t c = 0; c < width; c++)
            mu += (double)x[m * width + c] / (double)width;
        for (int64_t c = 0; c < width; c++)
            var += (x[m * width + c] - mu) * (x[m * width + c] - mu) / (double)width;
        double scale = 1 / sqrt(var + 1e-5);
        for (int64_t c = 0; c < width; c++) {
            double n = (x[m * width + c] - mu) * scale;
            eout[m * width + c] = gamma[c] * n + beta[c];
            edg[c] += dout[m * width + c] * n;
            edb[c] += dout[m * width + c];
            g[c] = (double)gamma[c] * dout[m * width + c];
            gn[c] = g[c] * n;
        }
        for (int64_t c = 0; c < width; c++) {
            double n = (x[m * width + c] - mu) * scale;
            edx[m * width + c] =
                scale * (g[c] - row_mean(g, width) - n * row_mean(gn, width));
            edx[m * width + c] += accumulate_dx ? before[m * width + c] : 0;
        }
    }
    assert_same_for_any_threads(
        out, rows * width,
        ref_layernorm_forward(out, mean, rstd, x, gamma, beta, rows, width));
    assert_near(out, eout, rows * width);
    assert_same_for_any_threads(dx, rows * width, {
        memcpy(dx, before, cells * sizeof *dx);
        ref_layernorm_backward(dx, dgamma, dbeta, dout, x, gamma, mean, rstd, rows, width,
                               accumulate_dx, false);
    });
    assert_near(dx, edx, rows * width);
    assert_near(dgamma, edg, width);
    assert_near(dbeta, edb, width);
    ref_layernorm_backward(dx, dgamma, NULL, dout, x, gamma, mean, rstd, rows, width,
                           accumulate_dx, true);
    for (int64_t c = 0; c < width; c++)
        edg[c] *= 2;
    assert_near(dgamma, edg, width);
    void *all[] = {x,      gamma, beta, dout, out, mean, rstd, dgamma, dbeta,
                   before, dx,    eout, edx,  edg, edb,  g,    gn};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
}

static void layernorm_centres_scales_and_differentiates(void **state)
{
    (void)state;
    layernorm_case(5, 37, true);
    layernorm_case(13, 129, false);
    layernorm_case(1, 2, true);
}

/* s, p and out as the header of ref_attention.c defines them, and their derivatives. */
static void naive_attention(const real *qkv, const real *dout, double *out, double *dqkv)
{
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < H; h++) {
            for (int t = 0; t < T; t++) {
                double p[T], dp[T], total = 0, weighted = 0;
#define AT(part, token, d) (((b * T + (token)) * 3 + (part)) * C + h * D + (d))
#define OUT(d) ((b * T + t) * C + h * D + (d))
                for (int u = 0; u <= t; u++) {
                    double s = 0;
                    for (int d = 0; d < D; d++)
                        s += (double)qkv[AT(0, t, d)] * qkv[AT(1, u, d)];
                    p[u] = exp(s / sqrt(D));
                    total += p[u];
                }
                for (int u = 0; u <= t; u++) {
                    p[u] /= total;
                    dp[u] = 0;
                    for (int d = 0; d < D; d++) {
                        out[OUT(d)] += p[u] * qkv[AT(2, u, d)];
                        dp[u] += (double)dout[OUT(d)] * qkv[AT(2, u, d)];
                        dqkv[AT(2, u, d)] += p[u] * dout[OUT(d)];
                    }
                    weighted += p[u] * dp[u];
                }
                for (int u = 0; u <= t; u++) {
                    double ds = p[u] * (dp[u] - weighted) / sqrt(D);
                    for (int d = 0; d < D; d++) {
                        dqkv[AT(0, t, d)] += ds * qkv[AT(1, u, d)];
                        dqkv[AT(1, u, d)] += ds * qkv[AT(0, t, d)];
                    }
                }
            }
        }
    }
}

static void attention_sees_only_the_past(void **state)
{
    (void)state;
    enum { CELLS = M * C };
    real *qkv = random_reals(3 * CELLS, 1), *dout = random_reals(CELLS, 2);
    real *out = random_reals(CELLS, 3), *dqkv = random_reals(3 * CELLS, 4);
    real *att = random_reals(B * H * T * T, 5);
    real *scratch = random_reals(B * H * (D + 1) * T, 6);
    double *eout = mem_zalloc(CELLS, sizeof *eout);
    double *edqkv = mem_zalloc(3 * CELLS, sizeof *edqkv);
    naive_attention(qkv, dout, eout, edqkv);
    assert_same_for_any_threads(
        out, CELLS, ref_attention_forward(out, att, scratch, qkv, B, T, C, H));
    assert_near(out, eout, CELLS);
    assert_same_for_any_threads(
        dqkv, 3 * CELLS,
        ref_attention_backward(dqkv, scratch, dout, qkv, att, B, T, C, H));
    assert_near(dqkv, edqkv, 3 * CELLS);
    void *all[] = {qkv, dout, out, dqkv, att, scratch, eout, edqkv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
}

static double naive_gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

static void gelu_and_residual_are_elementwise(void **state)
{
    (void)state;
    enum { N = 1031 };
    real *x = random_reals(N, 1), *d = random_reals(N, 2), *out = random_reals(N, 3);
    real *dx = random_reals(N, 4), *sum = random_reals(N, 5);
    double eout[N], edx[N], esum[N];
    for (int i = 0; i < N; i++) {
        x[i] *= 6;
        eout[i] = naive_gelu(x[i]);
        edx[i] = d[i] * (naive_gelu(x[i] + 1e-6) - naive_gelu(x[i] - 1e-6)) / 2e-6;
        esum[i] = (double)x[i] + d[i];
    }
    assert_same_for_any_threads(out, N, ref_gelu_forward(out, x, N));
    assert_near(out, eout, N);
    assert_same_for_any_threads(dx, N, ref_gelu_backward(dx, d, x, N));
    assert_near(dx, edx, N);
    assert_same_for_any_threads(sum, N, ref_residual_add(sum, x, d, N));
    assert_near(sum, esum, N);
    void *all[] = {x, d, out, dx, sum};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
}

static void cross_entropy_skips_targets_below_zero(void **state)
{
    (void)state;
    int32_t *targets = random_tokens(M, V, 1);
    real *logits = random_reals(M * V, 2), *dlogits = random_reals(M * V, 3);
    real *loss = random_reals(M, 4), *lse = random_reals(M, 5);
    double eloss[M] = {0}, ed[M * V] = {0};
    const double scale = 0.37;
    targets[4] = -1;
    for (int m = 0; m < M; m++) {
        double total = 0;
        for (int v = 0; v < V; v++) {
            logits[m * V + v] *= 9;
            total += exp(logits[m * V + v]);
        }
        for (int v = 0; v < V && targets[m] >= 0; v++)
            ed[m * V + v] = scale * (exp(logits[m * V + v]) / total - (v == targets[m]));
        if (targets[m] >= 0)
            eloss[m] = log(total) - logits[m * V + targets[m]];
    }
    assert_same_for_any_threads(
        loss, M, ref_cross_entropy_forward(loss, lse, logits, targets, M, V));
    assert_near(loss, eloss, M);
    assert_same_for_any_threads(
        dlogits, M * V,
        ref_cross_entropy_backward(dlogits, logits, lse, targets, (real)scale, M, V));
    assert_near(dlogits, ed, M * V);
    void *all[] = {targets, logits, dlogits, loss, lse};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_is_right_to_a_few_units_in_the_last_place),
        cmocka_unit_test(linear_is_the_matrix_product),
        cmocka_unit_test(embedding_adds_token_and_position),
        cmocka_unit_test(layernorm_centres_scales_and_differentiates),
        cmocka_unit_test(attention_sees_only_the_past),
        cmocka_unit_test(gelu_and_residual_are_elementwise),
        cmocka_unit_test(cross_entropy_skips_targets_below_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
