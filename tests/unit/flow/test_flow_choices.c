/* Classes by what is chosen, copied, put in order or left of several gradients. */
#include "flow_run.h"

static const struct flow_form rows = {"[100, 64]", "[64, 1]", "float32"};
static const struct flow_form weight = {"[64, 64]", "[64, 1]", "float32"};
enum { ROWS_BYTES = 25600, WEIGHT_BYTES = 16384 };

static int32_t made_as(struct flow_run *f, const struct flow_form *form, int64_t bytes)
{
    int32_t tensor = flow_tensor(f, VALUE_SOURCE_MADE, bytes);
    flow_use_as(f, TENSOR_ROLE_MADE, tensor, form, 0);
    return tensor;
}

static void reads(struct flow_run *f, int32_t tensor, const struct flow_form *form)
{
    flow_use_as(f, TENSOR_ROLE_READ, tensor, form, 0);
}

/* The last operator is of the backward pass, for that one. */
static void is_of(struct flow_run *f, size_t forward)
{
    f->run.watched_ops.forward[f->run.watched_ops.table.n - 1] = (int32_t)forward;
}

/* The operator for whose sake the first one of that name in a step is of its class. */
static const char *cause_of(struct flow_run *f, const char *name, int32_t step)
{
    struct flow_graph g;
    const char *cause = "";
    assert_true(flow_graph_init(&g, &f->run, 0));
    struct flow_classes c = flow_classes_of(&g);
    for (size_t op = g.n; op-- > 0;)
        if (flow_step(&g, op) == step &&
            !strcmp(run_name(&f->run, f->run.watched_ops.name[op]), name))
            cause = run_name(&f->run, f->run.watched_ops.name[c.cause[op]]);
    flow_classes_release(&c);
    flow_graph_release(&g);
    return cause;
}

/* A matrix that is nearly all zeros multiplies what each step has, forward and backward.
 * how 0: it was there before, and is looked at once; 1: it is written to in between; 2: by
 * something that is no operator; 3: another part of it is read than was looked at; 4: it is
 * what is added to a product. */
static void what_stays_as_it_is_is_looked_at_once(void **state)
{
    (void)state;
    static const struct flow_form near = {"[100, 100]", "[100, 1]", "float32"};
    for (int how = 0; how < 5; how++) {
        const char *name = how == 4 ? "aten::addmm" : "aten::mm";
        int32_t w;
        struct flow_run f = flow_begun(&w);
        int32_t roads = flow_tensor(&f, VALUE_SOURCE_BEFORE, 40000);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            size_t forward = flow_op(&f, name, 0, 0);
            reads(&f, roads, &near);
            if (s == 0)
                flow_holds(&f, 983, 0);
            else if (how == 2)
                f.run.op_tensors.version[f.run.op_tensors.table.n - 1] = s;
            else if (how == 3)
                f.run.op_tensors.offset[f.run.op_tensors.table.n - 1] = 10000;
            reads(&f, batch, &rows);
            if (how == 4)
                reads(&f, batch, &rows);
            int32_t y = made_as(&f, &rows, ROWS_BYTES);
            flow_holds(&f, 0, 0);
            f.backward = 1 + s;
            flow_op(&f, name, 0, 0);
            is_of(&f, forward);
            reads(&f, roads, &near);
            if (s && how == 2)
                f.run.op_tensors.version[f.run.op_tensors.table.n - 1] = s;
            else if (s && how == 3)
                f.run.op_tensors.offset[f.run.op_tensors.table.n - 1] = 10000;
            reads(&f, y, &rows);
            if (how == 4)
                reads(&f, y, &rows);
            int32_t grad = made_as(&f, &rows, ROWS_BYTES);
            f.backward = 0;
            if (how == 1) {
                flow_op(&f, "mul_", 0, 0);
                flow_use_as(&f, TENSOR_ROLE_UPDATED, roads, &near, 0);
            }
            flow_train(&f, w, grad);
        }
        double keep;
        enum flow_class wanted = how == 0 ? FLOW_CLASS_ZEROS : FLOW_CLASS_NONE;
        for (int n = 0; n < 2; n++) {
            assert_int_equal(class_and_part_of(&f, name, 1, n, &keep), wanted);
            assert_float_equal(keep, how == 0 ? 0.017 : 0, 1e-9);
        }
        flow_done(&f);
    }
}

