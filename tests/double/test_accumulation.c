/* Gradients that are added up over micro-batches, and ways to compute the same, in
 * double: what remains is the order of sums. */
#include "gradient_fixture.h"

static const double ORDER = 1e-12;

static void assert_same_gradients(const struct subject *a, const struct subject *b)
{
    const struct param_table *t = &a->model.params.table;
    for (size_t i = 0; i < t->n; i++) {
        const struct param *p = &t->param[i];
        double difference = 0, size = 0;
        for (int64_t k = p->offset; k < p->offset + p->n; k++) {
            difference = fmax(difference, fabs(a->model.grad[k] - b->model.grad[k]));
            size = fmax(size, fabs(b->model.grad[k]));
        }
        if (!(difference <= ORDER * size))
            fail_msg("the gradient of %s differs by %g of %g", p->name, difference, size);
    }
}

static void two_micro_batches_are_one_batch(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        struct subject both, half;
        struct model_shape shape = *FAMILIES[i & 1];
        struct engine_options engine = i & 2 ? TILED : PLAIN;
        bool recompute = i & 4;
        shape.tied = i & 8;
        subject_open(&both, engine, &shape,
                     (struct model_options){.batch = 2, .recompute = recompute});
        subject_open(&half, engine, &shape,
                     (struct model_options){.batch = 1, .recompute = recompute});
        subject_run(&both, both.model.M, false);
        for (int64_t row = 0; row < 2; row++) {
            subject_batch(&half, row);
            subject_run(&half, both.model.M, row > 0);
        }
        assert_same_gradients(&half, &both);
        subject_close(&both);
        subject_close(&half);
    }
}

static void tiled_attention_is_plain_attention(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct subject plain, tiled;
        struct model_shape shape = with_context(FAMILIES[i & 1], 101);
        struct model_options options = {.batch = 2, .dropout = i & 2 ? 0.2 : 0};
        subject_open(&plain, PLAIN, &shape, options);
        subject_open(&tiled, TILED, &shape, options);
        subject_run(&plain, plain.model.M, false);
        subject_run(&tiled, tiled.model.M, false);
        assert_same_gradients(&tiled, &plain);
        subject_close(&plain);
        subject_close(&tiled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_micro_batches_are_one_batch),
        cmocka_unit_test(tiled_attention_is_plain_attention),
    };
    return cmocka_run_group_tests(tests, one_thread, NULL);
}
