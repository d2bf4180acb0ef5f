/* Cross-entropy against its definition. */
#include "kernel_fixture.h"

static const int64_t VOCABS[] = {1, 2, 11, 65, 257, 1001};
enum { M = 7 };

struct loss_data {
    int64_t V;
    struct tensor logits, loss, softmax, dlogits;
    int32_t target[M];
};

/* Logits as large as those of a confident model, some targets not scored. */
static struct loss_data loss_data(struct pool *pool, const struct engine *e, int64_t V)
{
    struct loss_data d = {
        .V = V,
        .logits = tensor_random(pool, e->bf16, M * V, (uint64_t)V),
        .loss = tensor_empty(pool, false, M),
        .softmax = tensor_empty(pool, false, 2 * M),
        .dlogits = tensor_empty(pool, e->bf16, M * V),
    };
    for (int64_t i = 0; i < M * V; i++)
        tensor_set(&d.logits, i, d.logits.x[i] * 30);
    for (int m = 0; m < M; m++)
        d.target[m] = m % 3 == 1 ? -1 : (int32_t)((m * 37 + 3) % V);
    return d;
}

static double log_of_sum(const double *x, int64_t V)
{
    long double sum = 0;
    for (int64_t v = 0; v < V; v++)
        sum += expl((long double)x[v]);
    return (double)logl(sum);
}

/* With each kind of loops and each vocabulary. */
static void with_all(void (*check)(const struct engine *e, int64_t V))
{
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);)
        for (size_t i = 0; i < COUNT(VOCABS); i++)
            check(&e, VOCABS[i]);
}

static void check_losses(const struct engine *e, int64_t V)
{
    struct pool pool = {.n = 0};
    struct loss_data d = loss_data(&pool, e, V);
    struct sums loss = sums_new(&pool, M), lse = sums_new(&pool, M);
    for (int m = 0; m < M; m++) {
        const double *x = d.logits.x + m * d.V;
        double sum = log_of_sum(x, d.V);
        sums_add(lse, m, sum);
        lse.size[m] += 30 + 1; /* the largest logit was taken off and added again */
        if (d.target[m] < 0)
            continue;
        sums_add(loss, m, sum);
        sums_add(loss, m, -x[d.target[m]]);
        loss.size[m] += 30 + 1;
    }
    op_cross_entropy_forward(e, d.loss.r, d.softmax.r, d.logits.a, d.target, M, d.V);
    struct tensor found = tensor_empty(&pool, false, M);
    for (int m = 0; m < M; m++)
        found.r[m] = (real)(d.softmax.r[2 * m] - log(d.softmax.r[2 * m + 1]));
    assert_sums(&found, lse);
    assert_sums(&d.loss, loss);
    for (int m = 0; m < M; m++)
        assert_true(d.target[m] >= 0 || d.loss.r[m] == 0);
    pool_release(&pool);
}

static void losses_are_the_definition(void **state)
{
    (void)state;
    with_all(check_losses);
}

static void check_gradients(const struct engine *e, int64_t V)
{
    const double scale = 0.125;
    struct pool pool = {.n = 0};
    struct loss_data d = loss_data(&pool, e, V);
    struct sums want = sums_new(&pool, M * d.V);
    for (int64_t k = 0; k < M * d.V; k++) {
        int64_t m = k / d.V;
        double lse = log_of_sum(d.logits.x + m * d.V, d.V);
        double p = exp(d.logits.x[k] - lse);
        if (d.target[m] < 0)
            continue;
        sums_add(want, k, scale * p);
        sums_add(want, k, k % d.V == d.target[m] ? -scale : 0);
        want.size[k] += scale * p * (fabs(d.logits.x[k]) + fabs(lse) + 30);
    }
    op_cross_entropy_forward(e, d.loss.r, d.softmax.r, d.logits.a, d.target, M, d.V);
    op_cross_entropy_backward(e, d.dlogits.a, d.logits.a, d.softmax.r, d.target,
                              (real)scale, M, d.V);
    assert_sums(&d.dlogits, want);
    op_cross_entropy_backward(e, d.logits.a, d.logits.a, d.softmax.r, d.target,
                              (real)scale, M, d.V);
    assert_memory_equal(d.logits.a, d.dlogits.a, tensor_bytes(&d.dlogits));
    pool_release(&pool);
}

static void gradients_are_the_definition(void **state)
{
    (void)state;
    with_all(check_gradients);
}

/* The gradient of a softmax sums to 0 over the vocabulary. */
static void gradients_of_a_row_cancel(void **state)
{
    (void)state;
    struct engine e = engine_of("reference", "f32", "plain");
    struct pool pool = {.n = 0};
    struct loss_data d = loss_data(&pool, &e, 1001);
    op_cross_entropy_forward(&e, d.loss.r, d.softmax.r, d.logits.a, d.target, M, d.V);
    op_cross_entropy_backward(&e, d.dlogits.a, d.logits.a, d.softmax.r, d.target, 1, M,
                              d.V);
    tensor_read(&d.dlogits);
    for (int m = 0; m < M; m++) {
        double sum = 0;
        for (int64_t v = 0; v < d.V; v++)
            sum += d.dlogits.x[m * d.V + v];
        assert_true(fabs(sum) < 60 * F32_UNIT);
    }
    pool_release(&pool);
}

static void extreme_logits_stay_finite_and_a_nan_stays(void **state)
{
    struct engine e;
    (void)state;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        struct pool pool = {.n = 0};
        struct loss_data d = loss_data(&pool, &e, 65);
        int32_t target[M] = {0, 1, 2, 3, 4, 5, 6};
        for (int64_t v = 0; v < 65; v++) {
            tensor_set(&d.logits, v, v == 0 ? 1e30 : -1e30);
            tensor_set(&d.logits, 65 + v, v == 0 ? 1e30 : -1e30);
        }
        tensor_set(&d.logits, 3 * 65 + 7, 3e38);
        if (e.bf16)
            d.logits.bits[2 * 65 + 64] = 0x7fc0; /* NaN */
        else
            d.logits.r[2 * 65 + 64] = NAN;
        op_cross_entropy_forward(&e, d.loss.r, d.softmax.r, d.logits.a, target, M, 65);
        assert_true(d.loss.r[0] == 0);
        assert_true(d.loss.r[1] > 1.9e30f && isfinite(d.loss.r[1]));
        assert_true(isnan(d.loss.r[2]));
        assert_true(d.loss.r[3] > 2.9e38f);
        for (int m = 4; m < M; m++)
            assert_true(isfinite(d.loss.r[m]));
        pool_release(&pool);
    }
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    (void)state;
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        struct pool pool = {.n = 0};
        struct loss_data d = loss_data(&pool, &e, 257);
#define RUN()                                                                            \
    op_cross_entropy_forward(&e, d.loss.r, d.softmax.r, d.logits.a, d.target, M, d.V),   \
        op_cross_entropy_backward(&e, d.dlogits.a, d.logits.a, d.softmax.r, d.target, 1, \
                                  M, d.V)
        assert_same_for_any_threads(&d.loss, RUN());
        assert_same_for_any_threads(&d.softmax, RUN());
        assert_same_for_any_threads(&d.dlogits, RUN());
        pool_release(&pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_the_definition),
        cmocka_unit_test(gradients_are_the_definition),
        cmocka_unit_test(gradients_of_a_row_cancel),
        cmocka_unit_test(extreme_logits_stay_finite_and_a_nan_stays),
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
