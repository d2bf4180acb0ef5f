/* invariant-rebuilt and small-tensors: tensors that are made. */
#include "unit/findings/ops_fixture.h"

static void layer(struct script *s)
{
    script_trained(s, "aten::linear", "[[8,64,64],[256,64],[256]]", 1000);
}

static void train(struct script *s, void (*before)(struct script *),
                  void (*inside)(struct script *))
{
    script_init(s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(s);
        if (before)
            before(s);
        int64_t first = s->number;
        layer(s);
        if (inside)
            inside(s);
        layer(s);
        script_backward(s, first, 500);
        script_step_end(s);
    }
    script_find(s);
}

static void mask(struct script *s)
{
    script_op(s, "aten::ones", "[[],[],[],[],[]]", 50);
    script_op(s, "aten::tril", "[[64,64],[]]", 100);
    script_op(s, "aten::view", "[[64,64],[]]", 2);
    script_op(s, "aten::eq", "[[1,1,64,64],[]]", 50);
}

static void table(struct script *s)
{
    script_op(s, "aten::zeros", "[[],[],[],[],[]]", 50);
    script_op(s, "aten::arange", "[[],[],[],[],[]]", 20);
    script_op(s, "aten::mul", "[[64,1],[32]]", 50);
    script_op(s, "aten::sin", "[[64,32]]", 100);
    script_op(s, "aten::copy_", "[[64,32],[64,32],[]]", 50);
}

static void what_is_made_of_plain_numbers_in_each_pass_is_told(void **state)
{
    (void)state;
    struct script s;
    train(&s, NULL, mask);
    assert_float_equal(script_gain_us(script_must_tell(&s, "invariant-rebuilt")), 206, 5);
    script_release(&s);
    train(&s, NULL, table);
    assert_float_equal(script_gain_us(script_must_tell(&s, "invariant-rebuilt")), 275, 6);
    script_release(&s);
    train(&s, mask, NULL);
    script_must_tell(&s, "invariant-rebuilt");
    script_release(&s);
}

/* Scaled by the degrees of the nodes, as in a graph convolution. */
static void matrix_of(struct script *s, const char *edges)
{
    script_op(s, "aten::arange", "[[],[],[],[],[]]", 20);
    script_op(s, "aten::cat", edges, 50);
    script_op(s, "aten::zeros", "[[],[],[],[],[]]", 20);
    script_op(s, "aten::ones", "[[],[],[],[],[]]", 20);
    script_op(s, "aten::index_add_", "[[64],[],[512],[512],[]]", 50);
    script_op(s, "aten::rsqrt", "[[64]]", 10);
    script_op(s, "aten::index", "[[64],[]]", 50);
    script_op(s, "aten::mul", "[[512],[512]]", 20);
    script_op(s, "aten::sparse_coo_tensor", "[[2,512],[512],[]]", 20);
    script_op(s, "aten::coalesce", "[[64,64]]", 500);
    script_trained(s, "aten::_sparse_mm", "[[64,64],[64,64]]", 100);
}

static void matrix_in_each_layer(struct script *s)
{
    matrix_of(s, "[[[2,448],[2,64]],[]]");
    matrix_of(s, "[[[2,448],[2,64]],[]]");
}

static void matrix_of_each_batch(struct script *s)
{
    static int batch = 1;
    char edges[64];
    snprintf(edges, sizeof edges, "[[[2,%d],[2,64]],[]]", batch++);
    matrix_of(s, edges);
    matrix_of(s, edges);
}

/* Of the same shapes in all steps, or of others in each. */
static void a_sparse_matrix_of_each_layer_is_made_once_a_pass(void **state)
{
    void (*const inside[])(struct script *) = {matrix_in_each_layer,
                                               matrix_of_each_batch};
    (void)state;
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        struct script s;
        train(&s, NULL, inside[i]);
        const struct finding *x = script_must_tell(&s, "invariant-rebuilt");
        assert_float_equal(script_gain_us(x), 770, 10);
        assert_non_null(strstr(x->evidence, "made anew twice a step"));
        assert_ptr_equal(x->fix, rule_other_fix(x->rule));
        script_release(&s);
    }
}

static void matrix_of_one_layer(struct script *s)
{
    matrix_of(s, "[[[2,448],[2,64]],[]]");
}

/* Two batches a step, each forward and backward. */
static void matrix_of_each_part(struct script *s)
{
    int64_t first = s->number;
    layer(s);
    matrix_of_one_layer(s);
    script_backward(s, first, 500);
    layer(s);
    matrix_of_one_layer(s);
}

static void a_sparse_matrix_that_may_be_the_batchs_is_fine(void **state)
{
    struct script s;
    (void)state;
    train(&s, NULL, matrix_of_one_layer);
    script_is_silent(&s);
    script_release(&s);
    train(&s, NULL, matrix_of_each_part);
    script_is_silent(&s);
    script_release(&s);
}

static void rows_by_the_batch(struct script *s)
{
    for (int i = 0; i < 2; i++) {
        script_op(s, "aten::zeros", "[[],[],[],[],[]]", 10);
        script_op(s, "aten::index_add_", "[[64],[],[512],[512],[]]", 300);
        script_op(s, "aten::index", "[[64],[]]", 300);
        script_trained(s, "aten::mul", "[[512],[512]]", 20);
    }
}

static void what_is_chosen_by_the_batch_is_fine(void **state)
{
    (void)state;
    struct script s;
    train(&s, NULL, rows_by_the_batch);
    script_is_silent(&s);
    script_release(&s);
}

static void padded_batch(struct script *s)
{
    script_op(s, "aten::zeros", "[[],[],[],[],[]]", 200);
    for (int i = 0; i < 4; i++) {
        script_op(s, "aten::select", "[[4,64],[],[]]", 2);
        script_op(s, "aten::copy_", "[[64],[64],[]]", 100);
    }
}

