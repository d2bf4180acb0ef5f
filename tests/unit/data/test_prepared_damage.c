/* What gait data prepare wrote is used as it was written, or not at all. */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "data/dataset.h"
#include "data/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LETTERS = 200000, SHARD_TOKENS = 150000, BLOCK_TOKENS = 1 << 16 };

static char folder[64];
static char data[80];

static void path_in(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", data, name);
}

/* 180,000 tokens to train, in shards of 150,000 and 30,000; 20,000 to validate. */
static int make_data(void **state)
{
    (void)state;
    static char text[LETTERS];
    char path[64];
    const char *const input[] = {path};
    struct prepare_result r;
    log_quiet(true);
    strcpy(folder, "/tmp/gait-damage-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/text.txt", folder);
    snprintf(data, sizeof data, "%s/data", folder);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i * i % 23);
    struct prepare_options o = {.input = input,
                                .inputs = 1,
                                .dir = data,
                                .tokenizer = "chars",
                                .shard_tokens = SHARD_TOKENS,
                                .validation_fraction = 0.1,
                                .threads = 1};
    return file_write(path, text, sizeof text, NULL) || prepare_run(&o, &r, NULL) ? -1
                                                                                  : 0;
}

static int remove_data(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void flip(const char *name, long at, int bit)
{
    char path[128];
    path_in(path, name);
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    int byte = fgetc(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    fputc(byte ^ 1 << bit, f);
    assert_int_equal(fclose(f), 0);
}

static enum status open_data(struct dataset *d, const char *name, struct err *err)
{
    char path[128];
    path_in(path, name);
    struct dataset_options o = {
        .name = *name ? path : data, .validation_fraction = 0.1, .context = 8};
    return dataset_open(d, &o, err);
}

static enum status read_range(const struct token_range *r, size_t vocabulary,
                              struct err *err)
{
    int32_t window[64];
    enum status st = STATUS_OK;
    for (size_t at = 0, n; at < r->n && !st; at += n) {
        n = r->n - at < 64 ? r->n - at : 64;
        st = token_range_copy(r, window, at, n, vocabulary, err);
    }
    return st;
}

static enum status read_all(const char *name, struct err *err)
{
    struct dataset d;
    enum status st = open_data(&d, name, err);
    if (st)
        return st;
    st = read_range(&d.train, d.vocabulary, err);
    if (!st)
        st = read_range(&d.validation, d.vocabulary, err);
    dataset_close(&d);
    return st;
}

static void check_noticed(const char *opened, const char *damaged)
{
    struct err err = ERR_INIT;
    assert_int_equal(read_all(opened, &err), STATUS_INPUT);
    if (!strstr(err.text, damaged))
        fail_msg("\"%s\" does not name %s", err.text, damaged);
}

static void check_sound(const char *opened)
{
    struct err err = ERR_INIT;
    if (read_all(opened, &err))
        fail_msg("%s", err.text);
}

static void a_flipped_token_is_noticed(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        long token;
    } places[] = {{"train-00000.bin", 0},
                  {"train-00000.bin", BLOCK_TOKENS - 1},
                  {"train-00000.bin", BLOCK_TOKENS},
                  {"train-00000.bin", SHARD_TOKENS - 1},
                  {"train-00001.bin", 29999}, /* of a block that was cut */
                  {"val-00000.bin", 0},
                  {"val-00000.bin", 19999}};
    check_sound("");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        flip(places[i].file, 2 * places[i].token, 0);
        check_noticed("", places[i].file);
        flip(places[i].file, 2 * places[i].token, 0);
    }
    check_sound("");
}

static void what_is_not_used_is_not_read(void **state)
{
    (void)state;
    struct dataset d;
    int32_t window[8];
    struct err err = ERR_INIT;
    flip("train-00000.bin", 2 * BLOCK_TOKENS, 0);
    assert_int_equal(open_data(&d, "", NULL), STATUS_OK);
    assert_int_equal(token_range_copy(&d.train, window, BLOCK_TOKENS - 8, 8, 23, &err),
                     STATUS_OK);
    assert_int_equal(token_range_copy(&d.train, window, BLOCK_TOKENS - 4, 8, 23, &err),
                     STATUS_INPUT);
    for (int i = 0; i < 8; i++) /* in range, whatever is made of them */
        assert_true(window[i] >= 0 && window[i] < 23);
    dataset_close(&d);
    flip("train-00000.bin", 2 * BLOCK_TOKENS, 0);
}

static void a_flipped_bit_of_index_or_tokenizer_is_noticed(void **state)
{
    (void)state;
    static const char *const files[] = {"gait-data.json", "tokenizer.json"};
    for (size_t i = 0; i < 2; i++) {
        char path[128], *text;
        size_t len;
        path_in(path, files[i]);
        assert_int_equal(file_read(&text, &len, path, 1 << 20, NULL), STATUS_OK);
        mem_free(text);
        for (size_t at = 0; at < len; at++) {
            flip(files[i], (long)at, (int)(at % 8));
            struct dataset d;
            struct err err = ERR_INIT;
            assert_int_equal(open_data(&d, "", &err), STATUS_INPUT);
            if (!strstr(err.text, files[i]))
                fail_msg("byte %zu: \"%s\" does not name %s", at, err.text, files[i]);
            flip(files[i], (long)at, (int)(at % 8));
        }
    }
    check_sound("");
}

static void a_shard_named_alone_is_checked(void **state)
{
    (void)state;
    char path[128];
    struct dataset d;
    check_sound("train-00001.bin");
    assert_int_equal(open_data(&d, "train-00001.bin", NULL), STATUS_OK);
    assert_string_equal(d.vocabulary_from, "index");
    dataset_close(&d);
    flip("train-00001.bin", 100, 0);
    check_noticed("train-00001.bin", "train-00001.bin");
    flip("train-00001.bin", 100, 0);
    check_sound("train-00001.bin");
    path_in(path, "train-00001.bin");
    assert_int_equal(truncate(path, 50000), 0);
    check_noticed("train-00001.bin", "train-00001.bin");
}

static void data_of_an_older_program_is_read_without_hashes(void **state)
{
    (void)state;
    static const uint16_t tokens[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const char index[] =
        "{\"format\":\"gait-data\",\"version\":1,\"dtype\":\"uint16\",\"vocabulary\":12,"
        "\"tokenizer\":\"tokenizer.json\","
        "\"train\":[{\"file\":\"train-00000.bin\",\"tokens\":12}],"
        "\"validation\":[{\"file\":\"val-00000.bin\",\"tokens\":12}]}";
    char path[128];
    path_in(path, "train-00000.bin");
    assert_int_equal(file_write(path, (const char *)tokens, sizeof tokens, NULL), 0);
    path_in(path, "val-00000.bin");
    assert_int_equal(file_write(path, (const char *)tokens, sizeof tokens, NULL), 0);
    path_in(path, "gait-data.json");
    assert_int_equal(file_write(path, index, sizeof index - 1, NULL), 0);
    check_sound("");
}

int main(void)
{
#define WITH_DATA(test) cmocka_unit_test_setup_teardown(test, make_data, remove_data)
    const struct CMUnitTest tests[] = {
        WITH_DATA(a_flipped_token_is_noticed),
        WITH_DATA(what_is_not_used_is_not_read),
        WITH_DATA(a_flipped_bit_of_index_or_tokenizer_is_noticed),
        WITH_DATA(a_shard_named_alone_is_checked),
        WITH_DATA(data_of_an_older_program_is_read_without_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