/* Pictures are cast to the type of a float64 window. how 0: a buffer that stays as it is;
 * 1: one that is written to; 2: the batch's own float64; 3: what was there before, as the
 * data is; 4: rows of a table. */
static void a_constant_makes_nothing_more_exact(void **state)
{
    (void)state;
    static const struct flow_form wide = {"[100, 64]", "[64, 1]", "float64"};
    for (int how = 0; how < 5; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        int32_t buffer = flow_tensor(
            &f, how == 3 ? VALUE_SOURCE_BEFORE : VALUE_SOURCE_BUFFER, 2 * ROWS_BYTES);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 2 * ROWS_BYTES);
            int32_t window = buffer;
            if (how == 4) {
                flow_op(&f, "pick", OP_TRAIT_SELECTS, 0);
                reads(&f, buffer, &wide);
                window = made_as(&f, &wide, 2 * ROWS_BYTES);
            }
            flow_op(&f, "_to_copy", OP_TRAIT_COPY, 0);
            reads(&f, w, &weight);
            int32_t x = made_as(&f, &wide, 2 * ROWS_BYTES);
            flow_op(&f, "conv", 0, 0);
            reads(&f, x, &wide);
            reads(&f, how == 2 ? batch : window, &wide);
            int32_t y = made_as(&f, &wide, 2 * ROWS_BYTES);
            if (how == 1) {
                flow_op(&f, "mul_", 0, 0);
                flow_use_as(&f, TENSOR_ROLE_UPDATED, window, &wide, 0);
            }
            flow_op(&f, "_to_copy", OP_TRAIT_COPY, 0);
            reads(&f, y, &wide);
            flow_train(&f, w, made_as(&f, &rows, ROWS_BYTES));
        }
        assert_int_equal(class_of(&f, "conv", 0, 0),
                         how == 0 ? FLOW_CLASS_WIDER : FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* The direction of a ray is the same at its 10 points. Its waves are made of what is
 * expanded: in two halves, which are joined; a layer follows. how 0: so; 1: of what
 * differs from point to point; 2: joined with something that does; 3: with itself, transposed:
 * every ray with every point. */
static void what_meets_something_larger_is_copied(void **state)
{
    (void)state;
    enum { BYTES = 10 * 10 * 64 * 4 };
    static const struct flow_form expanded = {"[10, 10, 16, 1]", "[16, 0, 1, 1]",
                                              "float32"};
    static const struct flow_form own = {"[10, 10, 16, 1]", "[160, 16, 1, 1]", "float32"};
    static const struct flow_form octaves = {"[2]", "[1]", "float32"};
    static const struct flow_form made = {"[10, 10, 16, 2]", "[320, 32, 2, 1]",
                                          "float32"};
    static const struct flow_form half = {"[10, 10, 32]", "[320, 32, 1]", "float32"};
    static const struct flow_form transposed = {"[10, 10, 32]", "[32, 320, 1]",
                                                "float32"};
    static const struct flow_form both = {"[10, 10, 64]", "[640, 64, 1]", "float32"};
    for (int how = 0; how < 4; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t ray = flow_tensor(&f, VALUE_SOURCE_BATCH, BYTES);
            int32_t factor = flow_tensor(&f, VALUE_SOURCE_HOST, 8);
            int32_t other = flow_tensor(&f, VALUE_SOURCE_BATCH, BYTES / 2);
            flow_op(&f, "mul", OP_TRAIT_POINTWISE, 0);
            reads(&f, ray, how == 1 ? &own : &expanded);
            reads(&f, factor, &octaves);
            int32_t angle = made_as(&f, &made, BYTES / 2), wave[2];
            for (int i = 0; i < 2; i++) {
                flow_op(&f, i ? "cos" : "sin", OP_TRAIT_POINTWISE, 0);
                reads(&f, angle, &half);
                wave[i] = made_as(&f, &half, BYTES / 2);
            }
            flow_op(&f, "cat", OP_TRAIT_JOINS_ROWS, 0);
            reads(&f, wave[0], &half);
            reads(&f, how == 2 ? other : wave[1], how == 3 ? &transposed : &half);
            int32_t x = made_as(&f, &both, BYTES);
            flow_op(&f, "aten::mm", 0, 0);
            reads(&f, x, &rows);
            reads(&f, w, &weight);
            int32_t y = made_as(&f, &rows, ROWS_BYTES);
            flow_op(&f, "loss", 0, 0);
            reads(&f, y, &rows);
            reads(&f, wave[1], &half);
            flow_train(&f, w, flow_make(&f, 0));
        }
        double keep;
        assert_int_equal(class_and_part_of(&f, "aten::mm", 0, 0, &keep),
                         how == 0 ? FLOW_CLASS_ROWS : FLOW_CLASS_NONE);
        assert_float_equal(keep, how == 0 ? 0.1 : 0, 1e-9);
        assert_int_equal(class_of(&f, "sin", 0, 0), FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

/* A loss leaves out rows by their labels: they get no gradient. how 0: so; 1: few of them;
 * 2: in one step only; 3: it goes by what was computed beside labels, as a margin does; 4:
 * the logits are read by something else too; 5: it gives a number for each row, of which
 * others choose. */
static void rows_that_a_loss_does_not_look_at(void **state)
{
    (void)state;
    static const struct flow_form labels = {"[100]", "[1]", "int64"};
    static const struct flow_form one = {"[]", "[]", "float32"};
    for (int how = 0; how < 6; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            int32_t label = flow_tensor(&f, VALUE_SOURCE_BATCH, 800);
            flow_op(&f, "aten::mm", 0, 0);
            reads(&f, batch, &rows);
            reads(&f, w, &weight);
            int32_t logits = made_as(&f, &rows, ROWS_BYTES);
            size_t forward = flow_op(&f, "nll", how == 3 ? 0 : OP_TRAIT_BY_LABELS, 0);
            reads(&f, logits, &rows);
            reads(&f, label, &labels);
            int32_t loss = how == 5 ? flow_make(&f, 0) : made_as(&f, &one, 4);
            f.backward = 1 + s;
            flow_op(&f, "nll_backward", 0, 0);
            is_of(&f, forward);
            reads(&f, loss, &one);
            int32_t grad = made_as(&f, &rows, ROWS_BYTES);
            int32_t without = how == 1 || (how == 2 && s) ? 100 : 850;
            flow_holds(&f, without, without);
            f.backward = 0;
            if (how == 4) {
                flow_op(&f, "other", 0, 0);
                reads(&f, logits, &rows);
                reads(&f, grad, &rows);
                grad = made_as(&f, &rows, ROWS_BYTES);
            }
            flow_train(&f, w, grad);
        }
        double keep;
        assert_int_equal(class_and_part_of(&f, "aten::mm", 0, 0, &keep),
                         how == 0 ? FLOW_CLASS_PARTLY : FLOW_CLASS_NONE);
        assert_float_equal(keep, how == 0 ? 0.15 : 0, 1e-9);
        if (how == 0)
            assert_string_equal(cause_of(&f, "aten::mm", 0), "nll");
        flow_done(&f);
    }
}

/* One call gives the gradients of a picture, of weights and of a bias. how 0: those of the
 * picture alone are read; 1: all; 2: of attention, which has no way to leave one out. */
static void a_gradient_that_comes_with_others(void **state)
{
    (void)state;
    static const struct flow_form bias = {"[64]", "[1]", "float32"};
    for (int how = 0; how < 3; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        const char *name =
            how == 2 ? "aten::_scaled_dot_product_flash_attention_for_cpu_backward"
                     : "aten::convolution_backward";
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, ROWS_BYTES);
            f.backward = 1 + s;
            flow_op(&f, name, 0, 0);
            reads(&f, batch, &rows);
            reads(&f, w, &weight);
            int32_t of_batch = made_as(&f, &rows, ROWS_BYTES);
            int32_t of_weight = made_as(&f, &weight, WEIGHT_BYTES);
            made_as(&f, &bias, 256);
            f.backward = 0;
            if (how == 1) {
                flow_op(&f, "also", 0, 0);
                reads(&f, of_batch, &rows);
                reads(&f, of_weight, &weight);
                of_batch = made_as(&f, &rows, ROWS_BYTES);
            }
            flow_train(&f, w, of_batch);
        }
        double keep;
        assert_int_equal(class_and_part_of(&f, name, 0, 0, &keep),
                         how == 0 ? FLOW_CLASS_THROWN_AWAY : FLOW_CLASS_NONE);
        assert_float_equal(keep, how == 0 ? 0.5 : 0, 1e-9);
        flow_done(&f);
    }
}

