/* Classes that look at numbers from the host, types, layouts and sizes. */
#include "flow_run.h"

static const struct flow_form NARROW = {"[6]", "[1]", "float32"};
static const struct flow_form WIDE = {"[6]", "[1]", "float64"};

/* One operator from one form to another. */
static int32_t turn(struct flow_run *f, const char *name, int traits, int32_t from,
                    const struct flow_form *a, const struct flow_form *b)
{
    flow_op(f, name, traits, 0);
    flow_use_as(f, TENSOR_ROLE_READ, from, a, 0);
    int32_t made = flow_tensor(f, VALUE_SOURCE_MADE, 48);
    flow_use_as(f, TENSOR_ROLE_MADE, made, b, 0);
    return made;
}

/* A norm is read by the host; gradients are scaled by what it makes of it, or (how 1) by
 * the same in every step, or (how 2) only the optimizer is given other numbers. */
static void what_comes_back_as_a_number_is_read(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct flow_run f;
        flow_begin(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        for (int s = 0; s < STEPS; s++) {
            int32_t y = flow_call(&f, "mm", flow_tensor(&f, VALUE_SOURCE_BATCH, 24), w);
            int32_t norm = flow_call(&f, "norm", y, -1);
            flow_op(&f, "item", OP_TRAIT_HOST_READ, 0);
            flow_read(&f, norm);
            flow_op(&f, "scale", OP_TRAIT_POINTWISE | (how == 2 ? OP_TRAIT_OPTIMIZER : 0),
                    how == 1 ? 7 : s);
            flow_read(&f, y);
            flow_train(&f, w, flow_make(&f, 0));
        }
        assert_int_equal(class_of(&f, "norm", 0, 0),
                         how == 0 ? FLOW_CLASS_NONE : FLOW_CLASS_UNREAD);
        flow_done(&f);
    }
}

/* The gradient of a weight that no optimizer moves; of one that is kept for later. */
static void gradients_that_nobody_reads_are_thrown_away(void **state)
{
    (void)state;
    struct flow_run f;
    flow_begin(&f);
    int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
    for (int s = 0; s < STEPS; s++) {
        int32_t y = flow_call(&f, "mm", flow_tensor(&f, VALUE_SOURCE_BATCH, 24), w);
        f.backward = 1;
        int32_t gradient = flow_tensor(&f, VALUE_SOURCE_GRADIENT, 1 << 20);
        int32_t kept = flow_tensor(&f, VALUE_SOURCE_MADE, 1 << 20);
        f.run.tensors.kept[gradient] = f.run.tensors.kept[kept] = 1;
        flow_op(&f, "mm_backward", 0, 0);
        flow_read(&f, y);
        flow_use_of(&f, TENSOR_ROLE_MADE, gradient, "[6]", 0);
        flow_op(&f, "keep_backward", 0, 0);
        flow_read(&f, y);
        flow_use_of(&f, TENSOR_ROLE_MADE, kept, "[6]", 0);
        flow_train(&f, w, y);
    }
    assert_int_equal(class_of(&f, "mm_backward", 0, 0), FLOW_CLASS_THROWN_AWAY);
    assert_int_equal(class_of(&f, "keep_backward", 0, 0), FLOW_CLASS_NONE);
    flow_done(&f);
}

/* how 0: to float64 and back; 1: something is computed between; 2: and its result stays
 * wide; 3: from a parameter that is wide itself. */
static void casts_there_and_back_and_what_is_between(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        struct flow_run f;
        flow_begin(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        int32_t buffer = flow_tensor(&f, VALUE_SOURCE_BUFFER, 48);
        int32_t wide_w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 48);
        for (int s = 0; s < STEPS; s++) {
            int32_t y = flow_call(&f, "mm", flow_tensor(&f, VALUE_SOURCE_BATCH, 24), w);
            int32_t z = turn(&f, "up", OP_TRAIT_COPY, y, &NARROW, &WIDE);
            if (how)
                z = turn(&f, "exp", 0, z, &WIDE, &WIDE);
            if (how == 3) {
                flow_op(&f, "mix", 0, 0);
                flow_use_as(&f, TENSOR_ROLE_READ, z, &WIDE, 0);
                flow_use_as(&f, TENSOR_ROLE_READ, wide_w, &WIDE, 0);
                z = flow_tensor(&f, VALUE_SOURCE_MADE, 48);
                flow_use_as(&f, TENSOR_ROLE_MADE, z, &WIDE, 0);
            }
            if (how == 2) {
                flow_op(&f, "keep_", 0, 0);
                flow_use_as(&f, TENSOR_ROLE_UPDATED, buffer, &WIDE, 0);
                flow_use_as(&f, TENSOR_ROLE_READ, z, &WIDE, 0);
            }
            flow_train(&f, w, turn(&f, "down", OP_TRAIT_COPY, z, &WIDE, &NARROW));
        }
        static const enum flow_class is[] = {FLOW_CLASS_COPIED, FLOW_CLASS_WIDER,
                                             FLOW_CLASS_NONE, FLOW_CLASS_NONE};
        assert_int_equal(class_of(&f, "up", 0, 0), is[how]);
        assert_int_equal(class_of(&f, "down", 0, 0), is[how]);
        if (how)
            assert_int_equal(class_of(&f, "exp", 0, 0), is[how]);
        flow_done(&f);
    }
}

