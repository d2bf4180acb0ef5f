/* Each class on a small graph whose answer is known, and beside it what is nearly so. */
#include "flow_run.h"

static void nothing_watched_is_no_graph(void **state)
{
    (void)state;
    struct flow_run f;
    struct flow_graph g;
    flow_begin(&f);
    assert_false(flow_graph_init(&g, &f.run, 0));
    flow_done(&f);
}

/* A mask is made and applied; the product with the parameter moves it. */
static void a_mask_made_anew_is_invariant(void **state)
{
    (void)state;
    struct flow_run f;
    flow_begin(&f);
    int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
    for (int s = 0; s < STEPS; s++) {
        int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
        int32_t mask = flow_call(&f, "tril", flow_call(&f, "ones", -1, -1), -1);
        flow_train(&f, w, flow_call(&f, "mul", flow_call(&f, "apply", batch, mask), w));
    }
    for (int s = 0; s < STEPS; s++) {
        assert_int_equal(class_of(&f, "ones", s, 0), FLOW_CLASS_INVARIANT);
        assert_int_equal(class_of(&f, "tril", s, 0), FLOW_CLASS_INVARIANT);
        assert_int_equal(class_of(&f, "apply", s, 0), FLOW_CLASS_NONE);
        assert_int_equal(class_of(&f, "mul", s, 0), FLOW_CLASS_NONE);
    }
    flow_done(&f);
}