static void noise(struct script *s)
{
    script_op(s, "aten::zeros", "[[],[],[],[],[]]", 200);
    script_op(s, "aten::bernoulli_", "[[64,64],[],[]]", 200);
    script_op(s, "aten::mul", "[[64,64],[64,64]]", 200);
}

static void buffer(struct script *s)
{
    script_op(s, "aten::zeros", "[[],[],[],[],[]]", 300);
}

static void evaluation(struct script *s)
{
    script_op(s, "aten::arange", "[[],[],[],[],[]]", 2);
    script_op(s, "aten::embedding", "[[512,64],[8,64],[],[],[]]", 500);
    script_op(s, "aten::mul", "[[8,64,64],[8,64,64]]", 500);
}

/* The places of a batch's rows in the data: where they begin is not in a trace. */
static void gathered_batch(struct script *s)
{
    script_op(s, "aten::arange", "[[],[],[],[],[]]", 100);
    script_op(s, "aten::unsqueeze", "[[64],[]]", 2);
    script_op(s, "aten::add", "[[8,1],[1,64],[]]", 200);
    script_op(s, "aten::index", "[[100000],[]]", 300);
}

static void sorted_by_length(struct script *s)
{
    script_op(s, "aten::zeros", "[[],[],[],[],[]]", 50);
    script_op(s, "aten::sort", "[[512],[],[]]", 300);
    script_op(s, "aten::mul", "[[512],[512]]", 200);
}

static void batches_noise_buffers_and_evaluations_are_fine(void **state)
{
    (void)state;
    void (*const before[])(struct script *) = {
        padded_batch, noise, buffer, evaluation, gathered_batch, sorted_by_length};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        struct script s;
        train(&s, before[i], NULL);
        script_is_silent(&s);
        script_release(&s);
    }
}

/* --- small tensors --- */

static void tensors(struct script *s, int n, const char *shape)
{
    for (int i = 0; i < n; i++) {
        script_op(s, "aten::empty", "[[],[],[],[],[],[]]", 1);
        script_op(s, "aten::to", "[[],[],[],[],[],[]]", 1);
        script_op(s, "aten::lift_fresh", shape, 1);
        script_op(s, "aten::detach_", shape, 1);
    }
    script_op(s, "aten::stack", "", 20);
}

static void many_scalars(struct script *s)
{
    tensors(s, 128, "[[]]");
}

static void some_scalars(struct script *s)
{
    tensors(s, 60, "[[]]");
}

/* Each is added to what came before. */
static void running_sum(struct script *s)
{
    for (int i = 0; i < 128; i++) {
        script_op(s, "aten::empty", "[[],[],[],[],[],[]]", 1);
        script_op(s, "aten::lift_fresh", "[[]]", 1);
        script_op(s, "aten::mul", "[[],[]]", 1);
        script_op(s, "aten::add", "[[],[],[]]", 1);
    }
    script_op(s, "aten::stack", "", 20);
}

/* Each is computed with, along a line of 40 and over a map of 40 by 40. */
static void spots(struct script *s)
{
    for (int i = 0; i < 20; i++) /* something else of few numbers */
        script_op(s, "aten::mul", "[[40],[40]]", 1);
    for (int i = 0; i < 64; i++) {
        for (int axis = 0; axis < 2; axis++) {
            script_op(s, "aten::empty", "[[],[],[],[],[],[]]", 1);
            script_op(s, "aten::lift_fresh", "[[]]", 1);
            script_op(s, "aten::sub", "[[40],[],[]]", 1);
            script_op(s, "aten::exp", "[[40]]", 1);
        }
        script_op(s, "aten::mul", "[[40,1],[40]]", 1);
        script_op(s, "aten::maximum", "[[40,40],[40,40]]", 1);
    }
    for (int i = 0; i < 20; i++)
        script_op(s, "aten::add", "[[40],[40],[]]", 1);
}

static void rows(struct script *s)
{
    tensors(s, 128, "[[64]]");
}

static void many_tensors_of_a_number_are_told(void **state)
{
    (void)state;
    struct script s;
    train(&s, many_scalars, NULL);
    const struct finding *f = script_must_tell(&s, "small-tensors");
    assert_float_equal(script_gain_us(f), 128 * 8 + 21, 5);
    assert_true(f->missing[0]);
    script_release(&s);
    train(&s, running_sum, NULL);
    f = script_must_tell(&s, "small-tensors");
    assert_float_equal(script_gain_us(f), 128 * 8 + 21, 5);
    script_release(&s);
    train(&s, spots, NULL);
    f = script_must_tell(&s, "small-tensors");
    assert_float_equal(script_gain_us(f), 64 * 20, 10); /* not what is around the loop */
    script_release(&s);
}

static void some_of_them_or_larger_ones_are_fine(void **state)
{
    (void)state;
    struct script s;
    train(&s, some_scalars, NULL);
    script_is_silent(&s);
    script_release(&s);
    train(&s, rows, NULL);
    script_is_silent(&s);
    script_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_made_of_plain_numbers_in_each_pass_is_told),
        cmocka_unit_test(a_sparse_matrix_of_each_layer_is_made_once_a_pass),
        cmocka_unit_test(a_sparse_matrix_that_may_be_the_batchs_is_fine),
        cmocka_unit_test(what_is_chosen_by_the_batch_is_fine),
        cmocka_unit_test(batches_noise_buffers_and_evaluations_are_fine),
        cmocka_unit_test(many_tensors_of_a_number_are_told),
        cmocka_unit_test(some_of_them_or_larger_ones_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
