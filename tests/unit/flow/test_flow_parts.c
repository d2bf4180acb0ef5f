/* Classes of which a part is needless: zeros, what little is used of, copies of rows; and
 * backward passes that could be one. */
#include "flow_run.h"

static const struct flow_form rows = {"[100, 64]", "[64, 1]", "float32"};
static const struct flow_form weight = {"[64, 64]", "[64, 1]", "float32"};
static const struct flow_form one = {"[]", "[]", "float32"};
enum { ROWS_BYTES = 25600 };

static int32_t made_as(struct flow_run *f, const struct flow_form *form)
{
    int32_t tensor = flow_tensor(f, VALUE_SOURCE_MADE, ROWS_BYTES);
    flow_use_as(f, TENSOR_ROLE_MADE, tensor, form, 0);
    return tensor;
}

/* x @ w */
static int32_t product(struct flow_run *f, int32_t x, int32_t w)
{
    flow_op(f, "aten::mm", 0, 0);
    flow_use_as(f, TENSOR_ROLE_READ, x, &rows, 0);
    flow_use_as(f, TENSOR_ROLE_READ, w, &weight, 0);
    int32_t made = made_as(f, &rows);
    flow_holds(f, 0, 0);
    return made;
}

static int32_t pointwise(struct flow_run *f, const char *name, int traits, int32_t x)
{
    flow_op(f, name, OP_TRAIT_POINTWISE | traits, 0);
    flow_use_as(f, TENSOR_ROLE_READ, x, &rows, 0);
    int32_t made = made_as(f, &rows);
    flow_holds(f, 0, 0);
    return made;
}

/* All of what it is given becomes a few numbers. */
static int32_t sum_of(struct flow_run *f, const char *name, int32_t x, int32_t also,
                      const struct flow_form *form)
{
    flow_op(f, name, 0, 0);
    flow_use_as(f, TENSOR_ROLE_READ, x, form, 0);
    if (also >= 0)
        flow_use_as(f, TENSOR_ROLE_READ, also, form, 0);
    return flow_make(f, 0);
}

/* A term is weighted and added to the loss. how 0: by 0 in each step; 1: in one of them;
 * 2: in a job of two ranks. */