/* The same, but: other numbers in one step; other contents; something written into it. */
static void what_differs_is_not_invariant(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        struct flow_run f;
        flow_begin(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
            flow_op(&f, "full", OP_TRAIT_FACTORY | (how == 2 ? OP_TRAIT_RANDOM : 0),
                    how == 0 && s == 1 ? 7 : 3);
            int32_t mask = flow_make(&f, how == 1 && s == 1 ? 12 : 11);
            if (how == 3) {
                flow_op(&f, "mul_", 0, 0);
                flow_update(&f, mask);
                flow_read(&f, batch);
            }
            flow_train(&f, w, flow_call(&f, "mul", mask, w));
        }
        assert_int_equal(class_of(&f, "full", 0, 0), FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* Python's numbers as tensors are the same where their contents are. */
static void numbers_of_the_host_are_told_by_contents(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        struct flow_run f;
        flow_begin(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        for (int s = 0; s < STEPS; s++) {
            int32_t host = flow_tensor(&f, VALUE_SOURCE_HOST, 24);
            flow_op(&f, "exp", 0, 0);
            flow_use_of(&f, TENSOR_ROLE_READ, host, "[6]", same ? 5 : 5 + s);
            flow_train(&f, w, flow_make(&f, 0));
        }
        assert_int_equal(class_of(&f, "exp", 1, 0),
                         same ? FLOW_CLASS_INVARIANT : FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

static void what_is_done_twice_is_repeated_or_recomputed(void **state)
{
    (void)state;
    struct flow_run f;
    flow_begin(&f);
    flow_in_a_line(&f);
    int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
    for (int s = 0; s < STEPS; s++) {
        int32_t x = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
        int32_t a = flow_call(&f, "norm", x, -1), b = flow_call(&f, "norm", x, -1);
        int32_t y = flow_call(&f, "mm", a, w), other = flow_call(&f, "mm", b, w);
        f.backward = 1;
        int32_t z = flow_call(&f, "mm", a, w);
        int32_t sum = flow_call(&f, "add", flow_call(&f, "add", y, other), z);
        flow_train(&f, w, sum);
    }
    assert_int_equal(class_of(&f, "norm", 0, 0), FLOW_CLASS_NONE);
    assert_int_equal(class_of(&f, "norm", 0, 1), FLOW_CLASS_REPEATED);
    assert_int_equal(class_of(&f, "mm", 0, 0), FLOW_CLASS_NONE);
    assert_int_equal(class_of(&f, "mm", 0, 1), FLOW_CLASS_REPEATED); /* the same values */
    assert_int_equal(class_of(&f, "mm", 0, 2), FLOW_CLASS_RECOMPUTED);
    assert_int_equal(class_of(&f, "add", 0, 0), FLOW_CLASS_NONE);
    flow_done(&f);
}

/* Without lines autograd's own formulas look the same. */
static void nothing_is_recomputed_where_there_are_no_lines(void **state)
{
    (void)state;
    struct flow_run f;
    flow_begin(&f);
    int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
    for (int s = 0; s < STEPS; s++) {
        int32_t x = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
        int32_t y = flow_call(&f, "mm", x, w);
        f.backward = 1;
        flow_train(&f, w, flow_call(&f, "add", y, flow_call(&f, "mm", x, w)));
    }
    assert_int_equal(class_of(&f, "mm", 0, 1), FLOW_CLASS_NONE);
    flow_done(&f);
}

/* Between the two the parameter moves: they are not the same. */
static int32_t draw(struct flow_run *f, const char *shape, int64_t hash)
{
    int32_t drawn = flow_tensor(f, VALUE_SOURCE_RANDOM, 4096);
    flow_op(f, "rand", OP_TRAIT_RANDOM | OP_TRAIT_FACTORY, 0);
    flow_use_of(f, TENSOR_ROLE_MADE, drawn, shape, hash);
    return drawn;
}

/* Dropout that is computed again draws the same numbers; other numbers, or few that may
 * be the same by chance, are others. */
static void numbers_drawn_are_told_by_contents(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        int64_t second_hash;
        enum flow_class wanted;
    } cases[] = {{"[1024]", 9, FLOW_CLASS_RECOMPUTED},
                 {"[1024]", 8, FLOW_CLASS_NONE},
                 {"[8]", 9, FLOW_CLASS_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flow_run f;
        flow_begin(&f);
        flow_in_a_line(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        for (int s = 0; s < STEPS; s++) {
            int32_t x = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
            int64_t hash = 9 + 100 * s, again = cases[i].second_hash + 100 * s;
            int32_t y = flow_call(&f, "drop", x, draw(&f, cases[i].shape, hash));
            f.backward = 1;
            int32_t z = flow_call(&f, "drop", x, draw(&f, cases[i].shape, again));
            flow_train(&f, w, flow_call(&f, "add", y, z));
        }
        assert_int_equal(class_of(&f, "drop", 0, 1), cases[i].wanted);
        flow_done(&f);
    }
}

static void another_version_is_another_value(void **state)
{
    (void)state;
    struct flow_run f;
    flow_begin(&f);
    int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
    int32_t x = flow_tensor(&f, VALUE_SOURCE_BEFORE, 24);
    int32_t y = flow_call(&f, "mm", x, w);
    flow_op(&f, "add_", 0, 0);
    flow_update(&f, w);
    flow_read(&f, y);
    flow_train(&f, w, flow_call(&f, "mm", x, w));
    flow_train(&f, w, flow_call(&f, "mm", x, w));
    assert_int_equal(class_of(&f, "mm", 0, 1), FLOW_CLASS_NONE);
    assert_int_equal(class_of(&f, "mm", 1, 0), FLOW_CLASS_NONE);
    flow_done(&f);
}

/* A figure for the log, read by the host; and one that a buffer keeps. */
static void what_nothing_lasting_depends_on_is_unread(void **state)
{
    (void)state;
    struct flow_run f;
    flow_begin(&f);
    int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
    int32_t buffer = flow_tensor(&f, VALUE_SOURCE_BUFFER, 24);
    int32_t total = flow_tensor(&f, VALUE_SOURCE_BEFORE, 24);
    for (int s = 0; s < STEPS; s++) {
        int32_t y = flow_call(&f, "mm", flow_tensor(&f, VALUE_SOURCE_BATCH, 24), w);
        int32_t norm = flow_call(&f, "norm", y, -1);
        flow_op(&f, "item", OP_TRAIT_HOST_READ, 0);
        flow_read(&f, norm);
        int32_t mean = flow_call(&f, "mean", y, -1), var = flow_call(&f, "var", y, -1);
        flow_op(&f, "add_total", 0, 0);
        flow_update(&f, total);
        flow_read(&f, mean);
        flow_op(&f, "lerp_", 0, 0);
        flow_update(&f, buffer);
        flow_read(&f, var);
        flow_train(&f, w, y);
    }
    assert_int_equal(class_of(&f, "norm", 0, 0), FLOW_CLASS_UNREAD);
    assert_int_equal(class_of(&f, "mean", 0, 0), FLOW_CLASS_UNREAD);
    assert_int_equal(class_of(&f, "add_total", 1, 0), FLOW_CLASS_UNREAD);
    assert_int_equal(class_of(&f, "var", 0, 0), FLOW_CLASS_NONE);
    assert_int_equal(class_of(&f, "mm", 0, 0), FLOW_CLASS_NONE);
    assert_int_equal(class_of(&f, "norm", STEPS - 1, 0), FLOW_CLASS_NONE);
    flow_done(&f);
}

/* how 0: needless; 1: the copy is written; 2: the source is, while the copy is read; 3:
 * the layout changes; 4: the source is written after the last read. */
static void copies_that_nobody_writes_are_needless(void **state)
{
    (void)state;
    for (int how = 0; how < 5; how++) {
        struct flow_run f;
        flow_begin(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        for (int s = 0; s < STEPS; s++) {
            int32_t y = flow_call(&f, "mm", flow_tensor(&f, VALUE_SOURCE_BATCH, 24), w);
            flow_op(&f, "clone", OP_TRAIT_COPY, 0);
            flow_read(&f, y);
            int32_t copy = flow_tensor(&f, VALUE_SOURCE_MADE, 24);
            flow_use_of(&f, TENSOR_ROLE_MADE, copy, how == 3 ? "[3, 2]" : "[6]", 0);
            if (how == 1 || how == 2) {
                flow_op(&f, "mul_", 0, 0);
                flow_update(&f, how == 1 ? copy : y);
            }
            int32_t z = flow_call(&f, "relu", copy, -1);
            if (how == 4) {
                flow_op(&f, "mul_", 0, 0);
                flow_update(&f, y);
            }
            flow_train(&f, w, flow_call(&f, "add", z, y));
        }
        assert_int_equal(class_of(&f, "clone", 0, 0),
                         how == 0 || how == 4 ? FLOW_CLASS_COPIED : FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* A gradient of the step before is set to zero, and then added to. */
static void zeros_that_are_added_to_are_cleared_by_writing(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct flow_run f;
        flow_begin(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        int32_t gradient = flow_tensor(&f, VALUE_SOURCE_GRADIENT, 24);
        for (int s = 0; s < STEPS; s++) {
            int32_t x = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
            flow_op(&f, "zero_", OP_TRAIT_WRITES_ONLY, 0);
            if (!whole) /* a copy of something is no clearing */
                flow_read(&f, x);
            flow_use_of(&f, TENSOR_ROLE_WRITTEN, gradient, "[6]", 0);
            int32_t by = flow_call(&f, "mm", x, w);
            f.backward = 1;
            flow_op(&f, "accumulate", 0, 0);
            flow_update(&f, gradient);
            flow_read(&f, by);
            flow_train(&f, w, gradient);
        }
        enum flow_class is = whole ? FLOW_CLASS_CLEARED : FLOW_CLASS_NONE;
        assert_int_equal(class_of(&f, "zero_", 1, 0), is);
        assert_int_equal(class_of(&f, "accumulate", 1, 0), is);
        flow_done(&f);
    }
}

/* A write of a part keeps the rest: what made the rest is needed. */
static void a_part_that_is_written_leaves_the_rest(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct flow_run f;
        flow_begin(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        for (int s = 0; s < STEPS; s++) {
            int32_t x = flow_call(&f, "mm", flow_tensor(&f, VALUE_SOURCE_BATCH, 24), w);
            flow_op(&f, "fill_", OP_TRAIT_WRITES_ONLY, 0);
            flow_use_of(&f, TENSOR_ROLE_WRITTEN, x, whole ? "[6]" : "[2]", 0);
            flow_train(&f, w, x);
        }
        assert_int_equal(class_of(&f, "mm", 0, 0),
                         whole ? FLOW_CLASS_UNREAD : FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* A long chain of storages that must all be made anew: one by one would take minutes. */
static void long_chains_are_judged_in_time(void **state)
{
    (void)state;
    enum { LONG = 60000 };
    struct flow_run f;
    flow_begin(&f);
    int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
    for (int s = 0; s < STEPS; s++) {
        int32_t x = flow_call(&f, "ones", -1, -1), first = x;
        for (int i = 0; i < LONG; i++) { /* makes one, and writes to the one before */
            flow_op(&f, "link", 0, i);
            flow_update(&f, x);
            x = flow_make(&f, 0);
        }
        flow_op(&f, "mul_", 0, 0);
        flow_update(&f, x);
        flow_read(&f, w);
        flow_train(&f, w, first);
    }
    assert_int_equal(class_of(&f, "ones", 0, 0), FLOW_CLASS_NONE);
    flow_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_watched_is_no_graph),
        cmocka_unit_test(a_mask_made_anew_is_invariant),
        cmocka_unit_test(what_differs_is_not_invariant),
        cmocka_unit_test(numbers_of_the_host_are_told_by_contents),
        cmocka_unit_test(what_is_done_twice_is_repeated_or_recomputed),
        cmocka_unit_test(nothing_is_recomputed_where_there_are_no_lines),
        cmocka_unit_test(numbers_drawn_are_told_by_contents),
        cmocka_unit_test(another_version_is_another_value),
        cmocka_unit_test(what_nothing_lasting_depends_on_is_unread),
        cmocka_unit_test(copies_that_nobody_writes_are_needless),
        cmocka_unit_test(zeros_that_are_added_to_are_cleared_by_writing),
        cmocka_unit_test(a_part_that_is_written_leaves_the_rest),
        cmocka_unit_test(long_chains_are_judged_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