/* Linear attention: queries with keys, and then with values. how 0: so; 1: with a softmax
 * between; 2: of so few places that it is the better order; 3: something else reads the
 * scores; 4: values with scores that are read transposed; 5: scores with themselves; 6: with
 * something added to them; 7: by values that are nearly all zeros: that is told instead. */
static void products_in_a_costly_order(void **state)
{
    (void)state;
    static const struct flow_form q = {"[4, 200, 16]", "[3200, 16, 1]", "float32"};
    static const struct flow_form k = {"[4, 16, 200]", "[3200, 1, 16]", "float32"};
    static const struct flow_form qk = {"[4, 200, 200]", "[40000, 200, 1]", "float32"};
    static const struct flow_form transposed = {"[4, 200, 200]", "[40000, 1, 200]",
                                                "float32"};
    static const struct flow_form few_q = {"[4, 16, 16]", "[256, 16, 1]", "float32"};
    enum { BYTES = 4 * 200 * 16 * 4, SQUARE_BYTES = 4 * 200 * 200 * 4 };
    for (int how = 0; how < 8; how++) {
        const char *inner = how == 6 ? "aten::baddbmm" : "aten::bmm";
        bool few = how == 2;
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t x = flow_tensor(&f, VALUE_SOURCE_BATCH, BYTES);
            int32_t v = flow_tensor(&f, VALUE_SOURCE_BATCH, BYTES);
            flow_op(&f, inner, 0, 0);
            if (how == 6)
                reads(&f, v, &qk);
            reads(&f, x, few ? &few_q : &q);
            reads(&f, x, few ? &few_q : &k);
            int32_t scores = made_as(&f, few ? &few_q : &qk, few ? 4096 : SQUARE_BYTES);
            if (how == 1) {
                flow_op(&f, "softmax", OP_TRAIT_BY_ROWS, 0);
                reads(&f, scores, &qk);
                scores = made_as(&f, &qk, SQUARE_BYTES);
            }
            flow_op(&f, "aten::bmm", 0, 0);
            if (how == 4) {
                reads(&f, v, &k);
                reads(&f, scores, &transposed);
            } else {
                reads(&f, scores, few ? &few_q : &qk);
                reads(&f, how == 5 ? scores : v, how == 5 ? &qk : few ? &few_q : &q);
                if (how == 7)
                    flow_holds(&f, 990, 0);
            }
            int32_t y = made_as(&f, &q, BYTES);
            if (how == 3) {
                flow_op(&f, "log", 0, 0);
                reads(&f, scores, &qk);
                reads(&f, y, &q);
                y = made_as(&f, &q, BYTES);
            }
            flow_op(&f, "loss", 0, 0);
            reads(&f, y, &q);
            flow_train(&f, w, flow_make(&f, 0));
        }
        bool costly = how == 0 || how == 4;
        for (int n = 0; n < (how == 7 ? 1 : 2); n++) {
            double keep;
            bool first = n == 0 && how == 6;
            assert_int_equal(class_and_part_of(&f, first ? inner : "aten::bmm", 0,
                                               how == 6 ? 0 : n, &keep),
                             costly ? FLOW_CLASS_ORDER : FLOW_CLASS_NONE);
            /* 16 × 200 × 16 twice, for 200 × 16 × 200 twice */
            assert_float_equal(keep, costly ? 16.0 / 200 : 0, 1e-9);
        }
        flow_done(&f);
    }
}

