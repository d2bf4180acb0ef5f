/* Classes of which a part is needless: zeros, what little is used of, copies of rows; and
 * backward passes that could be one. */
#include "flow_run.h"

static const struct flow_form rows = {"[100, 64]", "[64, 1]", "float32"};
static const struct flow_form weight = {"[64, 64]", "[64, 1]", "float32"};
static const struct flow_form one = {"[]", "[]", "float32"};
enum { ROWS_BYTES = 25600, PARAMETER_BYTES = 16384 };

static struct flow_run begun(int32_t *parameter)
{
    struct flow_run f;
    flow_begin(&f);
    *parameter = flow_tensor(&f, VALUE_SOURCE_PARAMETER, PARAMETER_BYTES);
    return f;
}

static int32_t made_as(struct flow_run *f, const struct flow_form *form)
{
    int32_t tensor = flow_tensor(f, VALUE_SOURCE_MADE, ROWS_BYTES);
    flow_use_as(f, TENSOR_ROLE_MADE, tensor, form, 0);
    return tensor;
}

static void holds(struct flow_run *f, int32_t zeros, int32_t zero_rows)
{
    size_t last = f->run.op_tensors.table.n - 1;
    f->run.op_tensors.zeros[last] = zeros;
    f->run.op_tensors.zero_rows[last] = zero_rows;
}

/* x @ w */
static int32_t product(struct flow_run *f, int32_t x, int32_t w)
{
    flow_op(f, "aten::mm", 0, 0);
    flow_use_as(f, TENSOR_ROLE_READ, x, &rows, 0);
    flow_use_as(f, TENSOR_ROLE_READ, w, &weight, 0);
    int32_t made = made_as(f, &rows);
    holds(f, 0, 0);
    return made;
}

static int32_t pointwise(struct flow_run *f, const char *name, int traits, int32_t x)
{
    flow_op(f, name, OP_TRAIT_POINTWISE | traits, 0);
    flow_use_as(f, TENSOR_ROLE_READ, x, &rows, 0);
    int32_t made = made_as(f, &rows);
    holds(f, 0, 0);
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

/* A term is weighted and added to the loss. how 0: by 0 in each step; 1: in one of them.
 */
static void a_term_that_counts_nothing_is_zeros(void **state)
{
    (void)state;
    for (int how = 0; how < 2; how++) {
        int32_t w;
        struct flow_run f = begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            int32_t y = product(&f, batch, w), hint = sum_of(&f, "hint", y, -1, &rows);
            flow_op(&f, "aten::mul.Tensor", OP_TRAIT_POINTWISE | OP_TRAIT_MULTIPLIES, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, hint, &one, 0);
            int32_t weighted = made_as(&f, &one);
            holds(&f, how == 0 || s == 1 ? 1000 : 0, -1);
            int32_t mean = sum_of(&f, "mean", y, -1, &rows);
            int32_t loss = flow_call(&f, "add", mean, weighted);
            f.backward = 1 + s;
            flow_op(&f, "hint_backward", 0, 0); /* of nothing but zeros */
            flow_read(&f, weighted);
            int32_t nothing = flow_make(&f, 0);
            holds(&f, how == 0 ? 1000 : 3, -1);
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
        struct flow_run f = begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            int32_t y = pointwise(&f, "gelu", 0, product(&f, batch, w));
            int32_t gated = pointwise(&f, "mul", OP_TRAIT_MULTIPLIES, y);
            holds(&f, how == 1 ? 100 : 750, how == 1 ? 100 : 750);
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
        struct flow_run f = begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            int32_t picks = pointwise(&f, "one_hot", 0, batch);
            holds(&f, how == 0 ? 984 : 750, 0);
            flow_train(&f, w, sum_of(&f, "loss", product(&f, picks, w), -1, &rows));
        }
        double keep;
        assert_int_equal(class_and_part_of(&f, "aten::mm", 1, 0, &keep),
                         how == 0 ? FLOW_CLASS_ZEROS : FLOW_CLASS_NONE);
        assert_float_equal(keep, how == 0 ? 0.016 : 0, 1e-9);
        flow_done(&f);
    }
}

/* Of what is computed for all rows: how 0: the last ten are read; 1: all are, by two; 2:
 * ten are picked; 3: the job keeps it. */
