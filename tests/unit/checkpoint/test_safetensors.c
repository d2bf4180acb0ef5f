#include "checkpoint/safetensors.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gait-safetensors-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* Write a file of header text and so many zero bytes. */
static void write_file(const char *json, size_t data_bytes)
{
    struct strbuf b;
    strbuf_init(&b);
    uint64_t len = strlen(json);
    strbuf_add(&b, (char *)&len, 8);
    strbuf_puts(&b, json);
    while (data_bytes--)
        strbuf_putc(&b, '\0');
    assert_int_equal(file_write(path, b.s, b.len, NULL), STATUS_OK);
    strbuf_release(&b);
}

#define ENTRY(dtype, shape, offsets)                                                     \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void everything_that_is_valid_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        size_t data_bytes, tensors;
    } good[] = {
        {"{}", 0, 0},
        {" \t\r\n{ } \n ", 0, 0},
        {"{\"__metadata__\":{}}", 0, 0},
        {"{\"a\":" ENTRY("F32", "[]", "[0,4]") "}", 4, 1},
        {"{\"a\":" ENTRY("F32", "[3,0,5]", "[0,0]") "}", 0, 1},
        {"{\"a\":" ENTRY("U8", "[2]", "[4,6]") ",\"b\":" ENTRY("F32", "[1]", "[0,4]") "}",
         6, 2},
        {"{\"a\":" ENTRY("U8", "[0]", "[4,4]") ",\"b\":" ENTRY(
             "F32", "[1]", "[0,4]") ",\"c\":" ENTRY("U8", "[0]", "[0,0]") "}",
         4, 3},
        {"{\"a\" : { \"data_offsets\" : [ 0 , 2 ] , \"shape\" : [ 2 ] , \"dtype\" : "
         "\"BOOL\" } , \"__metadata__\" : { \"k\" : \"v\" } }  ",
         2, 1},
        {"{\"\\u0061\\ud83d\\ude00\\n\\u0000\":" ENTRY("U8", "[1]", "[0,1]") "}", 1, 1},
        {"{\"\":" ENTRY("F64", "[1]", "[0,8]") "}", 8, 1},
        /* what the library takes beyond the format's description */
        {"{\"__metadata__\":null}", 0, 0},
        {"{\"a\":" ENTRY("F32", "[9]", "[8,9]") ",\"a\":" ENTRY("F32", "[1]",
                                                                "[0,4]") "}",
         4, 1},
        {"{\"a\":[\"F32\",[1],[0,4]]}", 4, 1},
        {"{\"a\":[{\"F32\":null},[1],[0,4]]}", 4, 1},
        {"{\"a\":{\"x\":[{\"y\":[-1.5e-3,0e999999999999]},true,false,null,\"\"],\"x\":0,"
         "\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
         4, 1},
        {"{\"a\":" ENTRY("F4", "[4]", "[0,2]") "}", 2, 1},
        {"{\"a\":" ENTRY("C64", "[2]", "[0,16]") "}", 16, 1},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct safetensors_file f;
        struct err err = ERR_INIT;
        write_file(good[i].json, good[i].data_bytes);
        if (safetensors_open(&f, path, &err))
            fail_msg("%s: %s", good[i].json, err.text);
        assert_int_equal(f.header.n, good[i].tensors);
        safetensors_close(&f);
    }
}

static void escapes_become_utf8(void **state)
{
    (void)state;
    struct safetensors_file f;
    write_file("{\"__metadata__\":{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\":"
               "\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"}}",
               0);
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    assert_string_equal(safetensors_metadata(&f.header, "\"\\/\b\f\n\r\t"), "Aé€😀");
    safetensors_close(&f);
}