static void a_term_that_counts_nothing_is_zeros(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        if (how == 2)
            ranks_add(&f.run.ranks, (struct rank){.rank = 1});
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            int32_t y = product(&f, batch, w), hint = sum_of(&f, "hint", y, -1, &rows);
            flow_op(&f, "aten::mul.Tensor", OP_TRAIT_POINTWISE | OP_TRAIT_MULTIPLIES, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, hint, &one, 0);
            int32_t weighted = made_as(&f, &one);
            flow_holds(&f, how != 1 || s == 1 ? 1000 : 0, -1);
            int32_t mean = sum_of(&f, "mean", y, -1, &rows);
            int32_t loss = flow_call(&f, "add", mean, weighted);
            f.backward = 1 + s;
            flow_op(&f, "hint_backward", 0, 0); /* of nothing but zeros */
            flow_read(&f, weighted);
            int32_t nothing = flow_make(&f, 0);
            flow_holds(&f, how != 1 ? 1000 : 3, -1);
            flow_train(&f, w, flow_call(&f, "grad", loss, nothing));
        }
        enum flow_class wanted = how == 0 ? FLOW_CLASS_ZEROS : FLOW_CLASS_NONE;
        assert_int_equal(class_of(&f, "hint", 0, 0), wanted);
        assert_int_equal(class_of(&f, "hint_backward", 0, 0), wanted);
        assert_int_equal(class_of(&f, "mean", 0, 0), FLOW_CLASS_NONE);
        assert_int_equal(class_of(&f, "aten::mm", 0, 0), FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* An expert computes all rows, and a gate takes most of them out. how 0: so; 1: few of
 * them; 2: something else reads what the expert gives. */
static void rows_that_a_gate_takes_out_are_zeros(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            int32_t y = pointwise(&f, "gelu", 0, product(&f, batch, w));
            int32_t gated = pointwise(&f, "mul", OP_TRAIT_MULTIPLIES, y);
            flow_holds(&f, how == 1 ? 100 : 750, how == 1 ? 100 : 750);
            flow_train(&f, w, sum_of(&f, "loss", gated, how == 2 ? y : -1, &rows));
        }
        double keep;
        enum flow_class wanted = how == 0 ? FLOW_CLASS_ZEROS : FLOW_CLASS_NONE;
        assert_int_equal(class_and_part_of(&f, "gelu", 0, 0, &keep), wanted);
        assert_float_equal(keep, how == 0 ? 0.25 : 0, 1e-9);
        assert_int_equal(class_of(&f, "aten::mm", 0, 0), wanted);
        assert_int_equal(class_of(&f, "mul", 0, 0), FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* how 0: a matrix that picks rows; 1: one with a number in every fourth place. */
static void a_product_of_nearly_nothing_but_zeros(void **state)
{
    (void)state;
    for (int how = 0; how < 2; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            int32_t picks = pointwise(&f, "one_hot", 0, batch);
            flow_holds(&f, how == 0 ? 984 : 750, 0);
            int32_t forward = (int32_t)f.run.watched_ops.table.n;
            int32_t loss = sum_of(&f, "loss", product(&f, picks, w), -1, &rows);
            f.backward = 1 + s;
            int32_t grad = flow_call(&f, "mm_backward", loss, w);
            f.run.watched_ops.forward[f.run.watched_ops.table.n - 1] = forward;
            flow_train(&f, w, grad);
        }
        double keep;
        assert_int_equal(class_of(&f, "mm_backward", 1, 0), FLOW_CLASS_NONE);
        assert_int_equal(class_and_part_of(&f, "aten::mm", 1, 0, &keep),
                         how == 0 ? FLOW_CLASS_ZEROS : FLOW_CLASS_NONE);
        assert_float_equal(keep, how == 0 ? 0.016 : 0, 1e-9);
        flow_done(&f);
    }
}

/* Of what is computed for all rows: how 0: the last ten are read; 1: all are, by two; 2:
 * ten are picked; 3: the job keeps it; 4: ten are picked, and then all are read. */
static void results_of_which_little_is_read(void **state)
{
    (void)state;
    static const struct flow_form ten = {"[10, 64]", "[64, 1]", "float32"};
    static const struct flow_form rest = {"[90, 64]", "[64, 1]", "float32"};
    for (int how = 0; how < 5; how++) {
        bool picks = how == 2 || how == 4;
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            int32_t y = pointwise(&f, "gelu", 0, product(&f, batch, w));
            f.run.tensors.kept[y] = how == 3;
            flow_op(&f, "pick", picks ? OP_TRAIT_SELECTS : 0, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, y, picks ? &rows : &ten, 0);
            int32_t z = made_as(&f, &ten);
            if (how == 4) {
                flow_op(&f, "other", 0, 0);
                flow_use_as(&f, TENSOR_ROLE_READ, y, &rows, 0);
                flow_use_as(&f, TENSOR_ROLE_READ, z, &ten, 0);
                z = made_as(&f, &ten);
            }
            if (how == 1) {
                flow_op(&f, "other", 0, 0);
                flow_use_as(&f, TENSOR_ROLE_READ, y, &rest, 0);
                flow_use_as(&f, TENSOR_ROLE_READ, z, &ten, 0);
                z = made_as(&f, &ten);
            }
            flow_train(&f, w, z);
        }
        double keep;
        bool partly = how == 0 || how == 2;
        enum flow_class wanted = partly ? FLOW_CLASS_PARTLY : FLOW_CLASS_NONE;
        assert_int_equal(class_and_part_of(&f, "gelu", 0, 0, &keep), wanted);
        assert_float_equal(keep, partly ? 0.1 : 0, 1e-9);
        assert_int_equal(class_of(&f, "aten::mm", 0, 0), wanted);
        flow_done(&f);
    }
}

/* how 0: of a sort all values are read, and no index; 1: a few of the values; 2: one of
 * each row of a softmax, for which all of the row is computed; 3: some rows of it. */
