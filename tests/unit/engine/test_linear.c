/* The reference's linears against the definition of a matrix product. */
#include "linear_fixture.h"

static void the_reference_is_the_matrix_product(void **state)
{
    (void)state;
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        for (size_t i = 0; i < COUNT(LINEAR_CASES); i++) {
            check_linear(&e, &LINEAR_CASES[i], true);
            check_linear(&e, &LINEAR_CASES[i], false);
        }
    }
}

/* More columns than one pass of the input's gradient takes (256). */
static void many_columns_are_the_matrix_product_too(void **state)
{
    (void)state;
    const struct linear_case wide = {3, 7, 517, 1, {7}};
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        check_linear(&e, &wide, true);
    }
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    (void)state;
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        for (size_t i = 0; i < COUNT(LINEAR_CASES); i++) {
            struct pool pool = {.n = 0};
            struct linear l = linear_of(&pool, &e, &LINEAR_CASES[i], true);
            struct linear_data d = linear_data(&pool, &e, &l);
            assert_same_for_any_threads(
                &d.y, op_linear_forward(&e, &l, d.y.a, d.x.a, d.w.a, d.b.r));
            assert_same_for_any_threads(
                &d.dx, op_linear_backward_input(&e, &l, d.dx.a, d.dy.a, d.w.a));
            assert_same_for_any_threads(
                &d.dw, e.ops.linear_backward_weight(&l, d.dw.r, d.dy.a, d.x.a, false));
            assert_same_for_any_threads(
                &d.db, e.ops.bias_backward(d.db.r, d.dy.a, l.M, l.N, false));
            linear_close(&e, &l);
            pool_release(&pool);
        }
    }
}

/* The reference has one order of summing, whatever the parts. */
static void parts_change_no_bit_of_the_reference(void **state)
{
    (void)state;
    struct linear_case parts = {13, 67, 17, 3, {33, 17, 17}}, whole = parts;
    whole.n_parts = 1;
    whole.part[0] = whole.N;
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        struct pool pool = {.n = 0};
        struct linear l[] = {linear_of(&pool, &e, &parts, true),
                             linear_of(&pool, &e, &whole, true)};
        struct linear_data d[] = {linear_data(&pool, &e, &l[0]),
                                  linear_data(&pool, &e, &l[1])};
        for (int i = 0; i < 2; i++) {
            op_linear_forward(&e, &l[i], d[i].y.a, d[i].x.a, d[i].w.a, d[i].b.r);
            op_linear_backward_input(&e, &l[i], d[i].dx.a, d[i].dy.a, d[i].w.a);
        }
        assert_memory_equal(d[0].y.a, d[1].y.a, tensor_bytes(&d[0].y));
        assert_memory_equal(d[0].dx.a, d[1].dx.a, tensor_bytes(&d[0].dx));
        linear_close(&e, &l[0]);
        linear_close(&e, &l[1]);
        pool_release(&pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_the_matrix_product),
        cmocka_unit_test(many_columns_are_the_matrix_product_too),
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
        cmocka_unit_test(parts_change_no_bit_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
