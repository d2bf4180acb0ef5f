#include "base/file.h"
#include "base/mem.h"
#include "checkpoint/safetensors.h"
#include "cmocka_setup.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

static void write_one(struct safetensor *t)
{
    struct safetensors_content c = {.tensor = t, .n = 1};
    unlink(path);
    assert_int_equal(safetensors_write(path, &c, NULL), STATUS_OK);
}

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
                           .get = safetensor_get_memory,
                           .owner = six};
    write_one(&t);
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
    for (size_t i = 0; i < 6; i++) {
        t[i].get = safetensor_get_memory;
        t[i].owner = data;
    }
    const struct safetensors_pair m[] = {{.key = "format", .value = "pt"},
                                         {.key = "a", .value = "b"}};
    struct safetensors_content c = {.tensor = t, .n = 6, .metadata = m, .pairs = 2};
    unlink(path);
    assert_int_equal(safetensors_write(path, &c, NULL), STATUS_OK);
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
                           .get = safetensor_get_memory,
                           .owner = bits};
    write_one(&t);
    struct safetensors_file f;
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    const struct safetensor *in = safetensors_find(&f.header, "w");
    assert_int_equal(in->end - in->begin, sizeof bits);
    assert_int_equal(in->dims, 2);
    assert_memory_equal(in->shape, shape, sizeof shape);
    assert_int_equal(safetensors_load(&f, in, 0, sizeof back, back, NULL), STATUS_OK);
    assert_memory_equal(back, bits, sizeof bits);
    safetensors_close(&f);
}

/* The form of names that serde_json writes: short escapes where JSON has them. */
static void names_are_escaped_as_the_library_does(void **state)
{
    (void)state;
    static const char name[] = "q\" b\\ \b\f\n\r\t \x01\x1f \x7f /é😀";
    static const char want[] =
        "{\"q\\\" b\\\\ \\b\\f\\n\\r\\t \\u0001\\u001f \x7f /é😀\":{";
    struct safetensor t = {.name = name,
                           .dtype = SAFETENSORS_DTYPE_F32,
                           .shape = shape_123,
                           .dims = 3,
                           .get = safetensor_get_memory,
                           .owner = six};
    write_one(&t);
    char *bytes;
    size_t len;
    assert_int_equal(file_read(&bytes, &len, path, 1000, NULL), STATUS_OK);
    assert_memory_equal(bytes + 8, want, sizeof want - 1);
    mem_free(bytes);
    struct safetensors_file f;
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    assert_non_null(safetensors_find(&f.header, name));
    safetensors_close(&f);
}

/* Known answers of XXH3-128, from xxhsum. */
static void hashes_are_those_of_xxhsum(void **state)
{
    (void)state;
    assert_string_equal(content_hash_of("", 0).s, "99aa06d3014798d86001c324468d497f");
    assert_string_equal(content_hash_of("abc", 3).s, "06b05ab6733a618578af5f94892f3950");
    struct content_hash *h = content_hash_new();
    content_hash_add(h, "junk", 4);
    content_hash_reset(h);
    content_hash_add(h, "a", 1);
    content_hash_add(h, "bc", 2);
    assert_string_equal(content_hash_text(h).s, "06b05ab6733a618578af5f94892f3950");
    content_hash_free(h);
}

static void a_hashed_file_holds_the_hash_of_every_tensor(void **state)
{
    (void)state;
    enum { N = 700001 }; /* more than a part is written at a time */
    static float big[N];
    for (int i = 0; i < N; i++)
        big[i] = (float)i;
    const uint64_t shape[] = {N};
    struct safetensor t[] = {{.name = "small",
                              .dtype = SAFETENSORS_DTYPE_F32,
                              .shape = shape_123,
                              .dims = 3,
                              .get = safetensor_get_memory,
                              .owner = six},
                             {.name = "big",
                              .dtype = SAFETENSORS_DTYPE_F32,
                              .shape = shape,
                              .dims = 1,
                              .get = safetensor_get_memory,
                              .owner = big}};
    struct safetensors_content c = {.tensor = t, .n = 2, .hashed = true};
    unlink(path);
    assert_int_equal(safetensors_write(path, &c, NULL), STATUS_OK);
    struct safetensors_file f;
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    assert_string_equal(f.hash.s, c.hash.s);
    assert_string_equal(safetensors_metadata(&f.header, "xxh3.small"),
                        content_hash_of(six, sizeof six).s);
    assert_string_equal(safetensors_metadata(&f.header, "xxh3.big"),
                        content_hash_of(big, sizeof big).s);
    safetensors_close(&f);
}

static void no_tensors_make_the_smallest_file(void **state)
{
    (void)state;
    struct safetensors_content c = {.hashed = true};
    unlink(path);
    assert_int_equal(safetensors_write(path, &c, NULL), STATUS_OK);
    char *bytes;
    size_t len;
    assert_int_equal(file_read(&bytes, &len, path, 1000, NULL), STATUS_OK);
    assert_int_equal(len, 16);
    assert_memory_equal(bytes, "\x08\0\0\0\0\0\0\0{}      ", 16);
    mem_free(bytes);
}

static void what_is_there_is_refused(void **state)
{
    (void)state;
    struct safetensors_content c = {.hashed = true};
    struct err err = ERR_INIT;
    char link[80];
    snprintf(link, sizeof link, "%s.link", path);
    unlink(path);
    assert_int_equal(symlink(path, link), 0); /* its target is not there yet */
    assert_int_equal(safetensors_write(link, &c, &err), STATUS_ENVIRONMENT);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(safetensors_write(path, &c, &err), STATUS_OK);
    assert_int_equal(safetensors_write(path, &c, &err), STATUS_ENVIRONMENT);
    assert_int_equal(access(path, F_OK), 0);
}

/* A limit on file sizes stands in for a full disk. */
static void a_write_that_fails_says_so_and_leaves_no_file(void **state)
{
    (void)state;
    static float data[100000];
    uint64_t shape[] = {100000};
    struct safetensor t = {.name = "w",
                           .dtype = SAFETENSORS_DTYPE_F32,
                           .shape = shape,
                           .dims = 1,
                           .get = safetensor_get_memory,
                           .owner = data};
    struct safetensors_content c = {.tensor = &t, .n = 1};
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 50000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct err err = ERR_INIT;
    unlink(path);
    enum status st = safetensors_write(path, &c, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(st, STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, path));
    assert_false(file_exists(path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_vector_is_met_byte_for_byte),
        cmocka_unit_test(metadata_comes_first_and_larger_dtypes_before_smaller),
        cmocka_unit_test(names_are_escaped_as_the_library_does),
        cmocka_unit_test(no_tensors_make_the_smallest_file),
        cmocka_unit_test(values_come_back_bit_for_bit),
        cmocka_unit_test(hashes_are_those_of_xxhsum),
        cmocka_unit_test(a_hashed_file_holds_the_hash_of_every_tensor),
        cmocka_unit_test(what_is_there_is_refused),
        cmocka_unit_test(a_write_that_fails_says_so_and_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
