/* GPT-2 as a whole: its table, its initialisation, and oneDNN against the reference. The
 * gradients themselves are checked in tests/double. */
#include "cmocka_setup.h"
#include "model/gpt2.h"
#include "model/weight_init.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

struct fixture {
    struct engine engine;
    struct memory_plan plan;
    struct gpt2 model;
    int32_t *tokens, *targets; /* (B, T) */
};

static void setup(struct fixture *f, const char *engine, struct gpt2_shape shape,
                  int64_t B)
{
    struct err err = ERR_INIT;
    assert_int_equal(engine_init(&f->engine, engine, &err), STATUS_OK);
    assert_int_equal(gpt2_init(&f->model, &f->engine, &shape, B, &err), STATUS_OK);
    memory_plan_init(&f->plan);
    gpt2_plan(&f->model, &f->plan);
    memory_plan_add(&f->plan, (void **)&f->tokens, TENSOR_CLASS_DATA, "tokens",
                    f->model.M, sizeof(int32_t));
    memory_plan_add(&f->plan, (void **)&f->targets, TENSOR_CLASS_DATA, "targets",
                    f->model.M, sizeof(int32_t));
    assert_int_equal(memory_plan_allocate(&f->plan, &err), STATUS_OK);
    gpt2_bind(&f->model);
    gpt2_init_weights(&f->model, 42);
    for (int64_t i = 0; i < f->model.M; i++) {
        f->tokens[i] = (int32_t)(i * 7 % shape.vocab);
        f->targets[i] = (int32_t)((i * 7 + 7) % shape.vocab);
    }
}

static void release(struct fixture *f)
{
    gpt2_release(&f->model);
    memory_plan_release(&f->plan);
}

static void run(struct fixture *f, bool accumulate)
{
    gpt2_forward(&f->model, f->tokens, f->targets);
    gpt2_backward(&f->model, f->tokens, f->targets, (real)(1.0 / (double)f->model.M),
                  accumulate);
}

static void table_has_gpt2_names_and_sizes(void **state)
{
    (void)state;
    struct gpt2_shape gpt2_124m = {12, 12, 768, 1024, 50257, true};
    struct param_table t;
    gpt2_params_init(&t, &gpt2_124m);
    assert_int_equal(t.count, 124439808); /* as published */
    assert_string_equal(t.param[0].name, "wte.weight");
    assert_string_equal(t.param[4].name, "h.0.ln_1.weight");
    assert_string_equal(t.param[6].name, "h.0.attn.c_attn.weight");
    assert_int_equal(t.param[6].shape[0], 3 * 768);
    assert_int_equal(t.param[6].shape[1], 768);
    assert_string_equal(t.param[t.n - 1].name, "h.11.mlp.c_proj.bias");
    param_table_release(&t);
    gpt2_124m.bias = false;
    gpt2_params_init(&t, &gpt2_124m);
    for (size_t i = 0; i < t.n; i++)
        assert_null(strstr(t.param[i].name, "bias"));
    param_table_release(&t);
}

static void initial_weights_have_gpt2_spread(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f, "reference", (struct gpt2_shape){2, 4, 64, 32, 100, true}, 1);
    for (size_t i = 0; i < f.model.params.n; i++) {
        const struct param *p = &f.model.params.param[i];
        const real *x = f.model.param + p->offset;
        double sum = 0, squares = 0;
        double stddev = p->init == PARAM_INIT_NORMAL     ? 0.02
                        : p->init == PARAM_INIT_RESIDUAL ? 0.01
                                                         : 0;
        for (int64_t k = 0; k < p->n; k++) {
            double centred = x[k] - (p->init == PARAM_INIT_ONE ? 1 : 0);
            sum += centred;
            squares += centred * centred;
        }
        /* five standard errors of mean and deviation */
        double n = (double)p->n;
        assert_true(fabs(sum / n) <= 5 * stddev / sqrt(n));
        assert_true(fabs(sqrt(squares / n) - stddev) <= 5 * stddev / sqrt(2 * n));
    }
    release(&f);
}

