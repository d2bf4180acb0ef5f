/* Ways to compute the same model that must not change one bit of losses and gradients. */
#include "compare_fixture.h"

/* All combinations of engine, precision, attention and family: bits of a number. */
enum { WAYS = 16 };
static struct engine_options way_engine(int way)
{
    return (struct engine_options){way & 1 ? "onednn" : "reference",
                                   way & 2 ? "bf16" : "f32", way & 4 ? "plain" : "tiled"};
}
static const struct model_shape *way_shape(int way)
{
    return FAMILIES[way >> 3];
}

static void compare_options(int way, struct model_options a, struct model_options b)
{
    struct subject one, other;
    subject_ready(&one, way_engine(way), way_shape(way), a);
    subject_ready(&other, way_engine(way), way_shape(way), b);
    assert_same_bits(&one, &other);
    subject_close(&one);
    subject_close(&other);
}

static void computing_blocks_again_changes_nothing(void **state)
{
    (void)state;
    const struct model_options dropout = {.batch = 3, .dropout = 0.2, .dropout_seed = 9};
    struct model_options again = dropout, plain = {.batch = 3}, plain_again = plain;
    again.recompute = plain_again.recompute = true;
    for (int way = 0; way < WAYS; way++) {
        compare_options(way, dropout, again);
        compare_options(way, plain, plain_again);
    }
}

/* The reference sums in one order, fused or not; oneDNN need not. */
static void parts_change_nothing_in_the_reference(void **state)
{
    (void)state;
    const struct model_options fused = {.batch = 2};
    const struct model_options parts = {
        .batch = 2, .unfused_qkv = true, .unfused_gate_up = true};
    for (int way = 0; way < WAYS; way += 2)
        compare_options(way, fused, parts);
}

static void threads_change_nothing_in_the_reference(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way += 2) {
        struct subject first;
        engine_set_threads(1);
        subject_ready(&first, way_engine(way), way_shape(way),
                      (struct model_options){.batch = 2, .dropout = 0.1});
        for (int threads = 2; threads <= 3; threads++) {
            struct subject s;
            engine_set_threads(threads);
            subject_ready(&s, way_engine(way), way_shape(way),
                          (struct model_options){.batch = 2, .dropout = 0.1});
            assert_same_bits(&first, &s);
            subject_close(&s);
        }
        subject_close(&first);
    }
    engine_set_threads(1);
}

/* What was in the gradients before is overwritten, all of it. */
static void a_backward_pass_that_does_not_add_leaves_nothing_behind(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        for (int tied = 0; tied < 2; tied++) {
            struct subject clean, dirty;
            struct model_shape shape = *way_shape(way);
            shape.tied = tied;
            subject_ready(&clean, way_engine(way), &shape,
                          (struct model_options){.batch = 2});
            subject_open(&dirty, way_engine(way), &shape,
                         (struct model_options){.batch = 2});
            const struct param_table *t = &dirty.model.params.table;
            for (size_t i = 0; i < t->n; i++)
                for (int64_t k = 0; k < t->param[i].n; k++)
                    dirty.model.grad[t->param[i].offset + k] = NAN;
            subject_run(&dirty, dirty.model.M, false);
            assert_same_bits(&clean, &dirty);
            subject_close(&clean);
            subject_close(&dirty);
        }
    }
}

/* A sequence's losses do not depend on what else is in the batch. */
static void rows_of_a_batch_are_independent(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way += 2) {
        struct subject three, one;
        subject_open(&three, way_engine(way), way_shape(way),
                     (struct model_options){.batch = 3});
        subject_open(&one, way_engine(way), way_shape(way),
                     (struct model_options){.batch = 1});
        subject_forward(&three);
        for (int64_t row = 0; row < 3; row++) {
            subject_batch(&one, row);
            subject_forward(&one);
            assert_memory_equal(one.model.loss, three.model.loss + row * one.model.T,
                                (size_t)one.model.T * sizeof(real));
        }
        subject_close(&three);
        subject_close(&one);
    }
}

/* Another token at t changes the loss there and later, and nothing before. */
static void no_token_looks_ahead(void **state)
{
    (void)state;
    const int64_t changed = 40;
    for (int way = 0; way < WAYS; way++) {
        struct subject a, b;
        struct model_shape shape = with_context(way_shape(way), 70);
        subject_open(&a, way_engine(way), &shape, (struct model_options){.batch = 1});
        subject_open(&b, way_engine(way), &shape, (struct model_options){.batch = 1});
        for (int64_t i = 0; i < 70; i++)
            a.targets[i] = b.targets[i] = 3;
        b.tokens[changed] = (b.tokens[changed] + 1) % 7;
        subject_forward(&a);
        subject_forward(&b);
        for (int64_t i = 0; i < changed; i++)
            assert_true(a.model.loss[i] == b.model.loss[i]);
        assert_true(a.model.loss[changed] != b.model.loss[changed]);
        assert_true(a.model.loss[69] != b.model.loss[69]);
        subject_close(&a);
        subject_close(&b);
    }
}

/* A shorter sequence than the context is the beginning of a longer one. */
static void fewer_tokens_than_the_context_are_its_beginning(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way += 2) {
        struct subject whole, part;
        subject_open(&whole, way_engine(way), way_shape(way),
                     (struct model_options){.batch = 1});
        subject_open(&part, way_engine(way), way_shape(way),
                     (struct model_options){.batch = 1, .tokens = 4});
        subject_forward(&whole);
        subject_forward(&part);
        assert_int_equal(part.model.M, 4);
        assert_memory_equal(whole.model.loss, part.model.loss, 4 * sizeof(real));
        subject_close(&whole);
        subject_close(&part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computing_blocks_again_changes_nothing),
        cmocka_unit_test(parts_change_nothing_in_the_reference),
        cmocka_unit_test(threads_change_nothing_in_the_reference),
        cmocka_unit_test(a_backward_pass_that_does_not_add_leaves_nothing_behind),
        cmocka_unit_test(rows_of_a_batch_are_independent),
        cmocka_unit_test(no_token_looks_ahead),
        cmocka_unit_test(fewer_tokens_than_the_context_are_its_beginning),
    };
    return cmocka_run_group_tests(tests, one_thread, NULL);
}
