/* Bytes that the specifications of Thrift and Parquet name. What readers make of whole
 * files: tests/oracle/parquet_agrees.py. */
#include "cmocka_setup.h"
#include "parquet/hybrid_runs.h"
#include "parquet/parquet.h"
#include "parquet/thrift_compact.h"

#include <stdlib.h>

#define assert_bytes(out, ...)                                                           \
    do {                                                                                 \
        static const unsigned char want_[] = {__VA_ARGS__};                              \
        assert_int_equal((out)->len, sizeof want_);                                      \
        assert_memory_equal((out)->s, want_, sizeof want_);                              \
    } while (0)

static void fields_have_the_bytes_of_the_specification(void **state)
{
    (void)state;
    struct strbuf out;
    struct thrift t;
    strbuf_init(&out);
    thrift_init(&t, &out);
    thrift_i32(&t, 1, 1);
    thrift_bool(&t, 3, true);
    thrift_bool(&t, 4, false);
    thrift_i64(&t, 20, -1); /* too far for the short form */
    thrift_binary(&t, 21, "ab", 2);
    thrift_i16(&t, 22, 300);
    thrift_end(&t);
    assert_bytes(&out, 0x15, 0x02, 0x21, 0x12, 0x06, 0x28, 0x01, 0x18, 0x02, 'a', 'b',
                 0x14, 0xd8, 0x04, 0x00);
    strbuf_release(&out);
}

static void the_least_and_the_greatest_number_are_written(void **state)
{
    (void)state;
    struct strbuf out;
    struct thrift t;
    strbuf_init(&out);
    thrift_init(&t, &out);
    thrift_i64(&t, 1, INT64_MIN);
    thrift_i32(&t, 2, INT32_MAX);
    thrift_end(&t);
    assert_bytes(&out, 0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
                 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x00);
    strbuf_release(&out);
}

static void a_struct_within_counts_its_fields_anew(void **state)
{
    (void)state;
    struct strbuf out;
    struct thrift t;
    strbuf_init(&out);
    thrift_init(&t, &out);
    thrift_struct(&t, 5);
    thrift_i32(&t, 1, 0);
    thrift_end(&t);
    thrift_list(&t, 6, THRIFT_STRUCT, 2);
    for (int i = 0; i < 2; i++) {
        thrift_begin_element(&t);
        thrift_i32(&t, 2, -i);
        thrift_end(&t);
    }
    thrift_list(&t, 7, THRIFT_I32, 16); /* too long for the short form */
    for (int i = 0; i < 16; i++)
        thrift_element_i32(&t, 1);
    thrift_end(&t);
    assert_bytes(&out, 0x5c, 0x15, 0x00, 0x00, 0x19, 0x2c, 0x25, 0x00, 0x00, 0x25, 0x01,
                 0x00, 0x19, 0xf5, 0x10, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                 0x00);
    strbuf_release(&out);
}