static void a_weight_depends_on_seed_tensor_and_index_alone(void **state)
{
    (void)state;
    struct param p = {.n = 1000, .init = PARAM_INIT_NORMAL};
    real one[1000], three[1000];
    engine_set_threads(1);
    weight_fill(one, &p, 3, 7, 1.0);
    engine_set_threads(3);
    weight_fill(three, &p, 3, 7, 1.0);
    assert_memory_equal(one, three, sizeof one);
    assert_true(one[123] == (real)weight_normal(7, 3, 123));
    assert_true(weight_normal(7, 3, 123) != weight_normal(8, 3, 123));
    assert_true(weight_normal(7, 3, 123) != weight_normal(7, 4, 123));
    assert_true(weight_normal(7, 3, 123) != weight_normal(7, 3, 124));
}

static void first_loss_is_that_of_a_uniform_guess(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f, "reference", (struct gpt2_shape){2, 2, 32, 16, 50, true}, 2);
    gpt2_forward(&f.model, f.tokens, f.targets);
    double mean = 0;
    for (int64_t i = 0; i < f.model.M; i++)
        mean += f.model.loss[i] / (double)f.model.M;
    assert_true(fabs(mean - log(50)) < 0.1);
    release(&f);
}

static double error_between(const real *x, const real *y, int64_t n)
{
    double difference = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        difference += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
        size += (double)y[i] * y[i];
    }
    return sqrt(difference) / (size > 0 ? sqrt(size) : 1);
}

static void compare_engines(struct gpt2_shape shape, int64_t B)
{
    struct fixture plain, fast;
    setup(&plain, "reference", shape, B);
    setup(&fast, "onednn", shape, B);
    int64_t cells = plain.model.M * shape.vocab;
    gpt2_forward(&plain.model, plain.tokens, plain.targets);
    gpt2_forward(&fast.model, fast.tokens, fast.targets);
    assert_true(error_between(fast.model.logits, plain.model.logits, cells) <= 1e-5);
    run(&plain, false);
    run(&fast, false);
    for (size_t i = 0; i < plain.model.params.n; i++) {
        const struct param *p = &plain.model.params.param[i];
        double error = error_between(fast.model.grad + p->offset,
                                     plain.model.grad + p->offset, p->n);
        if (!(error <= 1e-5))
            fail_msg("the gradient of %s differs by %g", p->name, error);
    }
    release(&plain);
    release(&fast);
}

static void onednn_gives_the_reference_gradients(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        engine_set_threads(threads);
        compare_engines((struct gpt2_shape){2, 3, 33, 13, 37, true}, 3);
        compare_engines((struct gpt2_shape){1, 1, 7, 1, 2, false}, 1);
        compare_engines((struct gpt2_shape){4, 4, 128, 64, 65, true}, 2);
    }
}

static void accumulating_twice_doubles_the_gradient(void **state)
{
    (void)state;
    static const char *const engines[] = {"reference", "onednn"};
    engine_set_threads(2);
    for (int e = 0; e < 2; e++) {
        struct fixture f;
        setup(&f, engines[e], (struct gpt2_shape){2, 3, 15, 9, 21, true}, 2);
        size_t n = (size_t)f.model.params.total;
        real *once = mem_alloc(n * sizeof *once);
        run(&f, false);
        memcpy(once, f.model.grad, n * sizeof *once);
        run(&f, false); /* overwrites */
        assert_memory_equal(once, f.model.grad, n * sizeof *once);
        run(&f, true);
        for (size_t i = 0; i < n; i++)
            once[i] *= 2;
        assert_true(error_between(f.model.grad, once, (int64_t)n) < 1e-6);
        mem_free(once);
        release(&f);
    }
}

static void heads_that_do_not_divide_the_width_are_refused(void **state)
{
    (void)state;
    struct engine engine;
    struct gpt2 m;
    struct err err = ERR_INIT;
    struct gpt2_shape shape = {1, 3, 16, 8, 10, true};
    assert_int_equal(engine_init(&engine, "reference", &err), STATUS_OK);
    assert_int_equal(gpt2_init(&m, &engine, &shape, 1, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "must divide"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_gpt2_names_and_sizes),
        cmocka_unit_test(initial_weights_have_gpt2_spread),
        cmocka_unit_test(a_weight_depends_on_seed_tensor_and_index_alone),
        cmocka_unit_test(first_loss_is_that_of_a_uniform_guess),
        cmocka_unit_test(onednn_gives_the_reference_gradients),
        cmocka_unit_test(accumulating_twice_doubles_the_gradient),
        cmocka_unit_test(heads_that_do_not_divide_the_width_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