/* The model runs twice on one batch. how 0: both are differentiated together; 1: the
 * second alone, and that again: with the first in its place it would have to be as well;
 * 2: each in a pass of its own. */
static void the_backward_pass_of_what_is_repeated(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
            size_t first = f.run.watched_ops.table.n;
            int32_t a = flow_call(&f, "model", batch, w);
            int32_t b = flow_call(&f, "model", batch, w);
            int32_t grad = a;
            f.backward = 3 * s + 1;
            size_t slope = f.run.watched_ops.table.n;
            if (how != 1) {
                grad = flow_call(&f, "model_backward", a, -1);
                is_of(&f, first);
            }
            f.backward += how == 2;
            grad = flow_call(&f, "model_backward", b, grad);
            is_of(&f, first + 1);
            if (how == 1) {
                f.backward = 3 * s + 3;
                grad = flow_call(&f, "again", grad, -1);
                is_of(&f, slope);
            }
            f.backward = 0;
            flow_train(&f, w, grad);
        }
        assert_int_equal(class_of(&f, "model", 0, 1), FLOW_CLASS_REPEATED);
        assert_int_equal(class_of(&f, "model_backward", 0, how == 1 ? 0 : 1),
                         how == 1 ? FLOW_CLASS_NONE : FLOW_CLASS_REPEATED);
        flow_done(&f);
    }
}

