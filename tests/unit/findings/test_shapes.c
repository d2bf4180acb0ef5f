/* Shapes as a run has them, and what operators are by their names. */
#include "cmocka_setup.h"

#include "evidence/op_sort.h"
#include "evidence/shapes.h"

#include <stdio.h>

static void tensors_lists_and_nothing_are_told_apart(void **state)
{
    (void)state;
    struct shapes s;
    assert_true(shapes_read(&s, "[[64,128],[],[[2,3],[4]]]"));
    assert_int_equal(s.n, 3);
    assert_int_equal(s.in[0].rank, 2);
    assert_int_equal(s.in[0].dim[1], 128);
    assert_float_equal(s.in[0].numbers, 8192, 0);
    assert_int_equal(s.in[1].rank, 0);
    assert_int_equal(s.in[2].tensors, 2);
    assert_float_equal(s.in[2].numbers, 10, 0);
}

static void what_is_not_understood_has_no_inputs(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "[",
                                        "[[",
                                        "[[1",
                                        "[[1,",
                                        "[[1,]]",
                                        "[[1]",
                                        "[[-1]]",
                                        "[[a]]",
                                        "[[1],[2",
                                        "[[[1],[2]",
                                        "64,128",
                                        "[[99999999999999999999]]",
                                        "[[1,1,1,1,1,1,1,1,1]]",
                                        "[[[[1]]]]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct shapes s;
        double of, all;
        struct shape one = {.rank = 1, .dim = {1}, .numbers = 1};
        assert_false(shapes_read(&s, texts[i]));
        assert_int_equal(s.n, 0);
        assert_false(shapes_share(texts[i], &one, &of, &all));
    }
}

static void an_order_of_dimensions_is_another_when_it_differs(void **state)
{
    (void)state;
    struct shapes s;
    assert_true(shapes_read(&s, "[[2,3,4],[4,2,3],[2,3,4],[2,3,3],[4,2]]"));
    assert_true(shape_permuted(&s.in[0], &s.in[1]));
    assert_false(shape_permuted(&s.in[0], &s.in[2]));
    assert_false(shape_permuted(&s.in[0], &s.in[3]));
    assert_false(shape_permuted(&s.in[0], &s.in[4]));
    assert_true(shape_equal(&s.in[0], &s.in[2]));
}

static void a_tensors_share_of_a_list_is_by_its_numbers(void **state)
{
    (void)state;
    struct shape table = {.rank = 2, .dim = {100, 4}, .numbers = 400};
    double of, all;
    assert_true(shapes_share("[[[100,4],[10,10],[100,4]],[[1]]]", &table, &of, &all));
    assert_float_equal(of, 800, 0);
    assert_float_equal(all, 900, 0);
    assert_false(shapes_share("[[100,4],[10,10]]", &table, &of, &all));
}

static void operators_are_what_their_names_say(void **state)
{
    (void)state;
    assert_true(op_sort_of("aten::add_") & OP_SORT_POINTWISE);
    assert_true(op_sort_of("aten::linear") & OP_SORT_PRODUCT);
    assert_true(op_sort_of("aten::linear") & OP_SORT_FORWARD);
    assert_false(op_sort_of("aten::mm") & OP_SORT_FORWARD);
    assert_true(op_sort_of("aten::t") & OP_SORT_VIEW);
    assert_true(op_sort_of("aten::__or__") & OP_SORT_POINTWISE);
    assert_true(op_sort_of("aten::bernoulli_") & OP_SORT_RANDOM);
    static const char *const unknown[] = {
        "",         "add",       "aten::",  "aten::_", "aten::ad", "aten::add mul",
        "aten::  ", "mine::add", "aten::__"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(op_sort_of(unknown[i]), 0);
    char name[300];
    snprintf(name, sizeof name, "aten::%0250d", 1);
    assert_int_equal(op_sort_of(name), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_lists_and_nothing_are_told_apart),
        cmocka_unit_test(what_is_not_understood_has_no_inputs),
        cmocka_unit_test(an_order_of_dimensions_is_another_when_it_differs),
        cmocka_unit_test(a_tensors_share_of_a_list_is_by_its_numbers),
        cmocka_unit_test(operators_are_what_their_names_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
