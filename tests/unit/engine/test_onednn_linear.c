/* Linears by oneDNN against the reference, for odd sizes and several thread counts. */
#include "engine/engine.h"
#include "engine/ref_kernels.h"
#include "kernel_fixture.h"

static void compare(const real *x, const real *expected, int64_t n)
{
    double *wide = mem_alloc((size_t)n * sizeof *wide);
    for (int64_t i = 0; i < n; i++)
        wide[i] = expected[i];
    assert_near(x, wide, n);
    mem_free(wide);
}

static void linear_case(const struct engine *onednn, int64_t M, int64_t N, int64_t K,
                        bool has_bias)
{
    struct linear l = {.M = M, .N = N, .K = K, .has_bias = has_bias};
    struct linear plain = l;
    struct err err = ERR_INIT;
    real *x = random_reals(M * K, 1), *w = random_reals(N * K, 2);
    real *b = has_bias ? random_reals(N, 3) : NULL, *dy = random_reals(M * N, 4);
    real *y[2] = {random_reals(M * N, 5), random_reals(M * N, 6)};
    real *dx[2] = {random_reals(M * K, 5), random_reals(M * K, 6)};
    real *dw[2] = {random_reals(N * K, 5), random_reals(N * K, 6)};
    real *db[2] = {random_reals(N, 5), random_reals(N, 6)};
    assert_int_equal(linear_open(onednn, &l, &err), STATUS_OK);
    l.workspace = mem_alloc(l.workspace_bytes);
    ref_linear_forward(&plain, y[0], x, w, b);
    op_linear_forward(onednn, &l, y[1], x, w, b);
    compare(y[1], y[0], M * N);
    ref_linear_backward_input(&plain, dx[0], dy, w);
    op_linear_backward_input(onednn, &l, dx[1], dy, w);
    compare(dx[1], dx[0], M * K);
    for (int accumulate = 0; accumulate < 2; accumulate++) {
        ref_linear_backward_weight(&plain, dw[0], has_bias ? db[0] : NULL, dy, x,
                                   accumulate);
        op_linear_backward_weight(onednn, &l, dw[1], has_bias ? db[1] : NULL, dy, x,
                                  accumulate);
        compare(dw[1], dw[0], N * K);
        if (has_bias)
            compare(db[1], db[0], N);
    }
    mem_free(l.workspace);
    linear_close(onednn, &l);
    void *all[] = {x, w, b, dy, y[0], y[1], dx[0], dx[1], dw[0], dw[1], db[0], db[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
}

static void onednn_equals_the_reference(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1},      {3, 5, 7},     {17, 33, 129},
                                       {64, 384, 128}, {130, 65, 97}, {2, 1, 300}};
    struct engine onednn;
    struct err err = ERR_INIT;
    assert_int_equal(engine_init(&onednn, "onednn", &err), STATUS_OK);
    for (int threads = 1; threads <= 3; threads++) {
        engine_set_threads(threads);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            linear_case(&onednn, sizes[i][0], sizes[i][1], sizes[i][2], true);
            linear_case(&onednn, sizes[i][0], sizes[i][1], sizes[i][2], false);
        }
    }
}

static void unknown_engine_is_an_error_that_names_the_known(void **state)
{
    (void)state;
    struct engine e;
    struct err err = ERR_INIT;
    assert_int_equal(engine_init(&e, "abacus", &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "onednn"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(onednn_equals_the_reference),
        cmocka_unit_test(unknown_engine_is_an_error_that_names_the_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
