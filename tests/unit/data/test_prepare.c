#include "data/prepare.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "data/dataset.h"
#include "data/folder_list.h"
#include "unit/data/small_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gait-prepare-XXXXXX";
static char text_path[64], json_path[64], out_path[64];

static int make_folder(void **state)
{
    (void)state;
    log_quiet(true);
    if (!mkdtemp(folder))
        return -1;
    snprintf(text_path, sizeof text_path, "%s/text.txt", folder);
    snprintf(json_path, sizeof json_path, "%s/tokenizer.json", folder);
    snprintf(out_path, sizeof out_path, "%s/out", folder);
    return 0;
}

static int empty_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    return system(command);
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void put(const char *path, const char *text, size_t len)
{
    assert_int_equal(file_write(path, text, len, NULL), STATUS_OK);
}

/* More than 65,536 tokens need four bytes each. */
static void put_tokenizer(int more)
{
    struct strbuf vocab, json;
    strbuf_init(&vocab);
    strbuf_init(&json);
    strbuf_puts(&vocab, ",\"ab\":256,\"Ġab\":257,\"<|endoftext|>\":258");
    for (int i = 0; i < more; i++)
        strbuf_printf(&vocab, ",\"t%d\":%d", i + 10, 259 + i);
    small_tokenizer_write(&json, &(struct small_tokenizer){
                                     .vocab = vocab.s,
                                     .merges = "[\"a b\",\"Ġ ab\"]",
                                     .pre_tokenizer = LLAMA3_PRE,
                                     .added = "[{\"id\":258,\"content\":\"<|endoftext|"
                                              ">\",\"special\":true}]"});
    put(json_path, json.s, json.len);
    strbuf_release(&vocab);
    strbuf_release(&json);
}

static void put_random_text(size_t words)
{
    static const char *const word[] = {
        "ab",   " ab", "123456", "!\n",           "\n\n", " ", "'s", "é",
        "日本", "ab",  "\r\n",   "<|endoftext|>", " aab", "x", "  ", "."};
    struct strbuf text;
    unsigned seed = 3;
    strbuf_init(&text);
    for (size_t i = 0; i < words; i++) {
        seed = seed * 1664525 + 1013904223;
        strbuf_puts(&text, word[(seed >> 16) % (sizeof word / sizeof *word)]);
    }
    put(text_path, text.s, text.len);
    strbuf_release(&text);
}

static const char *const text_input[] = {text_path};

static struct prepare_options options(void)
{
    return (struct prepare_options){.input = text_input,
                                    .inputs = 1,
                                    .dir = out_path,
                                    .tokenizer = json_path,
                                    .shard_tokens = 1000,
                                    .validation_fraction = 0.1,
                                    .threads = 2};
}

static void prepare_good(const struct prepare_options *o, struct prepare_result *r)
{
    struct err err = ERR_INIT;
    if (prepare_run(o, r, &err))
        fail_msg("%s", err.text);
}

static void prepare_bad(const struct prepare_options *o, enum status status,
                        const char *says)
{
    struct prepare_result r;
    struct err err = ERR_INIT;
    struct folder_list inside;
    assert_int_equal(prepare_run(o, &r, &err), status);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
    assert_int_equal(folder_list_read(&inside, folder, "", NULL), STATUS_OK);
    for (size_t i = 0; i < inside.n; i++) /* nothing half-made stays */
        assert_null(strstr(inside.path[i], ".tmp-"));
    folder_list_release(&inside);
}

static void open_good(struct dataset *d, const char *name, const char *tokenizer)
{
    struct err err = ERR_INIT;
    struct dataset_options o = {
        .name = name, .tokenizer = tokenizer, .validation_fraction = 0.1};
    if (dataset_open(d, &o, &err))
        fail_msg("%s", err.text);
}

static void check_same_range(const struct token_range *a, const struct token_range *b)
{
    assert_int_equal(a->n, b->n);
    int32_t *x = mem_zalloc(a->n, sizeof *x), *y = mem_zalloc(a->n, sizeof *y);
    assert_int_equal(token_range_copy(a, x, 0, a->n, SIZE_MAX, NULL), STATUS_OK);
    assert_int_equal(token_range_copy(b, y, 0, a->n, SIZE_MAX, NULL), STATUS_OK);
    assert_memory_equal(x, y, a->n * sizeof *x);
    mem_free(x);
    mem_free(y);
}

static void prepared_tokens_are_those_of_the_text(void **state)
{
    (void)state;
    static const uint64_t shard_tokens[] = {501, 997, 100000000};
    put_random_text(5000);
    for (int wide = 0; wide <= 1; wide++) {
        put_tokenizer(wide ? 66000 : 0);
        struct dataset text, prepared;
        open_good(&text, text_path, json_path);
        for (size_t i = 0; i < 3; i++) {
            struct prepare_options o = options();
            struct prepare_result r;
            o.shard_tokens = shard_tokens[i];
            prepare_good(&o, &r);
            assert_int_equal(r.width, wide ? 4 : 2);
            assert_int_equal(r.train_tokens, text.train.n);
            assert_int_equal(r.validation_tokens, text.validation.n);
            assert_int_equal(r.documents, 1);
            open_good(&prepared, out_path, NULL);
            assert_int_equal(prepared.kind, DATASET_PREPARED);
            assert_int_equal(prepared.vocabulary, text.vocabulary);
            assert_int_equal(prepared.tokenizer.kind, TOKENIZER_BPE);
            assert_int_equal(prepared.train.pieces + prepared.validation.pieces,
                             r.shards);
            check_same_range(&prepared.train, &text.train);
            check_same_range(&prepared.validation, &text.validation);
            dataset_close(&prepared);
            char command[128];
            snprintf(command, sizeof command, "rm -r %s", out_path);
            assert_int_equal(system(command), 0);
        }
        dataset_close(&text);
    }
}

