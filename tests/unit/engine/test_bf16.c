/*
 * bf16 and the two halves of an f32, bit by bit: for every upper half a float can have
 * (zeros, denormals, infinities and NaNs among them), and lower halves around every
 * border and between.
 */
#include "cmocka_setup.h"
#include "engine/bf16.h"

#include <math.h>
#include <stdbool.h>

enum { SAMPLES = 320 };

static uint32_t lower_half(uint32_t high, uint32_t i)
{
    static const uint32_t border[] = {0,      1,      2,      0x7ffe, 0x7fff,
                                      0x8000, 0x8001, 0x8002, 0xfffe, 0xffff};
    const uint32_t borders = sizeof border / sizeof *border;
    return i < borders ? border[i] : ((high * 40503u + i) * 2654435761u) >> 16;
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0x7f800000u && (bits & 0x7fffffu) != 0;
}

/* The nearest by what is cut off: more than half goes up, half goes to the even one. */
static uint32_t nearest_even(uint32_t bits)
{
    uint32_t high = bits >> 16, cut = bits & 0xffffu;
    bool up = cut > 0x8000u || (cut == 0x8000u && high % 2 == 1);
    return high + up;
}

static void rounding_goes_to_the_nearest_and_ties_to_even(void **state)
{
    (void)state;
    uint64_t wrong = 0, patterns = 0;
    for (uint32_t high = 0; high <= 0xffff; high++) {
        for (uint32_t i = 0; i < SAMPLES; i++) {
            uint32_t bits = high << 16 | lower_half(high, i);
            uint32_t got = bf16_from_float(float_from_bits(bits));
            wrong += is_nan(bits) ? !is_nan(got << 16) : got != nearest_even(bits);
            patterns++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(patterns > 10000000);
}

/* The same by distances, which know nothing of bits. */
static void nothing_in_bf16_is_nearer(void **state)
{
    (void)state;
    for (uint32_t high = 0; high < 0x7f7f; high++) { /* finite, and so are neighbours */
        float x = float_from_bits(high << 16 | lower_half(high, 10 + high % 150));
        double off = fabs((double)x - (double)bf16_to_float(bf16_from_float(x)));
        assert_true(off <= fabs((double)x - (double)bf16_to_float((bf16)high)));
        assert_true(off <= fabs((double)x - (double)bf16_to_float((bf16)(high + 1))));
    }
    assert_true(bf16_from_float(INFINITY) == 0x7f80);
    assert_true(bf16_from_float(-INFINITY) == 0xff80);
    assert_true(bf16_from_float(-0.0f) == 0x8000);
    assert_true(isinf(bf16_to_float(bf16_from_float(3.4e38f)))); /* past its largest */
}

static void halves_join_to_the_very_same_bits(void **state)
{
    (void)state;
    uint64_t wrong = 0;
    for (uint32_t high = 0; high <= 0xffff; high++) {
        for (uint32_t i = 0; i < SAMPLES; i++) {
            uint32_t bits = high << 16 | lower_half(high, i);
            bf16 upper;
            int16_t lower;
            split_float(&upper, &lower, float_from_bits(bits));
            wrong += float_bits(split_join(upper, lower)) != bits;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Linears read the upper half alone: it is the nearest bf16, a tie the one away from 0.
 */
static void the_upper_half_is_the_rounded_number(void **state)
{
    (void)state;
    uint64_t wrong = 0;
    for (uint32_t high = 0; high <= 0xffff; high++) {
        for (uint32_t i = 0; i < SAMPLES; i++) {
            uint32_t bits = high << 16 | lower_half(high, i);
            bf16 upper;
            int16_t lower;
            if (is_nan(bits))
                continue;
            split_float(&upper, &lower, float_from_bits(bits));
            wrong += upper != high + ((bits & 0xffffu) >= 0x8000u);
        }
    }
    assert_int_equal(wrong, 0);
}

/* The NaNs that arithmetic makes; linears must see them. */
static void a_computed_nan_is_one_in_the_upper_half_too(void **state)
{
    (void)state;
    volatile float zero = 0;
    const float nan[] = {zero / zero, -(zero / zero), (float)NAN,
                         (float)INFINITY - (float)INFINITY};
    for (size_t i = 0; i < sizeof nan / sizeof *nan; i++) {
        bf16 upper;
        int16_t lower;
        split_float(&upper, &lower, nan[i]);
        assert_true(isnan(bf16_to_float(upper)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_goes_to_the_nearest_and_ties_to_even),
        cmocka_unit_test(nothing_in_bf16_is_nearer),
        cmocka_unit_test(halves_join_to_the_very_same_bits),
        cmocka_unit_test(the_upper_half_is_the_rounded_number),
        cmocka_unit_test(a_computed_nan_is_one_in_the_upper_half_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