static void packed_bits_are_those_of_the_specification(void **state)
{
    (void)state;
    static const uint32_t value[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct strbuf out;
    strbuf_init(&out);
    hybrid_runs_add(&out, value, 8, 3);
    assert_bytes(&out, 0x03, 0x88, 0xc6, 0xfa);
    strbuf_release(&out);
}

static void a_long_run_is_one_number(void **state)
{
    (void)state;
    uint32_t value[300];
    struct strbuf out;
    strbuf_init(&out);
    for (int i = 0; i < 300; i++)
        value[i] = 0x1234;
    hybrid_runs_add(&out, value, 300, 13);
    assert_bytes(&out, 0xd8, 0x04, 0x34, 0x12); /* 300 twice, then two bytes of it */
    strbuf_release(&out);
}

/* A reader of the hybrid, by its specification. */
static size_t read_back(uint32_t *value, size_t n, const struct strbuf *in, int bits)
{
    const unsigned char *s = (const unsigned char *)in->s, *end = s + in->len;
    size_t got = 0;
    while (s < end) {
        uint64_t head = 0;
        for (int shift = 0;; shift += 7) {
            head |= (uint64_t)(*s & 0x7f) << shift;
            if (!(*s++ & 0x80))
                break;
        }
        size_t count = head & 1 ? (head >> 1) * 8 : head >> 1;
        for (size_t i = 0; i < count; i++) {
            uint32_t v = 0;
            for (int b = 0; b < bits; b++) {
                size_t at = head & 1 ? i * (size_t)bits + (size_t)b : (size_t)b;
                v |= (uint32_t)(s[at / 8] >> at % 8 & 1) << b;
            }
            if (got < n)
                value[got++] = v;
        }
        s += head & 1 ? count * (size_t)bits / 8 : (size_t)(bits + 7) / 8;
    }
    return got;
}

static void any_values_read_back(void **state)
{
    (void)state;
    uint32_t value[200], got[200];
    srand(1);
    for (int round = 0; round < 3000; round++) {
        int bits = 1 + rand() % 32;
        size_t n = (size_t)rand() % 200;
        uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
        for (size_t i = 0; i < n; i++)
            value[i] =
                i && rand() % 8 < round % 8 ? value[i - 1] : (uint32_t)rand() * 3u & mask;
        struct strbuf out;
        strbuf_init(&out);
        hybrid_runs_add(&out, value, n, bits);
        assert_int_equal(read_back(got, n, &out, bits), n);
        assert_memory_equal(got, value, n * sizeof *got);
        strbuf_release(&out);
    }
}

static void bits_hold_the_greatest_value(void **state)
{
    (void)state;
    assert_int_equal(hybrid_bits(0), 1);
    assert_int_equal(hybrid_bits(1), 1);
    assert_int_equal(hybrid_bits(2), 2);
    assert_int_equal(hybrid_bits(255), 8);
    assert_int_equal(hybrid_bits(256), 9);
    assert_int_equal(hybrid_bits(UINT32_MAX), 32);
}

static void a_text_that_no_reader_expects_is_an_error(void **state)
{
    (void)state;
    static const struct parquet_column column = {"name", PARQUET_TEXT, false};
    struct err err = ERR_INIT;
    size_t len = (size_t)PARQUET_TEXT_MAX_BYTES + 1;
    char *s = calloc(1, len);
    FILE *out = tmpfile();
    struct parquet_options options = parquet_options_of("test");
    struct parquet_writer *w = parquet_writer_new(out, &column, 1, &options);
    struct parquet_value v = parquet_bytes(s, len);
    parquet_writer_add(w, &v);
    assert_int_equal(parquet_writer_end(w, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "name"));
    parquet_writer_free(w);
    fclose(out);
    free(s);
}

static void groups_end_by_rows_and_by_bytes(void **state)
{
    (void)state;
    static const struct parquet_column column = {"n", PARQUET_I64, false};
    struct err err = ERR_INIT;
    int64_t bytes[2];
    for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
        FILE *out = tmpfile();
        struct parquet_options options = {"test", by_bytes ? 1000 : 1,
                                          by_bytes ? 8 : 1000};
        struct parquet_writer *w = parquet_writer_new(out, &column, 1, &options);
        for (int i = 0; i < 9; i++) {
            struct parquet_value v = parquet_i64(i);
            parquet_writer_add(w, &v);
        }
        assert_int_equal(parquet_writer_end(w, &err), STATUS_OK);
        assert_int_equal(parquet_writer_rows(w), 9);
        bytes[by_bytes] = parquet_writer_bytes(w);
        parquet_writer_free(w);
        fclose(out);
    }
    assert_int_equal(bytes[0], bytes[1]); /* nine groups either way */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_have_the_bytes_of_the_specification),
        cmocka_unit_test(the_least_and_the_greatest_number_are_written),
        cmocka_unit_test(a_struct_within_counts_its_fields_anew),
        cmocka_unit_test(packed_bits_are_those_of_the_specification),
        cmocka_unit_test(a_long_run_is_one_number),
        cmocka_unit_test(any_values_read_back),
        cmocka_unit_test(bits_hold_the_greatest_value),
        cmocka_unit_test(a_text_that_no_reader_expects_is_an_error),
        cmocka_unit_test(groups_end_by_rows_and_by_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
