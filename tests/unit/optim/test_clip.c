/* The norm of all gradients, and the factor that keeps it within a limit. */
#include "cmocka_setup.h"
#include "engine/engine.h"
#include "optim/clip.h"

#include <math.h>

enum { N = 3 * CLIP_CHUNK + 17 };

struct fixture {
    struct clip clip;
    struct memory_plan plan;
    real grad[N];
};

static void setup(struct fixture *f, int64_t n)
{
    struct err err = ERR_INIT;
    memory_plan_init(&f->plan);
    clip_plan(&f->clip, &f->plan, n);
    assert_int_equal(memory_plan_allocate(&f->plan, &err), STATUS_OK);
    for (int64_t i = 0; i < N; i++)
        f->grad[i] = 0;
}

static void norm_is_the_root_of_the_sum_of_squares(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 5, CLIP_CHUNK, CLIP_CHUNK + 1, N};
    static struct fixture f;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double squares = 0;
        setup(&f, sizes[k]);
        assert_true(clip_norm(&f.clip, f.grad) == 0);
        for (int64_t i = 0; i < sizes[k]; i++) {
            f.grad[i] = (real)((double)(i * 7 % 23) * 0.1 - 1);
            squares += (double)f.grad[i] * (double)f.grad[i];
        }
        assert_true(fabs(clip_norm(&f.clip, f.grad) / sqrt(squares) - 1) < 1e-13);
        memory_plan_release(&f.plan);
    }
}

static void squares_that_f32_cannot_hold_do_not_overflow(void **state)
{
    (void)state;
    static struct fixture f;
    setup(&f, N);
    f.grad[0] = 3e30f;
    f.grad[N - 1] = 4e30f;
    assert_true(fabs(clip_norm(&f.clip, f.grad) / 5e30 - 1) < 1e-6);
    f.grad[0] = 3e-30f;
    f.grad[N - 1] = 4e-30f;
    assert_true(fabs(clip_norm(&f.clip, f.grad) / 5e-30 - 1) < 1e-6);
    memory_plan_release(&f.plan);
}

static void what_is_not_finite_is_seen_anywhere(void **state)
{
    (void)state;
    static const int64_t places[] = {0, CLIP_CHUNK - 1, CLIP_CHUNK, N - 1};
    static struct fixture f;
    setup(&f, N);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        f.grad[places[i]] = NAN;
        assert_true(isnan(clip_norm(&f.clip, f.grad)));
        f.grad[places[i]] = -INFINITY;
        assert_true(isinf(clip_norm(&f.clip, f.grad)));
        f.grad[places[i]] = 0;
    }
    memory_plan_release(&f.plan);
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    (void)state;
    static struct fixture f;
    setup(&f, N);
    for (int i = 0; i < N; i++)
        f.grad[i] = (real)(i % 13) * 0.1f;
    engine_set_threads(1);
    double one = clip_norm(&f.clip, f.grad);
    for (int threads = 2; threads <= 4; threads++) {
        engine_set_threads(threads);
        assert_true(clip_norm(&f.clip, f.grad) == one);
    }
    memory_plan_release(&f.plan);
}

static void clipping_scales_only_what_is_too_long(void **state)
{
    (void)state;
    assert_true(fabs(clip_scale(5, 1) - 0.2) < 1e-15);
    assert_true(clip_scale(1, 1) == 1);
    assert_true(clip_scale(0.5, 1) == 1);
    assert_true(clip_scale(0, 1) == 1);
    assert_true(clip_scale(1e9, 0) == 1); /* off */
    assert_true(clip_scale(1e300, 1) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norm_is_the_root_of_the_sum_of_squares),
        cmocka_unit_test(squares_that_f32_cannot_hold_do_not_overflow),
        cmocka_unit_test(what_is_not_finite_is_seen_anywhere),
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
        cmocka_unit_test(clipping_scales_only_what_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
