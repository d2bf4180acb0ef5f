/* Linears by oneDNN against the definition of a matrix product, for odd sizes and several
 * thread counts. */
#include "linear_fixture.h"

static void onednn_is_the_matrix_product(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        engine_set_threads(threads);
        for (size_t p = 0; p < COUNT(PRECISIONS); p++) {
            struct engine e = engine_of("onednn", PRECISIONS[p], "plain");
            for (size_t i = 0; i < COUNT(LINEAR_CASES); i++) {
                check_linear(&e, &LINEAR_CASES[i], true);
                check_linear(&e, &LINEAR_CASES[i], false);
            }
        }
    }
}

/* A model opens its linears before it knows where their operands are, and moves them. */
static void a_linear_reads_where_it_is_told_each_time(void **state)
{
    (void)state;
    const struct linear_case c = {13, 67, 17, 3, {33, 17, 17}};
    struct pool pool = {.n = 0};
    struct engine e = engine_of("onednn", "f32", "plain");
    struct linear l = linear_of(&pool, &e, &c, true);
    struct linear_data first = linear_data(&pool, &e, &l);
    struct linear_data second = linear_data(&pool, &e, &l);
    for (int64_t i = 0; i < second.x.n; i++)
        tensor_set(&second.x, i, 2 * second.x.x[i]);
    for (int64_t i = 0; i < second.b.n; i++)
        tensor_set(&second.b, i, 2 * second.b.x[i]);
    op_linear_forward(&e, &l, first.y.a, first.x.a, first.w.a, first.b.r);
    op_linear_forward(&e, &l, second.y.a, second.x.a, second.w.a, second.b.r);
    for (int64_t i = 0; i < first.y.n; i++)
        assert_true(second.y.r[i] == 2 * first.y.r[i]);
    linear_close(&e, &l);
    pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(onednn_is_the_matrix_product),
        cmocka_unit_test(a_linear_reads_where_it_is_told_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
