/* Where parameters lie in their buffer. */
#include "cmocka_setup.h"
#include "engine/memory_plan.h"
#include "engine/param_table.h"

#include <string.h>

/* Numbers of f32 on a cache line. */
enum { LINE = TENSOR_ALIGN_BYTES / 4 };

static void vectors_come_first_and_everything_begins_on_a_cache_line(void **state)
{
    (void)state;
    struct param_table t;
    param_table_init(&t);
    param_table_add(&t, PARAM_INIT_NORMAL, 3, 7, false, "h.%d.weight", 2);
    param_table_add(&t, PARAM_INIT_ZERO, 5, 0, false, "bias");
    param_table_add(&t, PARAM_INIT_NORMAL, 2, LINE, false, "whole");
    param_table_add(&t, PARAM_INIT_ONE, LINE + 1, 0, false, "scale");
    param_table_layout(&t);
    assert_int_equal(t.param[1].offset, 0);
    assert_int_equal(t.param[3].offset, LINE);
    assert_int_equal(t.vectors, 3 * LINE);
    assert_int_equal(t.param[0].offset, 3 * LINE);
    assert_int_equal(t.param[2].offset, 5 * LINE); /* 21 numbers are two lines */
    assert_int_equal(t.total, 7 * LINE);
    assert_int_equal(t.count, 21 + 5 + 2 * LINE + LINE + 1);
    param_table_release(&t);
}

static void rows_say_what_they_are(void **state)
{
    (void)state;
    struct param_table t;
    param_table_init(&t);
    assert_int_equal(param_table_add(&t, PARAM_INIT_RESIDUAL, 3, 7, false, "h.%d.w", 2),
                     0);
    assert_int_equal(param_table_add(&t, PARAM_INIT_ONE, 5, 0, false, "scale"), 1);
    param_table_layout(&t);
    const struct param *matrix = param_table_find(&t, "h.2.w");
    const struct param *vector = param_table_find(&t, "scale");
    assert_ptr_equal(matrix, &t.param[0]);
    assert_ptr_equal(vector, &t.param[1]);
    assert_null(param_table_find(&t, "h.2"));
    assert_int_equal(matrix->dims, 2);
    assert_int_equal(matrix->shape[0], 3);
    assert_int_equal(matrix->shape[1], 7);
    assert_int_equal(matrix->n, 21);
    assert_true(matrix->decay && matrix->init == PARAM_INIT_RESIDUAL);
    assert_int_equal(vector->dims, 1);
    assert_int_equal(vector->shape[0], 5);
    assert_int_equal(vector->n, 5);
    assert_false(vector->decay);
    param_table_release(&t);
}

/* A fused linear reads q, k and v as one matrix: no number may lie between them. */
static void joined_matrices_lie_side_by_side(void **state)
{
    (void)state;
    struct param_table t;
    param_table_init(&t);
    param_table_add(&t, PARAM_INIT_NORMAL, 5, 3, false, "before");
    param_table_add(&t, PARAM_INIT_NORMAL, 3, 3, false, "q");
    param_table_add(&t, PARAM_INIT_NORMAL, 1, 3, true, "k");
    param_table_add(&t, PARAM_INIT_NORMAL, 1, 3, true, "v");
    param_table_add(&t, PARAM_INIT_NORMAL, 1, 3, false, "after");
    param_table_layout(&t);
    assert_int_equal(t.vectors, 0);
    assert_int_equal(t.param[1].offset, LINE);
    assert_int_equal(t.param[2].offset, LINE + 9);
    assert_int_equal(t.param[3].offset, LINE + 12);
    assert_int_equal(t.param[4].offset, 2 * LINE);
    assert_int_equal(t.total, 3 * LINE);
    param_table_release(&t);
}

static void sizes_beyond_64_bits_are_the_largest_number(void **state)
{
    (void)state;
    const int64_t vast[][2] = {{INT64_C(1) << 40, INT64_C(1) << 40},
                               {INT64_C(1) << 31, (INT64_C(1) << 32) - 1},
                               {INT64_MAX, 1},
                               {INT64_MAX, 0}};
    for (size_t i = 0; i < sizeof vast / sizeof *vast; i++) {
        struct param_table t;
        param_table_init(&t);
        param_table_add(&t, PARAM_INIT_NORMAL, 100, 0, false, "vector");
        param_table_add(&t, PARAM_INIT_NORMAL, vast[i][0], vast[i][1], false, "vast");
        for (int more = 0; more < 3; more++)
            param_table_add(&t, PARAM_INIT_NORMAL, INT64_C(1) << 31,
                            (INT64_C(1) << 30) - 1, false, "more %d", more);
        param_table_layout(&t);
        assert_int_equal(t.total, INT64_MAX);
        assert_int_equal(t.count, INT64_MAX);
        param_table_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_come_first_and_everything_begins_on_a_cache_line),
        cmocka_unit_test(rows_say_what_they_are),
        cmocka_unit_test(joined_matrices_lie_side_by_side),
        cmocka_unit_test(sizes_beyond_64_bits_are_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