static void everything_that_is_invalid_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        size_t data_bytes;
        const char *says;
    } bad[] = {
        {"", 0, "'{' is missing"},
        {"[]", 0, "'{' is missing"},
        {"{", 0, "'\"' is missing"},
        {"{}x", 0, "text follows"},
        {"{} {}", 0, "text follows"},
        {"{,}", 0, "'\"' is missing"},
        {"{\"a\"}", 0, "':' is missing"},
        {"{\"a\":1}", 0, "'{' is missing"},
        {"{\"a\":{}}", 0, "lacks"},
        {"{\"a\":null}", 0, "'{' is missing"},
        {"{\"a", 0, "does not end"},
        {"{\"a\\", 0, "not an escape"},
        {"{\"a\\x\":", 0, "not an escape"},
        {"{\"\\u12\":", 0, "not an escape"},
        {"{\"\\u12g4\":", 0, "not an escape"},
        {"{\"\\ud800\":", 0, "not an escape"},
        {"{\"\\ud800\\u0041\":", 0, "not an escape"},
        {"{\"\\udc00\":", 0, "not an escape"},
        {"{\"a\nb\":", 0, "not a character"},
        {"{\"\xff\":", 0, "not a character"},
        {"{\"\xc3", 0, "not a character"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "'\"' is missing"},
        {"{\"__metadata__\":[]}", 0, "'{' is missing"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "twice"},
        {"{\"a\":" ENTRY("F32", "[1]", "[0,4]") ",}", 4, "'\"' is missing"},
        /* of two equal names the last one counts: here it does not begin at 0 */
        {"{\"a\":" ENTRY("F32", "[1]", "[0,4]") ",\"\\u0061\":" ENTRY("F32", "[1]",
                                                                      "[4,8]") "}",
         8, "\"a\" begins after a gap"},
        {"{\"a\":7,\"a\":" ENTRY("F32", "[1]", "[0,4]") "}", 4, "'{' is missing"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,"
         "4]}}",
         4, "field twice"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 0, "lacks"},
        {"{\"a\":[\"F32\",[1]]}", 4, "',' is missing"},
        {"{\"a\":[\"F32\",[1],[0,4],1]}", 4, "']' is missing"},
        {"{\"a\":[{\"F32\":0},[1],[0,4]]}", 4, "null"},
        {"{\"a\":[{\"F32\":null,\"F32\":null},[1],[0,4]]}", 4, "'}' is missing"},
        {"{\"a\":{\"x\":1e309}}", 0, "over 1.8e308"},
        {"{\"a\":{\"x\":01}}", 0, "not a value"},
        {"{\"a\":{\"x\":nul}}", 0, "not a value"},
        {"{\"a\":{\"x\":[1,]}}", 0, "not a value"},
        {"{\"a\":{\"x\":{\"y\"}}}", 0, "':' is missing"},
        {"{\"a\":" ENTRY("F4", "[3]", "[0,2]") "}", 2, "inside a byte"},
        {"{\"a\":" ENTRY("F31", "[1]", "[0,4]") "}", 4, "not known here"},
        {"{\"a\":" ENTRY("f32", "[1]", "[0,4]") "}", 4, "not known here"},
        {"{\"a\":" ENTRY("F32", "[-1]", "[0,4]") "}", 4, "not a whole number"},
        {"{\"a\":" ENTRY("F32", "[1.0]", "[0,4]") "}", 4, "not a whole number"},
        {"{\"a\":" ENTRY("F32", "[1e0]", "[0,4]") "}", 4, "not a whole number"},
        {"{\"a\":" ENTRY("F32", "[01]", "[0,4]") "}", 4, "not a whole number"},
        {"{\"a\":" ENTRY("F32", "[1,]", "[0,4]") "}", 4, "not a whole number"},
        {"{\"a\":" ENTRY("F32", "[true]", "[0,4]") "}", 4, "not a whole number"},
        {"{\"a\":" ENTRY("F32", "[18446744073709551616]", "[0,4]") "}", 4,
         "over 64 bits"},
        {"{\"a\":" ENTRY("F32", "[1]", "[0,4,8]") "}", 4, "']' is missing"},
        {"{\"a\":" ENTRY("F32", "[1]", "[0]") "}", 4, "',' is missing"},
        {"{\"a\":" ENTRY("F32", "[1]", "[4,0]") "}", 4, "ends before it begins"},
        {"{\"a\":" ENTRY("F32", "[4294967296,4294967296]", "[0,0]") "}", 0, "2^64"},
        {"{\"a\":" ENTRY("F32", "[4611686018427387904]", "[0,0]") "}", 0, "2^64"},
        {"{\"a\":" ENTRY("F32", "[4294967296,4294967296,0]", "[0,0]") "}", 0, "2^64"},
        {"{\"a\":" ENTRY("F32", "[2]", "[0,4]") "}", 4, "does not match"},
        {"{\"a\":" ENTRY("F32", "[1]", "[0,8]") "}", 8, "does not match"},
        {"{\"a\":" ENTRY("F32", "[1]", "[4,8]") "}", 8, "after a gap"},
        {"{\"a\":" ENTRY("F32", "[1]", "[0,4]") ",\"b\":" ENTRY("F32", "[1]",
                                                                "[8,12]") "}",
         12, "\"b\" begins after a gap"},
        {"{\"a\":" ENTRY("F32", "[2]", "[0,8]") ",\"b\":" ENTRY("F32", "[1]",
                                                                "[4,8]") "}",
         8, "overlaps"},
        {"{\"a\":" ENTRY("F32", "[1]", "[0,4]") "}", 3, "take 4 bytes"},
        {"{\"a\":" ENTRY("F32", "[1]", "[0,4]") "}", 5, "take 4 bytes"},
        {"{}", 1, "take 0 bytes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct safetensors_file f;
        struct err err = ERR_INIT;
        write_file(bad[i].json, bad[i].data_bytes);
        if (safetensors_open(&f, path, &err) != STATUS_INPUT)
            fail_msg("%s was not refused", bad[i].json);
        if (!strstr(err.text, bad[i].says) || !strstr(err.text, "download it again"))
            fail_msg("%s: \"%s\" does not say \"%s\"", bad[i].json, err.text,
                     bad[i].says);
    }
}