/* Channels are put last, something is done, and (how 0) they are put back; how 1: another
 * dimension is moved instead. */
static void a_layout_that_is_changed_back(void **state)
{
    (void)state;
    static const struct flow_form first = {"[2, 4, 4, 3]", "[48, 4, 1, 16]", "float32"};
    static const struct flow_form last = {"[2, 4, 4, 3]", "[48, 12, 3, 1]", "float32"};
    static const struct flow_form back[] = {
        {"[2, 3, 4, 4]", "[48, 1, 12, 3]", "float32"},
        {"[2, 4, 3, 4]", "[48, 3, 1, 12]", "float32"}};
    for (int how = 0; how < 2; how++) {
        struct flow_run f;
        flow_begin(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        for (int s = 0; s < STEPS; s++) {
            int32_t y = flow_call(&f, "mm", flow_tensor(&f, VALUE_SOURCE_BATCH, 24), w);
            int32_t z = turn(&f, "there", OP_TRAIT_COPY, y, &first, &last);
            z = turn(&f, "norm", 0, z, &last, &last);
            flow_train(&f, w, turn(&f, "back", OP_TRAIT_COPY, z, &back[how], &first));
        }
        enum flow_class is = how ? FLOW_CLASS_NONE : FLOW_CLASS_COPIED;
        assert_int_equal(class_of(&f, "there", 0, 0), is);
        assert_int_equal(class_of(&f, "back", 0, 0), is);
        assert_int_equal(class_of(&f, "norm", 0, 0), FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* Sixteen calls at one place. how 0: of large tensors, each of its own; 1: each waits for
 * the one before, as layers do; 2: the same with tiny ones; 3: at no known place. */
static void many_calls_at_one_place_are_pieces(void **state)
{
    (void)state;
    static const struct flow_form large = {"[1000]", "[1]", "float32"};
    static const struct flow_form tiny = {"[6]", "[1]", "float32"};
    for (int how = 0; how < 4; how++) {
        const struct flow_form *form = how == 2 ? &tiny : &large;
        struct flow_run f;
        flow_begin(&f);
        lines_add(&f.run.lines, (struct source_line){.line = 12, .caller = -1});
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 4000), y = batch;
            int32_t last = batch;
            for (int i = 0; i < 16; i++) {
                f.line = how == 3 ? -1 : 0;
                int32_t row = flow_tensor(&f, VALUE_SOURCE_BATCH, 4000);
                y = turn(&f, "work", 0, how == 1 || how == 2 ? y : row, form, form);
                f.line = -1;
                last = flow_call(&f, "gather", last, y);
            }
            flow_train(&f, w, last);
        }
        assert_int_equal(class_of(&f, "work", 0, 3),
                         how == 0 || how == 2 ? FLOW_CLASS_PIECES : FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* Two ranks meet for gradients. how 0: they hold the same already; 1: they differ in one
 * step; 2: they are a flag. */
static void collectives_of_what_is_equal_are_even(void **state)
{
    (void)state;
    static const struct flow_form large = {"[2000]", "[1]", "float32"};
    static const struct flow_form flag = {"[1]", "[1]", "float32"};
    for (int how = 0; how < 3; how++) {
        const struct flow_form *form = how == 2 ? &flag : &large;
        struct flow_run f;
        flow_begin(&f);
        ranks_add(&f.run.ranks, (struct rank){.rank = 1});
        for (int32_t rank = 0; rank < 2; rank++) {
            f.step = 0;
            for (int s = 0; s < STEPS; s++, f.step++) {
                int32_t flat = flow_tensor(&f, VALUE_SOURCE_MADE, 8000);
                size_t op = flow_op(&f, "cat", 0, 0);
                f.run.watched_ops.rank[op] = rank;
                flow_use_as(&f, TENSOR_ROLE_MADE, flat, form, 0);
                op = flow_op(&f, "c10d::allreduce_", OP_TRAIT_COLLECTIVE, 0);
                f.run.watched_ops.rank[op] = rank;
                flow_use_as(&f, TENSOR_ROLE_UPDATED, flat, form,
                            5 + s + (how == 1 && s == 1 ? rank : 0));
                f.run.op_tensors.version[f.run.op_tensors.table.n - 1] = 1;
            }
        }
        assert_int_equal(class_of(&f, "c10d::allreduce_", 0, 0),
                         how == 0 ? FLOW_CLASS_EVEN : FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_back_as_a_number_is_read),
        cmocka_unit_test(gradients_that_nobody_reads_are_thrown_away),
        cmocka_unit_test(casts_there_and_back_and_what_is_between),
        cmocka_unit_test(a_layout_that_is_changed_back),
        cmocka_unit_test(many_calls_at_one_place_are_pieces),
        cmocka_unit_test(collectives_of_what_is_equal_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
