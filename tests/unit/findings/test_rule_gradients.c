/* What is done about gradients: embedding-gradient, clip-cost,
 * clear-cost. */
#include "unit/findings/ops_fixture.h"

static const char sgd[] = "Optimizer.step#SGD.step";

static int64_t linear(struct script *s)
{
    return script_trained(s, "aten::linear", "[[64,64],[64,64],[64]]", 2000);
}

static void optimizer(struct script *s, const char *name, const char *shapes, int64_t us)
{
    script_open(s, SPAN_KIND_ANNOTATION, sgd, "");
    script_op(s, name, shapes, us);
    script_close(s);
}

/* --- computed again --- */

/* What is called in the forward pass, and in a node of the backward pass. */
static void checkpointed(struct script *s, const char *const forward[3],
                         const char *const again[3])
{
    script_init(s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(s);
        int64_t number = linear(s);
        for (int i = 0; i < 3; i++)
            script_op(s, forward[i], "", 500);
        script_node_open(s, "AddmmBackward0", number);
        script_open(s, SPAN_KIND_OP, "AddmmBackward0", "");
        script_op(s, "aten::view", "", 10);
        for (int i = 0; i < 3 && again[i]; i++)
            script_op(s, again[i], "", 500);
        script_op(s, "aten::mm", "", 2000);
        script_close(s);
        script_close(s);
        script_step_end(s);
    }
    script_find(s);
}

static const char *const block[3] = {"aten::layer_norm", "aten::linear", "aten::gelu"};

static void a_formula_of_the_programs_own_is_not(void **state)
{
    (void)state;
    struct script s;
    checkpointed(&s, block, (const char *const[3]){"aten::linear"});
    script_is_silent(&s);
    script_release(&s);
    checkpointed(&s, block,
                 (const char *const[3]){"aten::gelu", "aten::linear", "aten::linear"});
    script_is_silent(&s);
    script_release(&s);
}

static void operators_of_gradients_are_not(void **state)
{
    (void)state;
    struct script s;
    checkpointed(&s, block,
                 (const char *const[3]){"aten::sum", "aten::sum", "aten::sum"});
    script_is_silent(&s);
    script_release(&s);
}

/* --- embeddings --- */

static void embedded(struct script *s, const char *table, const char *head,
                     const char *parameters)
{
    script_init(s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(s);
        int64_t first = script_trained(s, "aten::embedding", table, 100);
        script_trained(s, "aten::linear", head, 1000);
        script_node(s, "AddmmBackward0", first + 1, 2000);
        script_node_open(s, "EmbeddingBackward0", first);
        script_open(s, SPAN_KIND_OP, "aten::embedding_dense_backward",
                    "[[4,16,8],[4,16],[],[],[]]");
        s->now_us += 1000;
        script_close(s);
        script_close(s);
        optimizer(s, "aten::_fused_sgd_", parameters, 1000);
        script_step_end(s);
    }
    script_find(s);
}

static const char large[] = "[[6400,8],[4,16],[],[],[]]"; /* 64 of 6400 rows */

static void rows_that_no_batch_touches_are_told_with_the_optimizers_share(void **state)
{
    (void)state;
    struct script s;
    embedded(&s, large, "[[4,8],[16,8],[16]]", "[[[6400,8],[6400,8]],[[1],[1]]]");
    const struct finding *f = script_must_tell(&s, "embedding-gradient");
    assert_float_equal(script_gain_us(f), 0.99 * (1000 + 1000), 5);
    script_release(&s);
    embedded(&s, large, "[[4,8],[16,8],[16]]", "[[[6400,8],[51200]],[[1],[1]]]");
    f = script_must_tell(&s, "embedding-gradient");
    assert_float_equal(script_gain_us(f), 0.99 * (1000 + 500), 5);
    script_release(&s);
    embedded(&s, large, "[[4,8],[16,8],[16]]", "");
    f = script_must_tell(&s, "embedding-gradient");
    assert_float_equal(script_gain_us(f), 0.99 * 1000, 5);
    assert_non_null(strstr(f->missing, "optimizer"));
    script_release(&s);
}

static void small_tables_and_tables_that_are_heads_are_fine(void **state)
{
    (void)state;
    struct script s;
    embedded(&s, "[[500,8],[4,16],[],[],[]]", "[[4,8],[16,8],[16]]", "");
    script_is_silent(&s);
    script_release(&s);
    embedded(&s, large, "[[4,8],[6400,8],[]]", "");
    script_is_silent(&s);
    script_release(&s);
}

/* --- clipping --- */

