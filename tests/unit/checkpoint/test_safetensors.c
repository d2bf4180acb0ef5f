#include "checkpoint/safetensors.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

static const float six[] = {0, 1, 2, 3, 4, 5};
static const uint64_t shape_123[] = {1, 2, 3};

static void the_published_vector_is_met_byte_for_byte(void **state)
{
    (void)state;
    static const char head[] =
        "\x40\0\0\0\0\0\0\0"
        "{\"attn.0\":{\"dtype\":\"F32\",\"shape\":[1,2,3],\"data_offsets\":[0,24]}}";
    struct safetensor t = {.name = "attn.0",
                           .dtype = SAFETENSORS_DTYPE_F32,
                           .shape = shape_123,
                           .dims = 3,
                           .data = six};
    assert_int_equal(safetensors_write(path, &t, 1, NULL, 0, NULL), STATUS_OK);
    char *bytes;
    size_t len;
    assert_int_equal(file_read(&bytes, &len, path, 1000, NULL), STATUS_OK);
    assert_int_equal(len, 72 + 24);
    assert_memory_equal(bytes, head, 72);
    assert_memory_equal(bytes + 72, six, 24);
    mem_free(bytes);
}

static void metadata_comes_first_and_larger_dtypes_before_smaller(void **state)
{
    (void)state;
    static const uint64_t one[] = {1};
    static const uint8_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct safetensor t[] = {
        {.name = "b", .dtype = SAFETENSORS_DTYPE_U8, .shape = one, .dims = 1},
        {.name = "z", .dtype = SAFETENSORS_DTYPE_F32, .shape = one, .dims = 1},
        {.name = "a", .dtype = SAFETENSORS_DTYPE_U8, .shape = one, .dims = 1},
        {.name = "\"é\"", .dtype = SAFETENSORS_DTYPE_I64, .shape = one, .dims = 1},
        {.name = "B", .dtype = SAFETENSORS_DTYPE_BF16, .shape = one, .dims = 1},
        {.name = "y", .dtype = SAFETENSORS_DTYPE_F32, .shape = one, .dims = 1},
    };
    for (size_t i = 0; i < 6; i++)
        t[i].data = data;
    const struct safetensors_pair m[] = {{.key = "format", .value = "pt"},
                                         {.key = "a", .value = "b"}};
    assert_int_equal(safetensors_write(path, t, 6, m, 2, NULL), STATUS_OK);
    char *bytes;
    size_t len;
    assert_int_equal(file_read(&bytes, &len, path, 1000, NULL), STATUS_OK);
    static const char want[] =
        "{\"__metadata__\":{\"format\":\"pt\",\"a\":\"b\"},"
        "\"\\\"é\\\"\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
        "\"y\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]},"
        "\"z\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[12,16]},"
        "\"B\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[16,18]},"
        "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[18,19]},"
        "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[19,20]}}";
    uint64_t header;
    memcpy(&header, bytes, 8);
    assert_int_equal(header % 8, 0);
    assert_int_equal(len, 8 + header + 20);
    assert_memory_equal(bytes + 8, want, sizeof want - 1);
    for (size_t i = 8 + sizeof want - 1; i < 8 + header; i++)
        assert_int_equal(bytes[i], ' ');
    mem_free(bytes);

    struct safetensors_file f;
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    assert_non_null(safetensors_find(&f.header, "\"é\""));
    assert_string_equal(safetensors_metadata(&f.header, "format"), "pt");
    assert_null(safetensors_metadata(&f.header, "c"));
    safetensors_close(&f);
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
        {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0, "\"a\" twice"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "twice"},
        {"{\"a\":" ENTRY("F32", "[1]", "[0,4]") ",}", 4, "'\"' is missing"},
        {"{\"a\":" ENTRY("F32", "[1]", "[0,4]") ",\"a\":" ENTRY("F32", "[1]",
                                                                "[4,8]") "}",
         8, "\"a\" stands there twice"},
        {"{\"a\":" ENTRY("F32", "[1]", "[0,4]") ",\"\\u0061\":" ENTRY("F32", "[1]",
                                                                      "[4,8]") "}",
         8, "\"a\" stands there twice"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,"
         "4]}}",
         4, "field twice"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 0, "lacks"},
        {"{\"a\":{\"dtype\":\"F32\",\"strides\":[1]}}", 0, "a field other than"},
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

/* Exactly the bits come back, NaN payloads and infinities too. */
static void values_come_back_bit_for_bit(void **state)
{
    (void)state;
    enum { N = 1003 };
    uint32_t bits[N], back[N];
    for (uint32_t i = 0; i < N; i++)
        bits[i] = i * 2654435761u;
    bits[0] = 0x7fc00001;
    bits[1] = 0x7f800000;
    bits[2] = 0xff800000;
    bits[3] = 0x7f800001;
    uint64_t shape[] = {17, 59};
    struct safetensor t = {.name = "w",
                           .dtype = SAFETENSORS_DTYPE_F32,
                           .shape = shape,
                           .dims = 2,
                           .data = bits};
    assert_int_equal(safetensors_write(path, &t, 1, NULL, 0, NULL), STATUS_OK);
    struct safetensors_file f;
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    const struct safetensor *in = safetensors_find(&f.header, "w");
    assert_int_equal(in->end - in->begin, sizeof bits);
    assert_int_equal(in->dims, 2);
    assert_memory_equal(in->shape, shape, sizeof shape);
    assert_int_equal(safetensors_load(&f, in, back, NULL), STATUS_OK);
    assert_memory_equal(back, bits, sizeof bits);
    safetensors_close(&f);
}

/* A limit on file sizes stands in for a full disk. */
static void a_write_that_fails_leaves_the_old_file(void **state)
{
    (void)state;
    write_file("{\"__metadata__\":{\"old\":\"yes\"}}", 0);
    static float data[100000];
    uint64_t shape[] = {100000};
    struct safetensor t = {.name = "w",
                           .dtype = SAFETENSORS_DTYPE_F32,
                           .shape = shape,
                           .dims = 1,
                           .data = data};
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 50000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct err err = ERR_INIT;
    enum status st = safetensors_write(path, &t, 1, NULL, 0, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(st, STATUS_ENVIRONMENT);
    struct safetensors_file f;
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    assert_string_equal(safetensors_metadata(&f.header, "old"), "yes");
    safetensors_close(&f);
    /* and nothing else: remove_folder() would fail on a file left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_vector_is_met_byte_for_byte),
        cmocka_unit_test(metadata_comes_first_and_larger_dtypes_before_smaller),
        cmocka_unit_test(everything_that_is_valid_is_read),
        cmocka_unit_test(escapes_become_utf8),
        cmocka_unit_test(everything_that_is_invalid_is_refused),
        cmocka_unit_test(wrong_lengths_are_refused),
        cmocka_unit_test(errors_point_to_the_byte_in_the_file),
        cmocka_unit_test(missing_files_folders_and_pipes_are_refused),
        cmocka_unit_test(values_come_back_bit_for_bit),
        cmocka_unit_test(a_write_that_fails_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
