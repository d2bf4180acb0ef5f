/* The check that runs before training: it passes where kernels work, and only there. */
#include "engine/self_check.h"
#include "kernel_fixture.h"

static const char *const NAMES[] = {"onednn", "own", "auto", "reference"};

static void every_engine_passes(void **state)
{
    (void)state;
    engine_set_threads(2);
    for (size_t i = 0; i < 4 * COUNT(NAMES); i++) {
        struct engine e =
            engine_of(NAMES[i >> 2], PRECISIONS[i >> 1 & 1], ATTENTIONS[i & 1]);
        struct self_check found = {NAN, NAN};
        struct err err = ERR_INIT;
        assert_int_equal(engine_self_check(&e, &found, &err), STATUS_OK);
        assert_true(found.linear_error >= 0 && found.attention_error >= 0);
        assert_true(i & 1 || found.attention_error == 0); /* plain against itself */
    }
}

/* A kernel that leaves its output as it was, one that forgets to add, one that is NaN. */
static void forward_of_nothing(const struct linear *l, act *y, const act *x, const act *w,
                               const real *b)
{
    (void)l, (void)y, (void)x, (void)w, (void)b;
}

static void weight_gradient_without_adding(const struct linear *l, real *dw,
                                           const act *dy, const act *x, bool accumulate)
{
    struct engine good = engine_of("reference", l->bf16 ? "bf16" : "f32", "plain");
    (void)accumulate;
    good.ops.linear_backward_weight(l, dw, dy, x, false);
}

static void input_gradient_of_nan(const struct linear *l, act *dx, const act *dy,
                                  const act *w)
{
    (void)dy, (void)w;
    memset(dx, 0xff, (size_t)(l->M * l->K) * (l->bf16 ? 2 : 4));
}

static void attention_without_gradient(const struct attention *a, act *dqkv,
                                       void *scratch, const act *dout, const act *out,
                                       const act *qkv, const real *lse, const act *att)
{
    (void)a, (void)dqkv, (void)scratch, (void)dout, (void)out, (void)qkv, (void)lse,
        (void)att;
}

static void assert_refused(const struct engine *e, const char *advice)
{
    struct self_check found;
    struct err err = ERR_INIT;
    assert_int_equal(engine_self_check(e, &found, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, advice));
}

static void a_broken_kernel_is_refused_with_what_to_set_instead(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(PRECISIONS); p++) {
        struct engine e = engine_of("onednn", PRECISIONS[p], "tiled");
        e.ops.linear_forward = forward_of_nothing;
        assert_refused(&e, "engine: reference");
        e = engine_of("onednn", PRECISIONS[p], "tiled");
        e.ops.linear_backward_weight = weight_gradient_without_adding;
        assert_refused(&e, "engine: reference");
        e = engine_of("onednn", PRECISIONS[p], "tiled");
        e.ops.linear_backward_input = input_gradient_of_nan;
        assert_refused(&e, "engine: reference");
        e = engine_of("onednn", PRECISIONS[p], "tiled");
        e.ops.attention.backward = attention_without_gradient;
        assert_refused(&e, "attention: plain");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_passes),
        cmocka_unit_test(a_broken_kernel_is_refused_with_what_to_set_instead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