static void clipped(struct script *s, int norms, bool fetch, bool joint)
{
    script_init(s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(s);
        int64_t first = linear(s);
        script_backward(s, first, 3000);
        for (int i = 0; i < norms && !joint; i++) {
            script_op(s, "aten::linalg_vector_norm", "[[64,64],[],[],[],[]]", 10);
            s->now_us += 4; /* the host's */
            if (fetch)
                script_op(s, "aten::item", "[[]]", 5);
        }
        if (joint)
            script_op(s, "aten::_foreach_norm", "[[[64,64],[64,64]],[]]", 200);
        optimizer(s, "aten::_fused_sgd_", "", 100);
        for (int i = 0; i < 40; i++) { /* what is logged after the step is no clipping */
            script_op(s, "aten::norm", "[[64,64],[]]", 10);
            script_op(s, "aten::item", "[[]]", 5);
        }
        script_step_end(s);
    }
    script_find(s);
}

static void norms_one_by_one_lose_the_hosts_time_between_them(void **state)
{
    (void)state;
    struct script s;
    clipped(&s, 40, true, false);
    const struct finding *f = script_must_tell(&s, "clip-cost");
    assert_int_equal(f->price, PRICE_MODELLED);
    assert_float_equal(script_gain_us(f), 40 * (5 + 1 + 5), 15);
    script_release(&s);
}

static void tensors_made_on_the_way_to_a_norm_go(void **state)
{
    (void)state;
    struct script s;
    script_init(&s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(&s);
        int64_t first = linear(&s);
        script_backward(&s, first, 3000);
        for (int i = 0; i < 40; i++) {
            script_op(&s, "aten::square", "[[64,64]]", 10);
            script_op(&s, "aten::sum", "[[64,64],[]]", 10);
            script_op(&s, "aten::mul_", "[[64,64],[]]", 10);
        }
        optimizer(&s, "aten::_fused_sgd_", "", 100);
        script_step_end(&s);
    }
    script_find(&s);
    const struct finding *f = script_must_tell(&s, "clip-cost");
    assert_float_equal(script_gain_us(f), 40 * (10 + 3), 15);
    script_release(&s);
}

static void a_joint_norm_and_a_few_are_fine(void **state)
{
    (void)state;
    struct script s;
    clipped(&s, 0, false, true);
    script_is_silent(&s);
    script_release(&s);
    clipped(&s, 8, true, false);
    script_is_silent(&s);
    script_release(&s);
}

#define FLAT "[[32768]]"
enum { PARAMETERS = 8, FLAT_US = 200 }; /* a number read or written: of (64, 64) each */

/* What is done to a flat vector of all gradients, with its number of tensors moved. */
struct flat_op {
    const char *name, *shapes;
    int moves;
};

static void clipped_flat(struct script *s, const struct flat_op *ops, size_t n)
{
    script_init(s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(s);
        int64_t first = linear(s);
        script_backward(s, first, 3000);
        for (int i = 0; i < PARAMETERS; i++) {
            script_node_open(s, "torch::autograd::AccumulateGrad", 0);
            script_op(s, "torch::autograd::AccumulateGrad", "[[64,64]]", 2);
            script_close(s);
        }
        for (size_t i = 0; i < n; i++)
            script_op(s, ops[i].name, ops[i].shapes, FLAT_US * ops[i].moves);
        optimizer(s, "aten::_fused_sgd_", "", 100);
        script_step_end(s);
    }
    script_find(s);
}

#define CLIPPED_FLAT(s, ...)                                                             \
    clipped_flat(s, (const struct flat_op[]){__VA_ARGS__},                               \
                 sizeof((const struct flat_op[]){__VA_ARGS__}) / sizeof(struct flat_op))

static void gradients_copied_to_be_clipped_move_more_than_the_joint_call(void **state)
{
    (void)state;
    struct script s;
    /* as a list that is too long for the trace, scaled seldom; and with squares */
    CLIPPED_FLAT(&s, {"aten::cat", "[[],[]]", 2}, {"aten::linalg_vector_norm", FLAT, 1},
                 {"aten::item", "[[]]", 0}, {"aten::copy_", "[[32768],[32768],[]]", 2});
    const struct finding *f = script_must_tell(&s, "clip-cost");
    assert_int_equal(f->price, PRICE_MODELLED);
    assert_float_equal(script_gain_us(f), (5 - 3) * FLAT_US, 15);
    assert_non_null(strstr(f->evidence, "twice"));
    script_release(&s);
    CLIPPED_FLAT(&s, {"aten::cat", "[[[32768],[1]],[]]", 2}, {"aten::square", FLAT, 2},
                 {"aten::sum", FLAT, 1}, {"aten::mul", FLAT, 2},
                 {"aten::copy_", "[[32768],[32768],[]]", 2});
    f = script_must_tell(&s, "clip-cost");
    assert_float_equal(script_gain_us(f), (9 - 3) * FLAT_US, 15);
    script_release(&s);
}

