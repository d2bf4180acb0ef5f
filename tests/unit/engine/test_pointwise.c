/* e^x, GELU, SwiGLU, the residual sum and conversions against their definitions. */
#include "kernel_fixture.h"

static void exponential_is_right_to_a_few_units_in_the_last_place(void **state)
{
    (void)state;
    for (double x = -87; x < 88; x += 0.00137) {
        double want = exp((double)(real)x);
        assert_true(fabs((double)real_exp((real)x) / want - 1) < 4 * 0x1p-24);
    }
    assert_true(real_exp(0) == 1);
    assert_true(isnan(real_exp(NAN)));
    assert_true(real_exp(-1e30f) < 1e-37f && real_exp(-INFINITY) < 1e-37f);
    assert_true(isfinite(real_exp(1e30f)) && isfinite(real_exp(INFINITY)));
}

/* Numbers from -40 to 40, dense around 0 as those of a model are. */
static struct tensor steep_tensor(struct pool *pool, bool bf16, int64_t n, uint64_t seed)
{
    struct tensor t = tensor_random(pool, bf16, n, seed);
    for (int64_t i = 0; i < n; i++)
        tensor_set(&t, i, 40 * t.x[i] * t.x[i] * t.x[i]);
    return t;
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

static double slope(double (*f)(double), double x)
{
    const double h = 1e-4;
    double wide = (f(x + h) - f(x - h)) / (2 * h);
    double narrow = (f(x + h / 2) - f(x - h / 2)) / h;
    return (4 * narrow - wide) / 3;
}

enum { N = 4097 };

/* The exponent's rounding grows with its argument, at most 90: beyond, nothing is left of
 * the result, which is then below 1e-30. */
static void set_tail(struct sums s, int64_t i, double x)
{
    s.size[i] = fabs(s.value[i]) * 16 + fabs(x) * 1e-12 + 1e-9;
}

static void gelu_is_its_tanh_form(void **state)
{
    (void)state;
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        struct pool pool = {.n = 0};
        struct tensor x = steep_tensor(&pool, e.bf16, N, 1);
        struct tensor dout = tensor_random(&pool, e.bf16, N, 2);
        struct tensor out = tensor_empty(&pool, e.bf16, N);
        struct tensor dx = tensor_empty(&pool, e.bf16, N);
        struct sums want = sums_new(&pool, N), want_dx = sums_new(&pool, N);
        for (int64_t i = 0; i < N; i++) {
            want.value[i] = gelu(x.x[i]);
            want_dx.value[i] = dout.x[i] * slope(gelu, x.x[i]);
            set_tail(want, i, x.x[i]);
            want_dx.size[i] = fabs(dout.x[i]) * 4; /* slopes are below 1.13 */
        }
        assert_same_for_any_threads(&out, op_gelu_forward(&e, out.a, x.a, N));
        struct tensor again = tensor_empty(&pool, e.bf16, N);
        assert_same_for_any_threads(&dx,
                                    op_gelu_backward(&e, dx.a, again.a, dout.a, x.a, N));
        assert_memory_equal(again.a, out.a, tensor_bytes(&out));
        assert_sums(&out, want);
        assert_sums(&dx, want_dx);
        op_gelu_backward(&e, x.a, dout.a, dout.a, x.a, N); /* in place */
        assert_memory_equal(x.a, dx.a, tensor_bytes(&dx));
        assert_memory_equal(dout.a, out.a, tensor_bytes(&out));
        pool_release(&pool);
    }
}

static void swiglu_case(const struct engine *e, int64_t M, int64_t F)
{
    struct pool pool = {.n = 0};
    struct tensor gate_up = steep_tensor(&pool, e->bf16, M * 2 * F, 1);
    struct tensor dout = tensor_random(&pool, e->bf16, M * F, 2);
    struct tensor out = tensor_empty(&pool, e->bf16, M * F);
    struct tensor d = tensor_empty(&pool, e->bf16, M * 2 * F);
    struct sums want = sums_new(&pool, M * F), want_d = sums_new(&pool, M * 2 * F);
    for (int64_t i = 0; i < M * F; i++) {
        int64_t at = i / F * 2 * F + i % F;
        double gate = gate_up.x[at], up = gate_up.x[at + F];
        want.value[i] = silu(gate) * up;
        set_tail(want, i, gate * up);
        want_d.value[at] = dout.x[i] * up * slope(silu, gate);
        want_d.size[at] = fabs(dout.x[i] * up) * 4;
        want_d.value[at + F] = dout.x[i] * silu(gate);
        set_tail(want_d, at + F, gate);
    }
    assert_same_for_any_threads(&out, op_swiglu_forward(e, out.a, gate_up.a, M, F));
    struct tensor again = tensor_empty(&pool, e->bf16, M * F);
    assert_same_for_any_threads(
        &d, op_swiglu_backward(e, d.a, again.a, dout.a, gate_up.a, M, F));
    assert_memory_equal(again.a, out.a, tensor_bytes(&out));
    assert_sums(&out, want);
    assert_sums(&d, want_d);
    op_swiglu_backward(e, gate_up.a, dout.a, dout.a, gate_up.a, M, F); /* in place */
    assert_memory_equal(gate_up.a, d.a, tensor_bytes(&d));
    assert_memory_equal(dout.a, out.a, tensor_bytes(&out));
    pool_release(&pool);
}

