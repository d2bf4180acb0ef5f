/* A model's first weights, and which shapes are no model. */
#include "model_fixture.h"

static const struct engine_options REFERENCE = {"reference", "f32", "tiled"};

/* All numbers of a model's parameters in full precision, in the table's order. */
static real *all_numbers(const struct model *m)
{
    real *x = mem_alloc((size_t)m->params.table.count * sizeof *x), *at = x;
    for (size_t i = 0; i < m->params.table.n; i++) {
        const struct param *p = &m->params.table.param[i];
        param_store_get(&m->store, p, 0, p->n, at);
        at += p->n;
    }
    return x;
}

static real *initial_numbers(struct engine_options engine,
                             const struct model_shape *shape,
                             struct model_options options, uint64_t seed)
{
    struct subject s;
    subject_open(&s, engine, shape, options);
    model_init_weights(&s.model, seed);
    real *x = all_numbers(&s.model);
    subject_close(&s);
    return x;
}

static int64_t count_of(const struct model_shape *shape)
{
    struct model_params p;
    model_params_init(&p, shape);
    int64_t n = p.table.count;
    model_params_release(&p);
    return n;
}

/* Precision, engine, batch, fusing and threads are no part of it. */
static void first_weights_depend_on_the_seed_alone(void **state)
{
    (void)state;
    const struct engine_options other = {"onednn", "bf16", "plain"};
    const struct model_options options = {
        .batch = 3, .recompute = true, .unfused_qkv = true, .unfused_gate_up = true};
    for (size_t f = 0; f < COUNT(FAMILIES); f++) {
        size_t bytes = (size_t)count_of(FAMILIES[f]) * sizeof(real);
        engine_set_threads(1);
        real *a = initial_numbers(REFERENCE, FAMILIES[f],
                                  (struct model_options){.batch = 1}, 42);
        engine_set_threads(3);
        real *b = initial_numbers(other, FAMILIES[f], options, 42);
        real *c = initial_numbers(other, FAMILIES[f], options, 43);
        assert_memory_equal(a, b, bytes);
        assert_memory_not_equal(a, c, bytes);
        mem_free(a);
        mem_free(b);
        mem_free(c);
    }
    engine_set_threads(1);
}

static void no_two_tensors_begin_alike(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(FAMILIES); f++) {
        struct subject s;
        subject_open(&s, REFERENCE, FAMILIES[f], (struct model_options){.batch = 1});
        model_init_weights(&s.model, 7);
        const struct param_table *t = &s.model.params.table;
        for (size_t i = 0; i < t->n; i++) {
            for (size_t k = 0; k < i; k++) {
                real a, b;
                if (t->param[i].dims == 1 || t->param[k].dims == 1)
                    continue;
                param_store_get(&s.model.store, &t->param[i], 5, 1, &a);
                param_store_get(&s.model.store, &t->param[k], 5, 1, &b);
                assert_true(a != b);
            }
        }
        subject_close(&s);
    }
    assert_true(weight_normal(7, 3, 123) != weight_normal(8, 3, 123));
    assert_true(weight_normal(7, 3, 123) != weight_normal(7, 4, 123));
    assert_true(weight_normal(7, 3, 123) != weight_normal(7, 3, 124));
}

/* Five standard errors of mean and deviation. */
static void check_spread(const struct model *m, const struct param *p, double stddev)
{
    double sum = 0, squares = 0, n = (double)p->n;
    for (int64_t k = 0; k < p->n; k++) {
        real x;
        param_store_get(&m->store, p, k, 1, &x);
        double centred = (double)x - (p->init == PARAM_INIT_ONE ? 1 : 0);
        sum += centred;
        squares += centred * centred;
    }
    assert_true(fabs(sum / n) <= 5 * stddev / sqrt(n));
    assert_true(fabs(sqrt(squares / n) - stddev) <= 5 * stddev / sqrt(2 * n));
}