static void a_shard_alone_has_the_width_of_its_index(void **state)
{
    (void)state;
    put_random_text(200);
    put_tokenizer(66000);
    struct prepare_options o = options();
    struct prepare_result r;
    prepare_good(&o, &r);
    struct dataset d;
    char shard[128];
    snprintf(shard, sizeof shard, "%s/train-00000.bin", out_path);
    open_good(&d, shard, NULL);
    assert_int_equal(d.n, r.train_tokens);
    assert_int_equal(d.vocabulary, 66259);
    dataset_close(&d);
}

static void check_same_folder(const char *a, const char *b)
{
    char command[256];
    snprintf(command, sizeof command, "diff -r %s %s", a, b);
    assert_int_equal(system(command), 0);
}

static void threads_do_not_change_a_byte(void **state)
{
    (void)state;
    put_random_text(1200000); /* several chunks */
    put_tokenizer(0);
    char other[64];
    snprintf(other, sizeof other, "%s/other", folder);
    struct prepare_options o = options();
    struct prepare_result r;
    o.threads = 1;
    o.shard_tokens = 300000;
    prepare_good(&o, &r);
    o.threads = 3;
    o.dir = other;
    prepare_good(&o, &r);
    assert_true(r.bytes > 2 << 20);
    check_same_folder(out_path, other);
}

static void documents_are_separated_as_told(void **state)
{
    (void)state;
    char docs[64], a[80], b[80];
    snprintf(docs, sizeof docs, "%s/docs", folder);
    snprintf(a, sizeof a, "%s/a.txt", docs);
    snprintf(b, sizeof b, "%s/b.txt", docs);
    assert_int_equal(mkdir(docs, 0777), 0);
    put(a, "ab", 2);
    put(b, "", 0);
    put(text_path, "x", 1);
    put_tokenizer(0);
    const char *inputs[] = {docs, text_path};
    struct prepare_options o = options();
    struct prepare_result r;
    o.input = inputs;
    o.inputs = 2;
    o.separator = "<|endoftext|>";
    o.validation_fraction = 0;
    prepare_good(&o, &r);
    assert_int_equal(r.documents, 3);
    assert_int_equal(r.validation_tokens, 0);
    char *shard;
    size_t len;
    char where[128];
    snprintf(where, sizeof where, "%s/train-00000.bin", out_path);
    assert_int_equal(file_read(&shard, &len, where, 1000, NULL), STATUS_OK);
    assert_int_equal(len, 10);
    assert_memory_equal(shard, ((uint16_t[]){256, 258, 258, 'x', 258}), 10);
    mem_free(shard);
    o.separator = "<none>";
    o.dir = json_path; /* not reached */
    prepare_bad(&o, STATUS_USAGE, "has no token \"<none>\"");
}

static void characters_are_learned_from_the_inputs(void **state)
{
    (void)state;
    struct dataset d;
    static const char text[] = "abcé日abcé日abcé日abcé日";
    put(text_path, text, sizeof text - 1);
    struct prepare_options o = options();
    struct prepare_result r;
    o.tokenizer = "chars";
    prepare_good(&o, &r);
    assert_int_equal(r.vocabulary, 5);
    open_good(&d, out_path, NULL);
    assert_int_equal(d.tokenizer.kind, TOKENIZER_CHARS);
    assert_int_equal(d.n, 20);
    dataset_close(&d);
}

static void what_fails_leaves_nothing(void **state)
{
    (void)state;
    struct prepare_options o = options();
    put_tokenizer(0);
    prepare_bad(&o, STATUS_INPUT, "no such file");
    put(text_path, "ab ab\xff ab", 9);
    prepare_bad(&o, STATUS_INPUT, "text.txt: byte 5 does not begin");
    assert_false(file_exists(out_path));
    put(text_path, "", 0);
    prepare_bad(&o, STATUS_INPUT, "no tokens");
    put(text_path, "ab", 2);
    o.dir = "/nonexistent/folder/out";
    prepare_bad(&o, STATUS_ENVIRONMENT, "its folder does not exist");
    o.dir = folder;
    prepare_bad(&o, STATUS_USAGE, "is not empty");
    o.dir = out_path;
    assert_int_equal(mkdir(out_path, 0777), 0);
    const char *inputs[] = {out_path};
    o.input = inputs;
    prepare_bad(&o, STATUS_INPUT, "has no *.txt");
    /* an empty folder may be taken, a trailing slash too */
    struct prepare_result r;
    char slash[80];
    snprintf(slash, sizeof slash, "%s/", out_path);
    o = options();
    o.dir = slash;
    prepare_good(&o, &r);
    assert_int_equal(r.train_tokens, 1);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_teardown(test, empty_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(prepared_tokens_are_those_of_the_text),
        IN_FOLDER(a_shard_alone_has_the_width_of_its_index),
        IN_FOLDER(threads_do_not_change_a_byte),
        IN_FOLDER(documents_are_separated_as_told),
        IN_FOLDER(characters_are_learned_from_the_inputs),
        IN_FOLDER(what_fails_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