static void parts_of_several_results_and_of_rows(void **state)
{
    (void)state;
    static const struct flow_form column = {"[100, 1]", "[64, 1]", "float32"};
    static const struct flow_form ten = {"[10, 64]", "[64, 1]", "float32"};
    const struct flow_form *read[] = {&rows, &column, &column, &ten};
    for (int how = 0; how < 4; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            flow_op(&f, "work", how < 2 ? OP_TRAIT_SORTS : OP_TRAIT_BY_ROWS, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, batch, &rows, 0);
            int32_t values = made_as(&f, &rows);
            if (how < 2)
                made_as(&f, &rows);
            flow_train(&f, w, sum_of(&f, "loss", values, -1, read[how]));
        }
        assert_int_equal(class_of(&f, "work", 0, 0),
                         how % 2 ? FLOW_CLASS_PARTLY : FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* A layer is applied to rows that were picked from few. how 0: so; 1: from as many; 2: to
 * their sum with a number of its own for each row; 3: with noise drawn between; 4: with
 * something added in place; 5: to two of them as one; 6: and something of its own is added
 * to each; 7: they are squared, and read as they are by something else too: the squares are
 * still to be made, the layer need not be. */
static void a_layer_on_copies_of_rows(void **state)
{
    (void)state;
    static const struct flow_form few = {"[20, 64]", "[64, 1]", "float32"};
    static const struct flow_form pairs = {"[50, 128]", "[128, 1]", "float32"};
    static const struct flow_form wide = {"[128, 64]", "[64, 1]", "float32"};
    static const struct flow_form half = {"[50, 64]", "[64, 1]", "float32"};
    for (int how = 0; how < 8; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t nodes = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            int32_t edges = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            flow_op(&f, "pick", OP_TRAIT_SELECTS, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, nodes, how == 1 ? &rows : &few, 0);
            int32_t picked = made_as(&f, &rows);
            if (how == 2) {
                flow_op(&f, "add", OP_TRAIT_POINTWISE, 0);
                flow_use_as(&f, TENSOR_ROLE_READ, picked, &rows, 0);
                flow_use_as(&f, TENSOR_ROLE_READ, edges, &rows, 0);
                picked = made_as(&f, &rows);
            } else if (how == 3) {
                picked = pointwise(&f, "dropout", OP_TRAIT_RANDOM, picked);
            }
            if (how == 4) {
                flow_op(&f, "add_", OP_TRAIT_POINTWISE, 0);
                flow_use_as(&f, TENSOR_ROLE_UPDATED, picked, &rows, 0);
                flow_use_as(&f, TENSOR_ROLE_READ, edges, &rows, 0);
            }
            if (how == 7) {
                sum_of(&f, "also", picked, -1, &rows);
                picked = pointwise(&f, "square", 0, picked);
            }
            bool two = how == 5, adds = how == 6;
            flow_op(&f, adds ? "aten::addmm" : "aten::mm", 0, 0);
            if (adds)
                flow_use_as(&f, TENSOR_ROLE_READ, edges, &rows, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, picked, two ? &pairs : &rows, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, w, two ? &wide : &weight, 0);
            int32_t y = made_as(&f, two ? &half : &rows);
            if (!two)
                y = pointwise(&f, "gelu", 0, y);
            flow_train(&f, w, sum_of(&f, "loss", y, -1, two ? &half : &rows));
        }
        double keep;
        bool few_would_do = how == 0 || how == 7;
        enum flow_class wanted = few_would_do ? FLOW_CLASS_ROWS : FLOW_CLASS_NONE;
        const char *name = how == 6 ? "aten::addmm" : "aten::mm";
        assert_int_equal(class_and_part_of(&f, name, 0, 0, &keep), wanted);
        assert_float_equal(keep, few_would_do ? 0.2 : 0, 1e-9);
        if (how != 5)
            assert_int_equal(class_of(&f, "gelu", 0, 0), wanted);
        assert_int_equal(class_of(&f, "pick", 0, 0), FLOW_CLASS_NONE);
        if (how == 7)
            assert_int_equal(class_of(&f, "square", 0, 0), FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* Two losses are propagated back by themselves through one trunk. how 0: so; 1: their
 * gradients are looked at in between; 2: each through calls of its own; 3: in one pass;
 * 4: they are cleared in between; 5: forgotten for one that takes their place. */
static void backward_passes_that_could_be_one(void **state)
{
    (void)state;
    for (int how = 0; how < 6; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
            int32_t forward = (int32_t)f.run.watched_ops.table.n;
            int32_t y = flow_call(&f, "trunk", batch, w), z = y;
            if (how == 2)
                z = flow_call(&f, "other", batch, w);
            f.backward = 2 * s + 1;
            int32_t grad = flow_call(&f, "trunk_backward", y, batch);
            f.run.watched_ops.forward[f.run.watched_ops.table.n - 1] = forward;
            f.backward = 0;
            if (how == 1)
                flow_call(&f, "norm", grad, -1);
            if (how == 4) {
                flow_op(&f, "zero_", OP_TRAIT_WRITES_ONLY, 0);
                flow_use_of(&f, TENSOR_ROLE_WRITTEN, grad, "[6]", 0);
            }
            f.backward = 2 * s + (how == 3 ? 1 : 2);
            int32_t more = flow_call(&f, "again", z, -1);
            if (how == 5)
                f.run.tensors.source[more] = VALUE_SOURCE_GRADIENT;
            f.run.watched_ops.forward[f.run.watched_ops.table.n - 1] =
                forward + (how == 2);
            flow_op(&f, "aten::add_.Tensor", 0, 0);
            flow_update(&f, grad);
            flow_read(&f, more);
            f.backward = 0;
            flow_train(&f, w, grad);
        }
        assert_int_equal(class_of(&f, "again", 0, 0),
                         how == 0 ? FLOW_CLASS_PASSES : FLOW_CLASS_NONE);
        if (how != 4) /* then nobody reads it */
            assert_int_equal(class_of(&f, "trunk_backward", 0, 0), FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* The same gradient is asked for in two passes: for one input, then for the other. */
static void what_an_earlier_pass_computed_is_repeated(void **state)
{
    (void)state;
    int32_t w;
    struct flow_run f = flow_begun(&w);
    for (int s = 0; s < STEPS; s++) {
        int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
        int32_t y = flow_call(&f, "trunk", batch, w);
        f.backward = 2 * s + 1;
        int32_t one_way = flow_call(&f, "trunk_backward", y, batch);
        f.backward++;
        int32_t other = flow_call(&f, "trunk_backward", y, batch);
        f.backward = 0;
        flow_train(&f, w, flow_call(&f, "residual", one_way, other));
    }
    assert_int_equal(class_of(&f, "trunk_backward", 1, 0), FLOW_CLASS_NONE);
    assert_int_equal(class_of(&f, "trunk_backward", 1, 1), FLOW_CLASS_REPEATED);
    flow_done(&f);
}

/* All rows but the last are copied. how 0: for what goes row by row; 1: half of them; 2:
 * for something else; 3: they are written to before the copy is read. */
static void a_copy_that_leaves_a_few_rows_out(void **state)
{
    (void)state;
    enum { BYTES = 2 * 100 * 64 * 4 };
    static const struct flow_form all = {"[2, 100, 64]", "[6400, 64, 1]", "float32"};
    static const struct flow_form most[] = {{"[2, 99, 64]", "[6400, 64, 1]", "float32"},
                                            {"[2, 99, 64]", "[6336, 64, 1]", "float32"}};
    static const struct flow_form half[] = {{"[2, 50, 64]", "[6400, 64, 1]", "float32"},
                                            {"[2, 50, 64]", "[3200, 64, 1]", "float32"}};
    for (int how = 0; how < 4; how++) {
        const struct flow_form *part = how == 1 ? half : most;
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t y = flow_tensor(&f, VALUE_SOURCE_MADE, BYTES);
            flow_op(&f, "logits", 0, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, w, &weight, 0);
            flow_use_as(&f, TENSOR_ROLE_MADE, y, &all, 0);
            flow_op(&f, "aten::clone", OP_TRAIT_COPY, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, y, &part[0], 0);
            int32_t copy = made_as(&f, &part[1]);
            if (how == 3) {
                flow_op(&f, "mul_", 0, 0);
                flow_use_as(&f, TENSOR_ROLE_UPDATED, y, &all, 0);
            }
            flow_op(&f, "softmax", how == 2 ? 0 : OP_TRAIT_BY_ROWS, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, copy, &part[1], 0);
            int32_t z = made_as(&f, &part[1]);
            flow_train(&f, w, sum_of(&f, "loss", z, -1, &part[1]));
        }
        assert_int_equal(class_of(&f, "aten::clone", 0, 0),
                         how == 0 ? FLOW_CLASS_COPIED : FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* A queue with a few new rows. how 0: it is the next step's queue; 1: it is read now. */
static void a_queue_that_is_copied_to_add_a_few_rows(void **state)
{
    (void)state;
    static const struct flow_form few = {"[2, 64]", "[64, 1]", "float32"};
    static const struct flow_form both = {"[102, 64]", "[64, 1]", "float32"};
    for (int how = 0; how < 2; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        int32_t queue = flow_tensor(&f, VALUE_SOURCE_BEFORE, ROWS_BYTES);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 512);
            int32_t y = product(&f, queue, w), new = flow_call(&f, "keys", batch, y);
            flow_op(&f, "cat", 0, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, queue, &rows, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, new, &few, 0);
            int32_t next = made_as(&f, &both);
            flow_train(&f, w, how == 1 ? flow_call(&f, "loss", y, next) : y);
            queue = how == 0 ? next : queue;
        }
        assert_int_equal(class_of(&f, "cat", 0, 0),
                         how == 0 ? FLOW_CLASS_COPIED : FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* Gradients are exchanged in each of two passes, or in the last; something is gathered,
 * for the loss (needed) or for a log. */
static void what_ranks_exchange(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++)
        for (int needed = 0; needed < 2; needed++) {
            int32_t w;
            struct flow_graph g;
            struct flow_run f = flow_begun(&w);
            lines_add(&f.run.lines, (struct source_line){.line = 7, .caller = -1});
            for (int s = 0; s < STEPS; s++) {
                int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
                int32_t mine = flow_call(&f, "work", batch, w);
                int32_t all = flow_call(&f, "empty", -1, -1);
                f.line = 0;
                flow_op(&f, "gather", OP_TRAIT_COLLECTIVE, 0);
                flow_use_of(&f, TENSOR_ROLE_WRITTEN, all, "[6]", 0);
                flow_read(&f, mine);
                f.line = -1;
                int32_t grad = flow_call(&f, "loss", mine, needed ? all : -1);
                if (!needed)
                    flow_call(&f, "log", all, -1);
                for (int pass = 0; pass < 2; pass++) {
                    f.backward = 2 * s + pass + 1;
                    grad = flow_call(&f, "grad", grad, -1);
                    flow_op(&f, "reduce", pass || both ? OP_TRAIT_COLLECTIVE : 0, 0);
                    flow_update(&f, grad);
                }
                flow_train(&f, w, grad);
            }
            assert_true(flow_graph_init(&g, &f.run, 0));
            assert_float_equal(flow_passes_with_collectives(&g), 1 + both, 0);
            assert_int_equal(flow_exchanges_are_needed(&g), needed);
            flow_graph_release(&g);
            flow_done(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_term_that_counts_nothing_is_zeros),
        cmocka_unit_test(rows_that_a_gate_takes_out_are_zeros),
        cmocka_unit_test(a_product_of_nearly_nothing_but_zeros),
        cmocka_unit_test(results_of_which_little_is_read),
        cmocka_unit_test(parts_of_several_results_and_of_rows),
        cmocka_unit_test(a_layer_on_copies_of_rows),
        cmocka_unit_test(backward_passes_that_could_be_one),
        cmocka_unit_test(what_an_earlier_pass_computed_is_repeated),
        cmocka_unit_test(a_copy_that_leaves_a_few_rows_out),
        cmocka_unit_test(a_queue_that_is_copied_to_add_a_few_rows),
        cmocka_unit_test(what_ranks_exchange),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
