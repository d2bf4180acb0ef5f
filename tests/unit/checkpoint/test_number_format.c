#include "checkpoint/number_format.h"

#include "cmocka_setup.h"

#include <math.h>
#include <string.h>

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* All 65536 halves, by the definition of the format rather than by shifting bits. */
static void every_half_becomes_the_number_it_means(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        uint16_t half = (uint16_t)h;
        float got, want;
        int exponent = (int)(h >> 10 & 31), fraction = (int)(h & 1023);
        numbers_to_f32(&got, &half, SAFETENSORS_DTYPE_F16, 1);
        if (exponent == 31 && fraction) {
            assert_true(isnan(got));
            assert_int_equal(bits_of(got) >> 13 & 1023, (uint32_t)fraction);
            continue;
        }
        if (exponent == 31)
            want = INFINITY;
        else if (exponent)
            want = (float)ldexp(1024 + fraction, exponent - 25);
        else
            want = (float)ldexp(fraction, -24);
        want = h & 0x8000 ? -want : want;
        if (bits_of(got) != bits_of(want))
            fail_msg("%04x became %a, not %a", h, (double)got, (double)want);
    }
}

static void every_bf16_survives_f32(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        uint16_t half = (uint16_t)h, back;
        float f;
        numbers_to_f32(&f, &half, SAFETENSORS_DTYPE_BF16, 1);
        assert_int_equal(bits_of(f), h << 16);
        numbers_from_f32(&back, SAFETENSORS_DTYPE_BF16, &f, 1);
        bool nan = isnan(f);
        assert_int_equal(back, nan ? h | 0x40 : h);
    }
}

static void bf16_is_rounded_to_the_nearest_and_ties_to_even(void **state)
{
    (void)state;
    static const struct {
        uint32_t from;
        uint16_t to;
    } known[] = {
        {0x3f808000, 0x3f80}, /* a tie: down to even */
        {0x3f818000, 0x3f82}, /* a tie: up to even */
        {0x3f808001, 0x3f81}, {0x3f807fff, 0x3f80}, {0xbf818000, 0xbf82},
        {0x7f7fffff, 0x7f80}, /* the largest f32 is beyond bf16 */
        {0x7f800000, 0x7f80}, {0xff800000, 0xff80}, {0x00000001, 0x0000},
        {0x00008001, 0x0001}, {0x80000000, 0x8000}, {0x7f800001, 0x7fc0},
        {0xffffffff, 0xffff},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        float f;
        uint16_t half;
        memcpy(&f, &known[i].from, sizeof f);
        numbers_from_f32(&half, SAFETENSORS_DTYPE_BF16, &f, 1);
        if (half != known[i].to)
            fail_msg("%08x became %04x, not %04x", known[i].from, half, known[i].to);
    }
}

static void doubles_are_rounded_and_floats_are_left_alone(void **state)
{
    (void)state;
    const double wide[] = {0.1, 1e300, -0.0, 1 + 0x1p-24, NAN};
    const float narrow[] = {0.1f, NAN, -0.0f};
    float out[5], same[3];
    numbers_to_f32(out, wide, SAFETENSORS_DTYPE_F64, 5);
    assert_int_equal(bits_of(out[0]), bits_of(0.1f));
    assert_true(isinf(out[1]));
    assert_int_equal(bits_of(out[2]), 0x80000000);
    assert_int_equal(bits_of(out[3]), bits_of(1.0f));
    assert_true(isnan(out[4]));
    numbers_to_f32(same, narrow, SAFETENSORS_DTYPE_F32, 3);
    assert_memory_equal(same, narrow, sizeof same);
    numbers_from_f32(out, SAFETENSORS_DTYPE_F32, narrow, 3);
    assert_memory_equal(out, narrow, sizeof narrow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_becomes_the_number_it_means),
        cmocka_unit_test(every_bf16_survives_f32),
        cmocka_unit_test(bf16_is_rounded_to_the_nearest_and_ties_to_even),
        cmocka_unit_test(doubles_are_rounded_and_floats_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
