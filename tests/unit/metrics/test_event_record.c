#include "cmocka_setup.h"

#include "metrics/crc32c.h"
#include "metrics/event_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void assert_hex(const uint8_t *data, size_t len, const char *hex)
{
    char got[2 * EVENT_RECORD_BYTES_MAX + 1] = "";
    for (size_t i = 0; i < len; i++)
        snprintf(got + 2 * i, 3, "%02x", data[i]);
    assert_string_equal(got, hex);
}

static void checksums_are_the_published_ones(void **state)
{
    (void)state;
    uint8_t zeros[32] = {0}, ones[32], rising[32];
    for (int i = 0; i < 32; i++) {
        ones[i] = 0xff;
        rising[i] = (uint8_t)i;
    }
    assert_int_equal(crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(crc32c_masked("123456789", 9), 0xc78ab0e5);
    assert_int_equal(crc32c("", 0), 0);
    /* RFC 3720, B.4 */
    assert_int_equal(crc32c(zeros, 32), 0x8a9136aa);
    assert_int_equal(crc32c(ones, 32), 0x62a8ab43);
    assert_int_equal(crc32c(rising, 32), 0x46dd794e);
}

static void records_are_the_known_bytes(void **state)
{
    (void)state;
    uint8_t out[EVENT_RECORD_BYTES_MAX];
    assert_hex(out, event_record_version(out, 0.5),
               "1800000000000000a37f4b2209000000000000e03f1a0d627261696e2e4576656e743a32"
               "66f7e1a8");
    assert_hex(out, event_record_scalar(out, 1.5, 7, "train/loss", 3.25f),
               "200000000000000029eda95009000000000000f83f10072a130a110a0a747261696e2f6c"
               "6f73731500005040d64efadd");
}

/* The data behind the 12 bytes of length and checksum. */
static void assert_data(const uint8_t *record, size_t len, const char *hex)
{
    assert_true(len > 16);
    assert_int_equal(record[0] | record[1] << 8, len - 16);
    assert_hex(record + 12, len - 16, hex);
}

static void zeros_are_left_out_but_for_the_value(void **state)
{
    (void)state;
    uint8_t out[EVENT_RECORD_BYTES_MAX];
    assert_data(out, event_record_scalar(out, 0, 0, "a", 0), "2a0a0a080a01611500000000");
    assert_data(out, event_record_restart(out, 0, 0), "3a020801");
}

static void a_restart_names_its_step(void **state)
{
    (void)state;
    uint8_t out[EVENT_RECORD_BYTES_MAX];
    assert_data(out, event_record_restart(out, 0.5, 300),
                "09000000000000e03f10ac023a020801");
}

static void negative_steps_take_ten_bytes(void **state)
{
    (void)state;
    uint8_t out[EVENT_RECORD_BYTES_MAX];
    assert_data(out, event_record_scalar(out, 0, -1, "a", -INFINITY),
                "10ffffffffffffffffff012a0a0a080a016115000080ff");
}

static void the_longest_record_fits(void **state)
{
    (void)state;
    uint8_t out[EVENT_RECORD_BYTES_MAX + 1];
    char tag[EVENT_TAG_BYTES_MAX + 1];
    memset(tag, 't', EVENT_TAG_BYTES_MAX);
    tag[EVENT_TAG_BYTES_MAX] = '\0';
    out[EVENT_RECORD_BYTES_MAX] = 0xa5;
    size_t len = event_record_scalar(out, -1e300, INT64_MIN, tag, NAN);
    assert_true(len <= EVENT_RECORD_BYTES_MAX);
    assert_int_equal(out[EVENT_RECORD_BYTES_MAX], 0xa5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_are_the_published_ones),
        cmocka_unit_test(records_are_the_known_bytes),
        cmocka_unit_test(zeros_are_left_out_but_for_the_value),
        cmocka_unit_test(a_restart_names_its_step),
        cmocka_unit_test(negative_steps_take_ten_bytes),
        cmocka_unit_test(the_longest_record_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
