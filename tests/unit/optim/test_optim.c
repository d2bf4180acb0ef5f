/* AdamW and clipping against values worked out by hand. */
#include "cmocka_setup.h"
#include "engine/engine.h"
#include "optim/adamw.h"
#include "optim/clip.h"

#include <math.h>
#include <string.h>

#define assert_close(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static void adamw_takes_the_steps_of_the_formula(void **state)
{
    (void)state;
    struct param_table t;
    struct memory_plan plan;
    struct err err = ERR_INIT;
    struct adamw o = {0.9, 0.99, 1e-8, 0.1, NULL, NULL};
    param_table_init(&t);
    param_table_add(&t, PARAM_INIT_NORMAL, 1, 1, "matrix");
    param_table_add(&t, PARAM_INIT_ZERO, 1, 0, "bias");
    memory_plan_init(&plan);
    adamw_plan(&o, &plan, &t);
    assert_int_equal(memory_plan_allocate(&plan, &err), STATUS_OK);
    int64_t bias = t.param[1].offset;
    real param[64] = {0}, grad[64] = {0};
    param[0] = 2;
    param[bias] = 2;
    grad[0] = 0.5f;
    grad[bias] = 0.5f;

    /* Step 1: both moments, corrected, are g and g^2, so the change is lr * sign(g);
     * the matrix decays by lr * 0.1 * 2 besides. */
    adamw_step(&o, param, grad, &t, 1, 0.01, 1.0);
    assert_close(param[0], 2 - 0.01 - 0.01 * 0.1 * 2, 1e-6);
    assert_close(param[bias], 2 - 0.01, 1e-6);
    assert_close(o.m[0], 0.05, 1e-8);
    assert_close(o.v[0], 0.0025, 1e-9);

    /* Step 2 with g = 2 scaled by 0.5 to 1: m = 0.145, v = 0.012475, corrected
     * 0.145 / 0.19 = 0.763158 and 0.012475 / 0.0199 = 0.626884, whose root is 0.791760.
     */
    grad[bias] = 2;
    adamw_step(&o, param, grad, &t, 2, 0.01, 0.5);
    assert_close(o.m[bias], 0.145, 1e-7);
    assert_close(o.v[bias], 0.012475, 1e-8);
    assert_close(param[bias], 1.99 - 0.01 * 0.763158 / 0.791760, 1e-6);
    memory_plan_release(&plan);
    param_table_release(&t);
}

static void norm_is_the_root_of_the_sum_of_squares(void **state)
{
    (void)state;
    enum { N = 3 * CLIP_CHUNK + 17 };
    static real grad[N];
    struct clip c;
    struct memory_plan plan;
    struct err err = ERR_INIT;
    memory_plan_init(&plan);
    clip_plan(&c, &plan, N);
    assert_int_equal(memory_plan_allocate(&plan, &err), STATUS_OK);
    grad[0] = 3;
    grad[N - 1] = 4;
    assert_close(clip_norm(&c, grad), 5, 1e-12);
    for (int i = 0; i < N; i++)
        grad[i] = (real)(i % 13) * 0.1f;
    engine_set_threads(1);
    double one = clip_norm(&c, grad);
    for (int threads = 2; threads <= 5; threads++) {
        engine_set_threads(threads);
        assert_true(clip_norm(&c, grad) == one); /* not a bit differs */
    }
    grad[5000] = NAN;
    assert_true(isnan(clip_norm(&c, grad)));
    memory_plan_release(&plan);
}

static void clipping_scales_only_what_is_too_long(void **state)
{
    (void)state;
    assert_close(clip_scale(5, 1), 0.2, 1e-15);
    assert_close(clip_scale(0.5, 1), 1, 0);
    assert_close(clip_scale(1e9, 0), 1, 0); /* off */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adamw_takes_the_steps_of_the_formula),
        cmocka_unit_test(norm_is_the_root_of_the_sum_of_squares),
        cmocka_unit_test(clipping_scales_only_what_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