static void refuse_bytes(const char *bytes, size_t len, const char *says)
{
    struct safetensors_file f;
    struct err err = ERR_INIT;
    assert_int_equal(file_write(path, bytes, len, NULL), STATUS_OK);
    assert_int_equal(safetensors_open(&f, path, &err), STATUS_INPUT);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static void wrong_lengths_are_refused(void **state)
{
    (void)state;
    refuse_bytes("", 0, "fewer than 8 bytes");
    refuse_bytes("\2\0\0\0\0\0\0", 7, "fewer than 8 bytes");
    refuse_bytes("\3\0\0\0\0\0\0\0{}", 10, "past its end");
    refuse_bytes("\0\xe1\xf5\x05\0\0\0\0{}", 10, "past its end"); /* 100,000,000 */
    refuse_bytes("\1\xe1\xf5\x05\0\0\0\0{}", 10, "longer than 100,000,000");
    refuse_bytes("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10, "longer than 100,000,000");
    refuse_bytes("\0\0\0\0\0\0\0\0", 8, "'{' is missing");
}

static void open_nested(int depth, enum status want)
{
    struct strbuf b;
    struct safetensors_file f;
    strbuf_init(&b);
    strbuf_puts(&b, "{\"a\":{\"x\":");
    strbuf_repeat(&b, "[", depth);
    strbuf_repeat(&b, "]", depth);
    strbuf_puts(&b, ",\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}");
    write_file(b.s, 0);
    assert_int_equal(safetensors_open(&f, path, NULL), want);
    if (!want)
        safetensors_close(&f);
    strbuf_release(&b);
}

static void values_nest_as_deep_as_in_the_library(void **state)
{
    (void)state;
    open_nested(125, STATUS_OK);
    open_nested(126, STATUS_INPUT);
    open_nested(100000, STATUS_INPUT);
}

static void the_last_of_equal_keys_counts(void **state)
{
    (void)state;
    struct safetensors_file f;
    write_file("{\"__metadata__\":{\"a\":\"1\",\"b\":\"2\",\"a\":\"3\",\"c\":\"4\"}}", 0);
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    assert_int_equal(f.header.pairs, 3);
    assert_string_equal(safetensors_metadata(&f.header, "a"), "3");
    assert_string_equal(safetensors_metadata(&f.header, "b"), "2");
    assert_string_equal(safetensors_metadata(&f.header, "c"), "4");
    safetensors_close(&f);
}

static void errors_point_to_the_byte_in_the_file(void **state)
{
    (void)state;
    struct safetensors_file f;
    struct err err = ERR_INIT;
    write_file("{\"a\":7}", 0);
    assert_int_equal(safetensors_open(&f, path, &err), STATUS_INPUT);
    assert_int_equal(err.offset, 8 + 5);
}

static void missing_files_folders_and_pipes_are_refused(void **state)
{
    (void)state;
    struct safetensors_file f;
    struct err err = ERR_INIT;
    assert_int_equal(safetensors_open(&f, "/nonexistent/x", &err), STATUS_INPUT);
    assert_int_equal(safetensors_open(&f, folder, &err), STATUS_INPUT);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(safetensors_open(&f, path, &err), STATUS_INPUT);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_that_is_valid_is_read),
        cmocka_unit_test(escapes_become_utf8),
        cmocka_unit_test(everything_that_is_invalid_is_refused),
        cmocka_unit_test(wrong_lengths_are_refused),
        cmocka_unit_test(values_nest_as_deep_as_in_the_library),
        cmocka_unit_test(the_last_of_equal_keys_counts),
        cmocka_unit_test(errors_point_to_the_byte_in_the_file),
        cmocka_unit_test(missing_files_folders_and_pipes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