static void first_weights_have_their_familys_spread(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(FAMILIES); f++) {
        struct subject s;
        struct model_shape shape = *FAMILIES[f];
        bool gpt2 = shape.family == MODEL_FAMILY_GPT2;
        shape.heads = shape.kv_heads = 4;
        shape.width = 64;
        shape.hidden = 96;
        subject_open(&s, REFERENCE, &shape, (struct model_options){.batch = 1});
        model_init_weights(&s.model, 42);
        for (size_t i = 0; i < s.model.params.table.n; i++) {
            const struct param *p = &s.model.params.table.param[i];
            bool to_stream = gpt2 && strstr(p->name, "c_proj.weight");
            check_spread(&s.model, p, p->dims == 1 ? 0 : to_stream ? 0.01 : 0.02);
        }
        subject_close(&s);
    }
}

static void the_first_loss_is_that_of_a_uniform_guess(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(FAMILIES); f++) {
        struct subject s;
        subject_open(&s, REFERENCE, FAMILIES[f], (struct model_options){.batch = 2});
        model_init_weights(&s.model, 42);
        subject_forward(&s);
        for (int64_t i = 0; i < s.model.M; i++) {
            if (s.targets[i] < 0)
                assert_true(s.model.loss[i] == 0);
            else
                assert_true(fabs((double)s.model.loss[i] - log(7)) < 0.5);
        }
        subject_close(&s);
    }
}

static enum status try(struct model_shape shape, int64_t batch, struct err *err)
{
    struct engine engine;
    struct model m;
    struct model_options options = {.batch = batch};
    assert_int_equal(engine_init(&engine, &REFERENCE, err), STATUS_OK);
    enum status s = model_init(&m, &engine, &shape, &options, err);
    if (s == STATUS_OK)
        model_release(&m);
    return s;
}

static void shapes_that_are_no_model_are_refused_with_what_to_change(void **state)
{
    (void)state;
    struct model_shape heads = GPT2_SMALL, kv = LLAMA_SMALL, odd = LLAMA_SMALL,
                       bias = LLAMA_SMALL, vast = LLAMA_SMALL;
    struct err err = ERR_INIT;
    heads.heads = 5;
    kv.kv_heads = 3;
    odd.heads = odd.kv_heads = 8; /* of one number each */
    bias.bias = true;
    vast.hidden = INT64_MAX / 2;
    assert_int_equal(try(heads, 1, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "must divide width"));
    assert_int_equal(try(kv, 1, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "kv_heads"));
    assert_int_equal(try(odd, 1, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "even"));
    assert_int_equal(try(bias, 1, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "bias: false"));
    assert_int_equal(try(vast, 1, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "hidden"));
    assert_int_equal(try(GPT2_SMALL, INT64_C(1) << 40, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "2^31"));
}

/* The largest shapes that are let in: their memory is counted without overflow, and
 * refused before it is taken. */
static void the_largest_shapes_are_refused_by_their_memory(void **state)
{
    (void)state;
    static const char *const kinds[] = {"plain", "tiled"};
    for (int i = 0; i < 8; i++) {
        struct engine engine;
        struct model m;
        struct memory_plan plan;
        struct err err = ERR_INIT;
        const int64_t most = (int64_t)1 << 22;
        struct engine_options options = {"reference", i & 1 ? "bf16" : "f32",
                                         kinds[i >> 1 & 1]};
        struct model_shape shape = *FAMILIES[i >> 2];
        shape.width = shape.hidden = shape.context = most;
        shape.vocab = (int64_t)1 << 31;
        shape.heads = shape.kv_heads = most / 2;
        assert_int_equal(engine_init(&engine, &options, &err), STATUS_OK);
        assert_int_equal(
            model_init(&m, &engine, &shape, &(struct model_options){.batch = 512}, &err),
            STATUS_OK);
        memory_plan_init(&plan);
        model_plan(&m, &plan);
        assert_int_equal(memory_plan_allocate(&plan, &err), STATUS_ENVIRONMENT);
        model_release(&m);
        memory_plan_release(&plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_weights_depend_on_the_seed_alone),
        cmocka_unit_test(no_two_tensors_begin_alike),
        cmocka_unit_test(first_weights_have_their_familys_spread),
        cmocka_unit_test(the_first_loss_is_that_of_a_uniform_guess),
        cmocka_unit_test(shapes_that_are_no_model_are_refused_with_what_to_change),
        cmocka_unit_test(the_largest_shapes_are_refused_by_their_memory),
    };
    return cmocka_run_group_tests(tests, one_thread, NULL);
}