static void copies_that_clip_nothing_are_fine(void **state)
{
    (void)state;
    struct script s;
    /* looked at only */
    CLIPPED_FLAT(&s, {"aten::cat", "[[],[]]", 2}, {"aten::linalg_vector_norm", FLAT, 1},
                 {"aten::histc", FLAT, 2});
    script_is_silent(&s);
    script_release(&s);
    /* exchanged */
    CLIPPED_FLAT(&s, {"aten::cat", "[[],[]]", 2}, {"c10d::allreduce_", "[[[32768]]]", 2},
                 {"aten::linalg_vector_norm", FLAT, 1},
                 {"aten::copy_", "[[32768],[32768],[]]", 2});
    script_is_silent(&s);
    script_release(&s);
    /* no norm of them; a norm in place; a copy of a few */
    CLIPPED_FLAT(&s, {"aten::cat", "[[],[]]", 2}, {"aten::mul", FLAT, 2},
                 {"aten::copy_", "[[32768],[32768],[]]", 2});
    script_is_silent(&s);
    script_release(&s);
    CLIPPED_FLAT(&s, {"aten::linalg_vector_norm", FLAT, 1}, {"aten::mul_", FLAT, 2});
    script_is_silent(&s);
    script_release(&s);
    CLIPPED_FLAT(&s, {"aten::clone", "[[64,64],[]]", 2},
                 {"aten::linalg_vector_norm", FLAT, 1}, {"aten::mul_", FLAT, 2});
    script_is_silent(&s);
    script_release(&s);
}

/* --- clearing --- */

static void cleared(struct script *s, int parameters, bool zeroed, int backwards)
{
    script_init(s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(s);
        script_open(s, SPAN_KIND_ANNOTATION, "Optimizer.zero_grad#SGD.zero_grad", "");
        for (int i = 0; i < parameters && zeroed; i++)
            script_op(s, "aten::zero_", "[[64,64]]", 40);
        script_close(s);
        for (int k = 0; k < backwards; k++) {
            int64_t first = linear(s);
            script_backward(s, first, 2000);
            for (int i = 0; i < parameters; i++) {
                script_node_open(s, "torch::autograd::AccumulateGrad", 0);
                script_op(s, zeroed || k ? "aten::add_" : "aten::detach",
                          "[[64,64],[64,64],[]]", 60);
                script_close(s);
            }
        }
        optimizer(s, "aten::_fused_sgd_", "", 100);
        script_step_end(s);
    }
    script_find(s);
}

static void zeroing_goes_with_the_sum_after_it(void **state)
{
    (void)state;
    struct script s;
    cleared(&s, 8, true, 1);
    const struct finding *f = script_must_tell(&s, "clear-cost");
    assert_int_equal(f->price, PRICE_REPLAYED);
    assert_float_equal(script_gain_us(f), 8 * (41 + 61), 20);
    script_release(&s);
}

static void of_several_sums_one_goes(void **state)
{
    (void)state;
    struct script s;
    cleared(&s, 8, true, 4);
    const struct finding *f = script_must_tell(&s, "clear-cost");
    assert_float_equal(script_gain_us(f), 8 * (41 + 60), 20);
    script_release(&s);
}

static void gradients_that_are_let_go_are_fine(void **state)
{
    (void)state;
    struct script s;
    cleared(&s, 8, false, 1);
    script_is_silent(&s);
    script_release(&s);
    cleared(&s, 8, false, 4);
    script_is_silent(&s);
    script_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_formula_of_the_programs_own_is_not),
        cmocka_unit_test(operators_of_gradients_are_not),
        cmocka_unit_test(rows_that_no_batch_touches_are_told_with_the_optimizers_share),
        cmocka_unit_test(small_tables_and_tables_that_are_heads_are_fine),
        cmocka_unit_test(norms_one_by_one_lose_the_hosts_time_between_them),
        cmocka_unit_test(tensors_made_on_the_way_to_a_norm_go),
        cmocka_unit_test(a_joint_norm_and_a_few_are_fine),
        cmocka_unit_test(gradients_copied_to_be_clipped_move_more_than_the_joint_call),
        cmocka_unit_test(copies_that_clip_nothing_are_fine),
        cmocka_unit_test(zeroing_goes_with_the_sum_after_it),
        cmocka_unit_test(of_several_sums_one_goes),
        cmocka_unit_test(gradients_that_are_let_go_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
