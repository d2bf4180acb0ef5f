/* The angles of rotary positions, with and without Llama 3's scaling. */
#include "base/mem.h"
#include "cmocka_setup.h"
#include "model/rope.h"

#include <math.h>

static const struct model_shape LLAMA_3_1 = {
    .family = MODEL_FAMILY_LLAMA,
    .heads = 2,
    .width = 256,
    .context = 4096,
    .rope_theta = 500000,
    .rope_scaling = {true, 8, 1, 4, 8192},
};

/* The definition, in double. */
static double frequency(const struct model_shape *s, int64_t i)
{
    const struct rope_scaling *r = &s->rope_scaling;
    double plain =
        pow(s->rope_theta, -2.0 * (double)i / ((double)s->width / (double)s->heads));
    double turns = (double)r->original_context * plain / (2 * M_PI);
    if (!r->on || turns > r->high_freq_factor)
        return plain;
    if (turns < r->low_freq_factor)
        return plain / r->factor;
    double smooth =
        (turns - r->low_freq_factor) / (r->high_freq_factor - r->low_freq_factor);
    return (1 - smooth) * plain / r->factor + smooth * plain;
}

/* Frequencies and angles are f32: a few roundings of 2^-24 of the angle. */
static void check_angles(const struct model_shape *s)
{
    int64_t half = s->width / s->heads / 2;
    real *cosine = mem_alloc((size_t)(s->context * half) * sizeof *cosine);
    real *sine = mem_alloc((size_t)(s->context * half) * sizeof *sine);
    rope_fill(cosine, sine, s);
    for (int64_t t = 0; t < s->context; t++) {
        for (int64_t i = 0; i < half; i++) {
            double angle = (double)t * frequency(s, i);
            double allowed = (16 * angle + 1) * 0x1p-24;
            assert_true(fabs((double)cosine[t * half + i] - cos(angle)) <= allowed);
            assert_true(fabs((double)sine[t * half + i] - sin(angle)) <= allowed);
        }
    }
    mem_free(cosine);
    mem_free(sine);
}

static void angles_are_the_definition(void **state)
{
    (void)state;
    struct model_shape plain = LLAMA_3_1;
    plain.rope_scaling.on = false;
    check_angles(&plain);
    plain.rope_theta = 10000;
    plain.width = 12; /* heads of 6: three pairs */
    check_angles(&plain);
    plain.context = 1;
    check_angles(&plain);
}

static void scaled_angles_are_the_definition(void **state)
{
    (void)state;
    int kinds[3] = {0};
    check_angles(&LLAMA_3_1);
    for (int64_t i = 0; i < 64; i++) { /* all three kinds of pairs occur */
        struct model_shape plain = LLAMA_3_1;
        plain.rope_scaling.on = false;
        double ratio = frequency(&plain, i) / frequency(&LLAMA_3_1, i);
        kinds[ratio < 1 + 1e-9 ? 0 : ratio > 8 - 1e-9 ? 2 : 1]++;
    }
    assert_true(kinds[0] > 0 && kinds[1] > 0 && kinds[2] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_the_definition),
        cmocka_unit_test(scaled_angles_are_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
