#include "data/dataset.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "data/prepared_index.h"
#include "unit/data/small_tokenizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gait-dataset-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    unsetenv("GAIT_DATA");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/text", folder);
    return 0;
}

static int empty_folder(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s/* %s/.h*", folder, folder);
    return system(command);
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void put(const char *name, const void *data, size_t len)
{
    char where[128];
    snprintf(where, sizeof where, "%s/%s", folder, name);
    assert_int_equal(file_write(where, data, len, NULL), STATUS_OK);
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

/* What begins as a name in the folder is made its path. */
static enum status open_in(struct dataset *d, struct dataset_options o, struct err *err)
{
    static char where[128];
    snprintf(where, sizeof where, "%s/%s", folder, o.name);
    o.name = where;
    if (!(o.validation_fraction > 0))
        o.validation_fraction = 0.25;
    return dataset_open(d, &o, err);
}

static void open_good(struct dataset *d, struct dataset_options o)
{
    struct err err = ERR_INIT;
    if (open_in(d, o, &err))
        fail_msg("%s", err.text);
}

static void open_bad(struct dataset_options o, enum status status, const char *says)
{
    struct dataset d;
    struct err err = ERR_INIT;
    assert_int_equal(open_in(&d, o, &err), status);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static void check_tokens(const struct token_range *r, const int32_t *want, size_t n)
{
    int32_t got[64];
    assert_int_equal(r->n, n);
    assert_int_equal(token_range_copy(r, got, 0, n, SIZE_MAX, NULL), STATUS_OK);
    assert_memory_equal(got, want, n * sizeof *want);
}

#define INTS(...)                                                                        \
    (int32_t[]){__VA_ARGS__}, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)

static void check_text(const struct dataset *d, const struct token_range *r,
                       const char *want)
{
    int32_t got[256];
    struct strbuf s;
    strbuf_init(&s);
    assert_true(r->n <= 256);
    assert_int_equal(token_range_copy(r, got, 0, r->n, d->vocabulary, NULL), STATUS_OK);
    tokenizer_decode(&d->tokenizer, &s, (token_id *)got, r->n);
    assert_string_equal(s.s, want);
    strbuf_release(&s);
}

static void a_file_is_split_with_validation_at_its_end(void **state)
{
    (void)state;
    struct dataset d;
    put_text("text", "aaaaaabbbcéd");
    open_good(&d, (struct dataset_options){.name = "text", .context = 2});
    assert_int_equal(d.kind, DATASET_TEXT);
    assert_int_equal(d.n, 12);
    assert_int_equal(d.vocabulary, 5);
    assert_int_equal(d.memory_bytes, 24);
    assert_int_equal(d.train.n, 9);
    check_text(&d, &d.validation, "céd");
    assert_true(isnan(d.entropy_nats_per_char));
    dataset_close(&d);
}

static void a_text_is_tokenized_as_told(void **state)
{
    (void)state;
    struct dataset d;
    struct strbuf json;
    strbuf_init(&json);
    small_tokenizer_write(
        &json, &(struct small_tokenizer){.vocab = ",\"ab\":256", .merges = "[\"a b\"]"});
    put_text("tokenizer.json", json.s);
    put_text("text", "ab ab ab \xc3\xa9 ab");
    open_good(&d, (struct dataset_options){.name = "text", .tokenizer = "bytes"});
    assert_int_equal(d.n, 14);
    assert_int_equal(d.vocabulary, 256);
    dataset_close(&d);
    char where[128];
    snprintf(where, sizeof where, "%s/tokenizer.json", folder);
    open_good(&d, (struct dataset_options){.name = "text", .tokenizer = where});
    check_tokens(&d.train, INTS(256, ' ', 256, ' ', 256, ' ', 0xc3));
    check_tokens(&d.validation, INTS(0xa9, ' ', 256));
    dataset_close(&d);
    /* 65536 ids fit two bytes; here 257 do */
    open_good(&d, (struct dataset_options){.name = "text", .max_chars = 6});
    assert_int_equal(d.n, 6);
    check_text(&d, &d.train, "ab a");
    check_text(&d, &d.validation, "b ");
    dataset_close(&d);
    put("text", "ab\xff\xfe", 4);
    open_good(&d, (struct dataset_options){.name = "text", .tokenizer = "bytes"});
    assert_int_equal(d.n, 4);
    dataset_close(&d);
    strbuf_release(&json);
}

static void a_folder_of_texts_is_read_by_name(void **state)
{
    (void)state;
    struct dataset d;
    put_text("b.txt", "bbb");
    put_text("a.txt", "aa");
    put_text("c.txt", "é");
    put_text("notes.md", "no");
    put_text(".hidden.txt", "no");
    open_good(&d, (struct dataset_options){.name = "."});
    check_text(&d, &d.train, "aabb");
    check_text(&d, &d.validation, "bé");
    dataset_close(&d);
    open_good(&d, (struct dataset_options){.name = ".", .max_chars = 3});
    check_text(&d, &d.train, "aa");
    check_text(&d, &d.validation, "b");
    dataset_close(&d);
}

static void what_cannot_be_used_says_why_and_what_to_do(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        size_t context;
    } bad[] = {
        {"", "is empty; name a text file", 1},
        {"abcdefgh", "each part needs context + 1 = 3", 2},
        {"abc", "use a longer text", 100},
        {"abcdefghijklmnop\xff", "text: byte 16 does not begin", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_text("text", bad[i].text);
        open_bad((struct dataset_options){.name = "text", .context = bad[i].context},
                 STATUS_INPUT, bad[i].says);
    }
    put_text("meta.pkl", "cos\nsystem\n");
    open_bad((struct dataset_options){.name = "meta.pkl"}, STATUS_INPUT, "a pickle");
}

static void missing_files_folders_and_pipes_are_refused(void **state)
{
    (void)state;
    char pipe_path[64];
    open_bad((struct dataset_options){.name = "absent"}, STATUS_INPUT,
             "there is no data set");
    open_bad((struct dataset_options){.name = "."}, STATUS_INPUT,
             "no gait-data.json, no *.bin and no *.txt");
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    open_bad((struct dataset_options){.name = "pipe"}, STATUS_INPUT,
             "not a regular file");
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe.bin", folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    open_bad((struct dataset_options){.name = "pipe.bin"}, STATUS_INPUT, "it is a pipe");
}

static void a_text_too_large_for_memory_is_sent_to_prepare(void **state)
{
    (void)state;
    put_text("text", "abc abc abc");
    assert_int_equal(truncate(path, ((off_t)1 << 30) + 1), 0); /* a hole, no disk */
    open_bad((struct dataset_options){.name = "text"}, STATUS_INPUT,
             "run gait data prepare");
    struct dataset d;
    open_good(&d, (struct dataset_options){.name = "text", .max_chars = 10});
    assert_int_equal(d.n, 10);
    dataset_close(&d);
}

static void the_builtin_text_knows_its_entropy(void **state)
{
    (void)state;
    struct dataset d;
    struct dataset_options o = {.name = "builtin",
                                .builtin_chars = 1000000,
                                .builtin_seed = 1,
                                .validation_fraction = 0.1,
                                .context = 64};
    assert_int_equal(dataset_open(&d, &o, NULL), STATUS_OK);
    assert_in_range(d.n, 999900, 1000000);
    assert_in_range(d.tokenizer.n, 20, 30);
    assert_float_equal(d.entropy_nats_per_char, 0.4739, 0.0001);
    /* 100,000 characters: the standard error is about 0.001 */
    assert_float_equal(d.validation_nats_per_char, d.entropy_nats_per_char, 0.005);
    assert_true(d.validation_nats_per_char != d.entropy_nats_per_char);
    dataset_close(&d);
    o.tokenizer = "bytes";
    o.max_chars = 50000;
    o.threads = 2;
    assert_int_equal(dataset_open(&d, &o, NULL), STATUS_OK);
    assert_in_range(d.n, 49900, 50000);
    assert_true(isfinite(d.entropy_nats_per_char));
    dataset_close(&d);
}

static void a_builtin_text_too_small_to_validate_is_refused(void **state)
{
    (void)state;
    struct dataset d;
    struct err err = ERR_INIT;
    struct dataset_options o = {.name = "builtin",
                                .builtin_chars = 1000,
                                .validation_fraction = 0.05,
                                .context = 64};
    assert_int_equal(dataset_open(&d, &o, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "use a longer text"));
}

static void shakespeare_is_looked_for_in_data_dir(void **state)
{
    (void)state;
    struct dataset d;
    struct err err = ERR_INIT;
    struct dataset_options o = {.name = "shakespeare", .validation_fraction = 0.1};
    assert_int_equal(dataset_open(&d, &o, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "set data_dir"));
    o.data_dir = folder;
    assert_int_equal(dataset_open(&d, &o, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "no tinyshakespeare.txt, input.txt or"));
    put_text("input.txt", "To be, or not to be");
    assert_int_equal(dataset_open(&d, &o, &err), STATUS_OK);
    assert_int_equal(d.n, 19);
    dataset_close(&d);
    o.data_dir = NULL;
    setenv("GAIT_DATA", folder, 1);
    assert_int_equal(dataset_open(&d, &o, &err), STATUS_OK);
    unsetenv("GAIT_DATA");
    dataset_close(&d);
}

static void nanogpt_files_are_mapped(void **state)
{
    (void)state;
    static const uint16_t train[] = {5, 1, 2, 65535, 4}, val[] = {7, 8};
    struct dataset d;
    put("train.bin", train, sizeof train);
    put("val.bin", val, sizeof val);
    open_good(&d, (struct dataset_options){.name = "."});
    assert_int_equal(d.kind, DATASET_TOKENS);
    check_tokens(&d.train, INTS(5, 1, 2, 65535, 4));
    check_tokens(&d.validation, INTS(7, 8));
    assert_int_equal(d.memory_bytes, 0);
    assert_int_equal(d.vocabulary, 65536);
    assert_string_equal(d.vocabulary_from, "largest token");
    assert_int_equal(d.tokenizer.kind, TOKENIZER_NONE);
    dataset_close(&d);
    put_text("meta.json", "{\"vocab_size\": 70000}");
    open_good(&d, (struct dataset_options){.name = "train.bin"});
    check_tokens(&d.train, INTS(5, 1, 2, 65535));
    check_tokens(&d.validation, INTS(4));
    assert_int_equal(d.vocabulary, 70000);
    dataset_close(&d);
    open_good(&d, (struct dataset_options){.name = ".", .tokenizer = "bytes"});
    assert_int_equal(d.vocabulary, 256);
    int32_t out[5];
    struct err err = ERR_INIT;
    assert_int_equal(token_range_copy(&d.train, out, 0, 5, d.vocabulary, &err),
                     STATUS_INPUT);
    assert_non_null(strstr(err.text, "train.bin: token 3 is 65535"));
    dataset_close(&d);
    open_bad((struct dataset_options){.name = ".", .tokenizer = "chars"}, STATUS_USAGE,
             "is made of a text");
    open_bad((struct dataset_options){.name = ".", .max_chars = 5}, STATUS_USAGE,
             "max_chars cuts texts");
    put_text("meta.json", "{\"vocab_size\": 0}");
    open_bad((struct dataset_options){.name = "."}, STATUS_INPUT, "no \"vocab_size\"");
    put_text("meta.json", "{");
    open_bad((struct dataset_options){.name = "."}, STATUS_INPUT, "meta.json: not valid");
}

static void put_llmc(const char *name, int32_t magic, int32_t version, int32_t count,
                     const void *tokens, size_t bytes)
{
    char file[1024 + 64] = {0};
    int32_t head[3] = {magic, version, count};
    memcpy(file, head, sizeof head);
    memcpy(file + 1024, tokens, bytes);
    put(name, file, 1024 + bytes);
}

static void llmc_headers_are_read(void **state)
{
    (void)state;
    static const uint16_t narrow[] = {1, 2, 50256};
    static const uint32_t wide[] = {128000, 3, 70000, 6};
    struct dataset d;
    put_llmc("x_train_000.bin", 20240520, 1, 3, narrow, sizeof narrow);
    put_llmc("x_train_001.bin", 20240801, 7, 4, wide, sizeof wide);
    put_llmc("x_val_000.bin", 20240801, 7, 4, wide, sizeof wide);
    open_good(&d, (struct dataset_options){.name = "."});
    check_tokens(&d.train, INTS(1, 2, 50256, 128000, 3, 70000, 6));
    check_tokens(&d.validation, INTS(128000, 3, 70000, 6));
    assert_int_equal(d.vocabulary, 128001);
    dataset_close(&d);
    static const struct {
        int32_t count;
        size_t bytes;
    } bad[] = {{3, 4}, {2, 6}, {0, 0}, {-1, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_llmc("bad.bin", 20240520, 1, bad[i].count, narrow, bad[i].bytes);
        open_bad((struct dataset_options){.name = "bad.bin"}, STATUS_INPUT,
                 "its header says");
    }
    put_text("bad.bin", "abc");
    open_bad((struct dataset_options){.name = "bad.bin"}, STATUS_INPUT,
             "not a whole number of 2-byte tokens");
    put_text("bad.bin", "");
    open_bad((struct dataset_options){.name = "bad.bin"}, STATUS_INPUT, "no tokens");
}

static void a_prepared_folder_is_what_its_index_says(void **state)
{
    (void)state;
    static const uint16_t a[] = {1, 2, 3}, b[] = {200, 5};
    struct dataset d;
    struct tokenizer bytes;
    put("train-00000.bin", a, sizeof a);
    put("train-00001.bin", b, sizeof b);
    put("val-00000.bin", b, sizeof b);
    put_text("stray.bin", "xx");
    struct content_hash_text hash_a = content_hash_of(a, sizeof a);
    struct content_hash_text hash_b = content_hash_of(b, sizeof b);
    struct prepared_index x = {.width = 2, .vocabulary = 256, .tokenizer = hash_a};
    prepared_shards_add(&x.train, "train-00000.bin", 3, hash_a.s);
    prepared_shards_add(&x.train, "train-00001.bin", 2, hash_b.s);
    prepared_shards_add(&x.validation, "val-00000.bin", 2, hash_b.s);
    assert_int_equal(prepared_index_write(&x, folder, NULL), STATUS_OK);
    open_good(&d, (struct dataset_options){.name = "."});
    assert_int_equal(d.kind, DATASET_PREPARED);
    check_tokens(&d.train, INTS(1, 2, 3, 200, 5));
    check_tokens(&d.validation, INTS(200, 5));
    dataset_close(&d);
    tokenizer_init_bytes(&bytes);
    open_good(&d, (struct dataset_options){.name = ".", .tokenizer = "bytes"});
    assert_int_equal(d.tokenizer.kind, TOKENIZER_BYTES);
    dataset_close(&d);
    x.vocabulary = 300;
    x.validation.item[0].tokens = 3;
    assert_int_equal(prepared_index_write(&x, folder, NULL), STATUS_OK);
    open_bad((struct dataset_options){.name = "."}, STATUS_INPUT,
             "holds 2 tokens, and gait-data.json says 3");
    open_bad((struct dataset_options){.name = ".", .tokenizer = "bytes"}, STATUS_INPUT,
             "was prepared with a vocabulary of 300");
    prepared_index_release(&x);
}

static void a_damaged_index_is_refused(void **state)
{
    (void)state;
#define INDEX(rest) "{\"format\":\"gait-data\",\"version\":1," rest "}"
    static const char *const bad[][2] = {
        {"{}", "not an index of version 1 or 2"},
        {"{\"format\":\"gait-data\",\"version\":2,\"dtype\":\"uint16\","
         "\"vocabulary\":2}",
         "not what was written"},
        {INDEX("\"dtype\":\"int8\",\"vocabulary\":2"), "dtype"},
        {INDEX("\"dtype\":\"uint16\",\"vocabulary\":0"), "vocabulary"},
        {INDEX("\"dtype\":\"uint16\",\"vocabulary\":4294967296"), "vocabulary"},
        {INDEX("\"dtype\":\"uint16\",\"vocabulary\":2,\"train\":3"), "not a list"},
        {INDEX("\"dtype\":\"uint16\",\"vocabulary\":2,\"train\":[3]"), "no file name"},
        {INDEX("\"dtype\":\"uint16\",\"vocabulary\":2,\"train\":[{\"file\":\"../x\","
               "\"tokens\":1}]"),
         "no file name"},
        {INDEX("\"dtype\":\"uint16\",\"vocabulary\":2,\"train\":[{\"file\":\"a/b\","
               "\"tokens\":1}]"),
         "no file name"},
        {INDEX("\"dtype\":\"uint16\",\"vocabulary\":2,\"train\":[{\"file\":\"x\","
               "\"tokens\":0}]"),
         "no count"},
        {INDEX("\"dtype\":\"uint16\",\"vocabulary\":2,\"train\":[]"), "has 0 tokens"},
        {INDEX("\"dtype\":\"uint16\",\"vocabulary\":2,\"train\":[{\"file\":\"absent\","
               "\"tokens\":1}]"),
         "no such file"},
        {"[", "not valid JSON"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_text("gait-data.json", bad[i][0]);
        open_bad((struct dataset_options){.name = "."}, STATUS_INPUT, bad[i][1]);
    }
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_teardown(test, empty_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_file_is_split_with_validation_at_its_end),
        IN_FOLDER(a_text_is_tokenized_as_told),
        IN_FOLDER(a_folder_of_texts_is_read_by_name),
        IN_FOLDER(what_cannot_be_used_says_why_and_what_to_do),
        IN_FOLDER(missing_files_folders_and_pipes_are_refused),
        IN_FOLDER(a_text_too_large_for_memory_is_sent_to_prepare),
        IN_FOLDER(the_builtin_text_knows_its_entropy),
        IN_FOLDER(a_builtin_text_too_small_to_validate_is_refused),
        IN_FOLDER(shakespeare_is_looked_for_in_data_dir),
        IN_FOLDER(nanogpt_files_are_mapped),
        IN_FOLDER(llmc_headers_are_read),
        IN_FOLDER(a_prepared_folder_is_what_its_index_says),
        IN_FOLDER(a_damaged_index_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