static void swiglu_is_its_definition(void **state)
{
    (void)state;
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        swiglu_case(&e, 1, 1);
        swiglu_case(&e, 3, 7);
        swiglu_case(&e, 5, 129);
    }
}

/* A gate or an input far out gives the limit, and a NaN stays. */
static void check_far_out(const struct engine *e)
{
    struct pool pool = {.n = 0};
    struct tensor x = tensor_empty(&pool, e->bf16, 8),
                  d = tensor_empty(&pool, e->bf16, 8);
    struct tensor out = tensor_empty(&pool, e->bf16, 4);
    struct tensor dout = tensor_empty(&pool, e->bf16, 4);
    const double far = 1 << 20, inputs[] = {far, -far, NAN, 0, 2, 2, 2, 2};
    for (int i = 0; i < 8; i++)
        tensor_set(&x, i, inputs[i]);
    for (int i = 0; i < 4; i++)
        tensor_set(&dout, i, 1);
    op_gelu_forward(e, out.a, x.a, 4);
    op_gelu_backward(e, d.a, out.a, dout.a, x.a, 4);
    tensor_read(&out);
    tensor_read(&d);
    assert_true(out.x[0] == far && fabs(out.x[1]) < 1e-30 && isnan(out.x[2]));
    assert_true(out.x[3] == 0 && d.x[0] == 1 && fabs(d.x[1]) < 1e-20);
    assert_true(isnan(d.x[2]) && d.x[3] == 0.5);
    op_swiglu_forward(e, out.a, x.a, 1, 4);
    op_swiglu_backward(e, d.a, out.a, dout.a, x.a, 1, 4);
    tensor_read(&out);
    tensor_read(&d);
    assert_true(out.x[0] == 2 * far && fabs(out.x[1]) < 1e-30 && isnan(out.x[2]));
    assert_true(out.x[3] == 0 && d.x[0] == 2 && fabs(d.x[1]) < 1e-30);
    assert_true(isnan(d.x[2]) && d.x[3] == 1);
    pool_release(&pool);
}

static void far_out_is_the_limit(void **state)
{
    struct engine e;
    (void)state;
    for (size_t kind = 0; loops_engine(&e, &kind);)
        check_far_out(&e);
}

static void the_residual_sum_without_dropout_is_exact(void **state)
{
    (void)state;
    const struct dropout off = {.probability = 0};
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        struct pool pool = {.n = 0};
        struct tensor before = tensor_random(&pool, false, N, 1);
        struct tensor stream = tensor_random(&pool, false, N, 1);
        struct tensor branch = tensor_random(&pool, e.bf16, N, 2);
        struct tensor dbranch = tensor_empty(&pool, e.bf16, N);
        op_residual_add(&e, stream.r, branch.a, &off, N);
        op_residual_backward(&e, dbranch.a, before.r, &off, N);
        tensor_read(&dbranch);
        for (int64_t i = 0; i < N; i++) {
            assert_true(stream.r[i] == before.r[i] + (real)branch.x[i]);
            assert_true(dbranch.x[i] == (e.bf16 ? bf16_value(nearest_bf16(before.r[i]))
                                                : (double)before.r[i]));
        }
        op_dropout_stream(&e, before.r, &off, N); /* leaves it */
        for (int64_t i = 0; i < N; i++)
            assert_true((double)before.r[i] == before.x[i]);
        pool_release(&pool);
    }
}

static void conversions_round_once_and_come_back(void **state)
{
    (void)state;
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        struct pool pool = {.n = 0};
        struct tensor x = steep_tensor(&pool, false, N, 1);
        struct tensor a = tensor_empty(&pool, e.bf16, N);
        struct tensor back = tensor_empty(&pool, false, N);
        e.ops.act_from_real(a.a, x.r, N);
        e.ops.act_to_real(back.r, a.a, N);
        for (int64_t i = 0; i < N; i++) {
            double want = e.bf16 ? bf16_value(nearest_bf16(x.r[i])) : x.x[i];
            assert_true((double)back.r[i] == want);
        }
        pool_release(&pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_is_right_to_a_few_units_in_the_last_place),
        cmocka_unit_test(gelu_is_its_tanh_form),
        cmocka_unit_test(swiglu_is_its_definition),
        cmocka_unit_test(far_out_is_the_limit),
        cmocka_unit_test(the_residual_sum_without_dropout_is_exact),
        cmocka_unit_test(conversions_round_once_and_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