/* The same gradient in two passes. how 0: the second differentiates the first, and needs
 * it; 1: it is of what a checkpoint computes again in its own pass; 2: a third one
 * differentiates the first, and the second could have been it. */
static void what_a_pass_needs_to_be_differentiated(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        int32_t w;
        struct flow_run f = flow_begun(&w);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
            size_t trunk = f.run.watched_ops.table.n;
            int32_t y = flow_call(&f, "trunk", batch, w);
            size_t computed;
            f.backward = 3 * s + 1;
            if (how == 1)
                flow_call(&f, "checkpointed", y, w);
            size_t slope = f.run.watched_ops.table.n;
            int32_t once = flow_call(&f, "slope", y, batch);
            if (how == 1)
                is_of(&f, slope - 1);
            f.backward++;
            computed = f.run.watched_ops.table.n;
            if (how == 1)
                flow_call(&f, "checkpointed", batch, w);
            int32_t again = flow_call(&f, "slope", y, batch);
            is_of(&f, how == 1 ? computed : how == 2 ? trunk : slope);
            if (how == 2) {
                f.backward++;
                once = flow_call(&f, "curve", once, y);
                is_of(&f, slope);
            }
            f.backward = 0;
            flow_train(&f, w, flow_call(&f, "residual", once, again));
        }
        assert_int_equal(class_of(&f, "slope", 1, 1),
                         how ? FLOW_CLASS_REPEATED : FLOW_CLASS_NONE);
        flow_done(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays_as_it_is_is_looked_at_once),
        cmocka_unit_test(a_constant_makes_nothing_more_exact),
        cmocka_unit_test(what_meets_something_larger_is_copied),
        cmocka_unit_test(rows_that_a_loss_does_not_look_at),
        cmocka_unit_test(a_gradient_that_comes_with_others),
        cmocka_unit_test(products_in_a_costly_order),
        cmocka_unit_test(the_backward_pass_of_what_is_repeated),
        cmocka_unit_test(what_a_pass_needs_to_be_differentiated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