static void results_of_which_little_is_read(void **state)
{
    (void)state;
    static const struct flow_form ten = {"[10, 64]", "[64, 1]", "float32"};
    static const struct flow_form rest = {"[90, 64]", "[64, 1]", "float32"};
    for (int how = 0; how < 4; how++) {
        int32_t w;
        struct flow_run f = begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            int32_t y = pointwise(&f, "gelu", 0, product(&f, batch, w));
            f.run.tensors.kept[y] = how == 3;
            flow_op(&f, "pick", how == 2 ? OP_TRAIT_SELECTS : 0, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, y, how == 2 ? &rows : &ten, 0);
            int32_t z = made_as(&f, &ten);
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

/* A layer is applied to rows that were picked from few. how 0: so; 1: from as many; 2: to
 * their sum with a number of its own for each row; 3: with noise drawn between. */
static void a_layer_on_copies_of_rows(void **state)
{
    (void)state;
    static const struct flow_form few = {"[20, 64]", "[64, 1]", "float32"};
    for (int how = 0; how < 4; how++) {
        int32_t w;
        struct flow_run f = begun(&w);
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
            int32_t y = pointwise(&f, "gelu", 0, product(&f, picked, w));
            flow_train(&f, w, sum_of(&f, "loss", y, -1, &rows));
        }
        double keep;
        enum flow_class wanted = how == 0 ? FLOW_CLASS_ROWS : FLOW_CLASS_NONE;
        assert_int_equal(class_and_part_of(&f, "aten::mm", 0, 0, &keep), wanted);
        assert_float_equal(keep, how == 0 ? 0.2 : 0, 1e-9);
        assert_int_equal(class_of(&f, "gelu", 0, 0), wanted);
        assert_int_equal(class_of(&f, "pick", 0, 0), FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* Two losses are propagated back by themselves through one trunk. how 0: so; 1: their
 * gradients are looked at in between; 2: each through calls of its own; 3: in one pass.
 */
static void backward_passes_that_could_be_one(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        int32_t w;
        struct flow_run f = begun(&w);
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
            f.backward = 2 * s + (how == 3 ? 1 : 2);
            int32_t more = flow_call(&f, "again", z, -1);
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
        assert_int_equal(class_of(&f, "trunk_backward", 0, 0), FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* The same gradient is asked for in two passes: for one input, then for the other. */
static void what_an_earlier_pass_computed_is_repeated(void **state)
{
    (void)state;
    int32_t w;
    struct flow_run f = begun(&w);
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
 * for something else. */
static void a_copy_that_leaves_a_few_rows_out(void **state)
{
    (void)state;
    enum { BYTES = 2 * 100 * 64 * 4 };
    static const struct flow_form all = {"[2, 100, 64]", "[6400, 64, 1]", "float32"};
    static const struct flow_form most[] = {{"[2, 99, 64]", "[6400, 64, 1]", "float32"},
                                            {"[2, 99, 64]", "[6336, 64, 1]", "float32"}};
    static const struct flow_form half[] = {{"[2, 50, 64]", "[6400, 64, 1]", "float32"},
                                            {"[2, 50, 64]", "[3200, 64, 1]", "float32"}};
    for (int how = 0; how < 3; how++) {
        const struct flow_form *part = how == 1 ? half : most;
        int32_t w;
        struct flow_run f = begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t y = flow_tensor(&f, VALUE_SOURCE_MADE, BYTES);
            flow_op(&f, "logits", 0, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, w, &weight, 0);
            flow_use_as(&f, TENSOR_ROLE_MADE, y, &all, 0);
            flow_op(&f, "aten::clone", OP_TRAIT_COPY, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, y, &part[0], 0);
            int32_t copy = made_as(&f, &part[1]);
            flow_op(&f, how == 2 ? "sort" : "aten::_log_softmax", 0, 0);
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
        struct flow_run f = begun(&w);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_term_that_counts_nothing_is_zeros),
        cmocka_unit_test(rows_that_a_gate_takes_out_are_zeros),
        cmocka_unit_test(a_product_of_nearly_nothing_but_zeros),
        cmocka_unit_test(results_of_which_little_is_read),
        cmocka_unit_test(a_layer_on_copies_of_rows),
        cmocka_unit_test(backward_passes_that_could_be_one),
        cmocka_unit_test(what_an_earlier_pass_computed_is_repeated),
        cmocka_unit_test(a_copy_that_leaves_a_few_rows_out),
        cmocka_unit_test(a_queue_that_is_copied_to_add_a_few_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
