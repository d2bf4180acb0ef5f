#include "data/tokenizer_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "cmocka_setup.h"
#include "unit/data/small_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gait-tokenizer-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void put(const char *name, const char *text)
{
    char where[128];
    snprintf(where, sizeof where, "%s/%s", folder, name);
    assert_int_equal(file_write(where, text, strlen(text), NULL), STATUS_OK);
}

static void drop(const char *name)
{
    char where[128];
    snprintf(where, sizeof where, "%s/%s", folder, name);
    unlink(where);
}

static enum status open_small(struct tokenizer *t, const struct small_tokenizer *s,
                              struct err *err)
{
    struct strbuf json;
    strbuf_init(&json);
    small_tokenizer_write(&json, s);
    put("tokenizer.json", json.s);
    strbuf_release(&json);
    return tokenizer_open(t, folder, NULL, err);
}

static void check_ids(const struct tokenizer *t, const char *text, const token_id *want,
                      size_t n)
{
    struct token_list got = {0};
    assert_int_equal(tokenizer_encode(t, &got, text, strlen(text), NULL), STATUS_OK);
    assert_int_equal(got.n, n);
    assert_memory_equal(got.id, want, n * sizeof *want);
    struct strbuf back;
    strbuf_init(&back);
    tokenizer_decode(t, &back, got.id, got.n);
    assert_string_equal(back.s, text);
    strbuf_release(&back);
    token_list_release(&got);
}

#define IDS(...)                                                                         \
    (token_id[]){__VA_ARGS__}, sizeof((token_id[]){__VA_ARGS__}) / sizeof(token_id)

static void both_forms_of_merges_are_read(void **state)
{
    (void)state;
    static const char *const merges[] = {"[\"a b\",\"ab c\"]",
                                         "[[\"a\",\"b\"],[\"ab\",\"c\"]]"};
    for (int i = 0; i < 2; i++) {
        struct tokenizer t;
        struct small_tokenizer s = {.vocab = ",\"ab\":256,\"abc\":257",
                                    .merges = merges[i]};
        assert_int_equal(open_small(&t, &s, NULL), STATUS_OK);
        assert_int_equal(t.n, 258);
        check_ids(&t, "abcab a", IDS(257, 256, ' ', 'a'));
        tokenizer_release(&t);
    }
}

static void llama3_takes_whole_words_and_its_own_pattern(void **state)
{
    (void)state;
    struct tokenizer t;
    struct small_tokenizer s = {
        .vocab = ",\"Ġxyz\":256",
        .model = ",\"ignore_merges\":true",
        .pre_tokenizer = LLAMA3_PRE,
        .decoder = BYTE_LEVEL,
        .added = "[{\"id\":257,\"content\":\"<|eot id|>\",\"single_word\":false,"
                 "\"lstrip\":false,\"rstrip\":false,\"normalized\":false,"
                 "\"special\":true}]"};
    struct err err = ERR_INIT;
    if (open_small(&t, &s, &err))
        fail_msg("%s", err.text);
    assert_int_equal(t.n, 258);
    check_ids(&t, "a xyz<|eot id|> xyz!", IDS('a', 256, 257, 256, '!'));
    assert_int_equal(tokenizer_find(&t, "<|eot id|>", 10), 257);
    assert_int_equal(tokenizer_find(&t, " xyz", 4), 256);
    /* behind a letter, but within the added token */
    assert_false(tokenizer_may_cut(&t, "a<|eot id|>", 11, 6));
    assert_true(tokenizer_may_cut(&t, "a<|eox id|>", 11, 6));
    tokenizer_release(&t);
}

static void what_would_change_ids_is_refused_by_name(void **state)
{
    (void)state;
#define ADDED(options)                                                                   \
    "[{\"id\":256,\"content\":\"<x>\",\"normalized\":false,\"special\":true" options "}" \
    "]"
    static const struct {
        struct small_tokenizer t;
        const char *says;
    } bad[] = {
        {{.normalizer = "{\"type\":\"NFC\"}"}, "a normalizer (NFC)"},
        {{.model = ",\"dropout\":0.1"}, "dropout"},
        {{.model = ",\"byte_fallback\":true"}, "byte_fallback"},
        {{.model = ",\"end_of_word_suffix\":\"</w>\""}, "end_of_word_suffix"},
        {{.model = ",\"continuing_subword_prefix\":\"##\""}, "continuing_subword_prefix"},
        {{.decoder = "{\"type\":\"WordPiece\"}"}, "a decoder (WordPiece)"},
        {{.pre_tokenizer = "null"}, "a pre_tokenizer (none)"},
        {{.pre_tokenizer = "{\"type\":\"Whitespace\"}"}, "a pre_tokenizer (Whitespace)"},
        {{.pre_tokenizer = "{\"type\":\"ByteLevel\",\"add_prefix_space\":true}"},
         "add_prefix_space"},
        {{.pre_tokenizer = BYTE_LEVEL_ONLY}, "without use_regex"},
        {{.pre_tokenizer = "{\"type\":\"Sequence\",\"pretokenizers\":[" LLAMA3_SPLIT
                           "," BYTE_LEVEL "]}"},
         "with use_regex"},
        {{.pre_tokenizer =
              "{\"type\":\"Sequence\",\"pretokenizers\":[" LLAMA3_SPLIT "]}"},
         "not of two"},
        {{.pre_tokenizer =
              "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":"
              "{\"Regex\":\"\\\\w+\"},\"behavior\":\"Isolated\",\"invert\":false},"
              "" BYTE_LEVEL_ONLY "]}"},
         "another split pattern (\\w+)"},
        {{.pre_tokenizer =
              "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\","
              "\"pattern\":{\"Regex\":\"" LLAMA3_PATTERN
              "\"},\"behavior\":\"Removed\",\"invert\":false},"
              "" BYTE_LEVEL_ONLY "]}"},
         "a Split"},
        {{.added = ADDED(",\"lstrip\":true")}, "an added token with (lstrip)"},
        {{.added = ADDED(",\"rstrip\":true")}, "an added token with (rstrip)"},
        {{.added = ADDED(",\"single_word\":true")}, "an added token with (single_word)"},
        {{.merges = "[\"ab\"]"}, "neither"},
        {{.merges = "[[\"a\",\"b\",\"c\"]]"}, "neither"},
        {{.merges = "[\"a b\"]"}, "the vocabulary lacks"},
        {{.merges = "7"}, "no list of merges"},
        {{.vocab = ",\"ab\":\"x\""}, "has no id"},
        {{.vocab = ",\"ab\":256,\"ab\":257"}, "stands twice"},
        {{.added = "7"}, "not a list"},
        {{.added = "[7]"}, "no content"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tokenizer t;
        struct err err = ERR_INIT;
        assert_int_equal(open_small(&t, &bad[i].t, &err), STATUS_INPUT);
        if (!strstr(err.text, bad[i].says) || !strstr(err.text, "tokenizer.json: "))
            fail_msg("\"%s\" does not say \"%s\"", err.text, bad[i].says);
    }
}

static void files_that_are_no_tokenizers_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{}", "no \"model\""},
        {"[1]", "no \"model\""},
        {"{\"model\":{\"type\":\"WordPiece\"}}", "another type (WordPiece)"},
        {"", "not valid JSON"},
        {"{\"format\":\"gait-tokenizer\",\"version\":3,\"kind\":\"bytes\"}", "version"},
        {"{\"format\":\"gait-tokenizer\",\"version\":2,\"kind\":\"bytes\"}",
         "not what was written"},
        {"{\"format\":\"gait-tokenizer\",\"version\":1,\"kind\":\"x\"}", "unknown kind"},
        {"{\"format\":\"gait-tokenizer\",\"version\":1,\"kind\":\"chars\"}", "no list"},
        {"{\"format\":\"gait-tokenizer\",\"version\":1,\"kind\":\"chars\",\"codes\":[]}",
         "no list"},
        {"{\"format\":\"gait-tokenizer\",\"version\":1,\"kind\":\"chars\",\"codes\":[66,"
         "65]}",
         "not ascending"},
        {"{\"format\":\"gait-tokenizer\",\"version\":1,\"kind\":\"chars\",\"codes\":["
         "55296]}",
         "not ascending"},
        {"{\"format\":\"gait-tokenizer\",\"version\":1,\"kind\":\"chars\",\"codes\":["
         "\"a\"]}",
         "not ascending"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tokenizer t;
        struct err err = ERR_INIT;
        put("tokenizer.json", bad[i][0]);
        assert_int_equal(tokenizer_open(&t, path, NULL, &err), STATUS_INPUT);
        if (!strstr(err.text, bad[i][1]))
            fail_msg("\"%s\" does not say \"%s\"", err.text, bad[i][1]);
    }
    struct tokenizer t;
    struct err err = ERR_INIT;
    drop("tokenizer.json");
    assert_int_equal(tokenizer_open(&t, folder, NULL, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "neither tokenizer.json nor vocab.json"));
    assert_int_equal(tokenizer_open(&t, "/nonexistent.json", NULL, &err), STATUS_INPUT);
    assert_int_equal(tokenizer_open(&t, "chars", NULL, &err), STATUS_USAGE);
}

static void a_saved_tokenizer_reads_back(void **state)
{
    (void)state;
    struct tokenizer t, back;
    assert_int_equal(tokenizer_init_chars(&t, "zebra é", 8, NULL), STATUS_OK);
    assert_int_equal(tokenizer_save(&t, folder, NULL), STATUS_OK);
    assert_int_equal(tokenizer_open(&back, folder, NULL, NULL), STATUS_OK);
    assert_int_equal(back.kind, TOKENIZER_CHARS);
    assert_int_equal(back.n, t.n);
    assert_memory_equal(back.chars.code, t.chars.code, t.n * sizeof *t.chars.code);
    tokenizer_release(&back);
    tokenizer_release(&t);

    tokenizer_init_bytes(&t);
    assert_int_equal(tokenizer_save(&t, folder, NULL), STATUS_OK);
    assert_int_equal(tokenizer_open(&back, folder, NULL, NULL), STATUS_OK);
    assert_int_equal(back.kind, TOKENIZER_BYTES);
    tokenizer_release(&back);

    char *before, *after;
    size_t n, m;
    struct small_tokenizer s = {.vocab = ",\"ab\":256", .merges = "[ \"a b\" ]"};
    assert_int_equal(open_small(&t, &s, NULL), STATUS_OK);
    assert_int_equal(file_read(&before, &n, path, 1 << 20, NULL), STATUS_OK);
    drop("tokenizer.json");
    assert_int_equal(tokenizer_save(&t, folder, NULL), STATUS_OK);
    assert_int_equal(file_read(&after, &m, path, 1 << 20, NULL), STATUS_OK);
    assert_int_equal(m, n);
    assert_memory_equal(after, before, n);
    mem_free(before);
    mem_free(after);
    tokenizer_release(&t);
}

static void a_flipped_bit_of_a_saved_tokenizer_is_noticed(void **state)
{
    (void)state;
    struct tokenizer t;
    char *text;
    size_t len;
    assert_int_equal(tokenizer_init_chars(&t, "to be or not", 12, NULL), STATUS_OK);
    assert_int_equal(tokenizer_save(&t, folder, NULL), STATUS_OK);
    tokenizer_release(&t);
    assert_int_equal(file_read(&text, &len, path, 1 << 20, NULL), STATUS_OK);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        struct err err = ERR_INIT;
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        assert_int_equal(file_write(path, text, len, NULL), STATUS_OK);
        if (!tokenizer_open(&t, path, NULL, &err))
            fail_msg("bit %zu: %s", bit, text);
        assert_non_null(strstr(err.text, path));
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
    }
    mem_free(text);
}

static void a_tokenizer_of_an_older_program_is_read_and_is_the_same(void **state)
{
    (void)state;
    struct tokenizer old, now;
    put("tokenizer.json", "{\"format\":\"gait-tokenizer\",\"version\":1,\"kind\":"
                          "\"chars\",\"codes\":[97,98]}");
    assert_int_equal(tokenizer_open(&old, path, NULL, NULL), STATUS_OK);
    assert_int_equal(tokenizer_init_chars(&now, "ab", 2, NULL), STATUS_OK);
    assert_true(tokenizer_is_same(&old, &now));
    tokenizer_release(&now);
    assert_int_equal(tokenizer_init_chars(&now, "ac", 2, NULL), STATUS_OK);
    assert_false(tokenizer_is_same(&old, &now));
    tokenizer_release(&now);
    tokenizer_init_bytes(&now);
    assert_false(tokenizer_is_same(&old, &now));
    tokenizer_release(&now);
    tokenizer_release(&old);
}

static void write_vocab(const char *more)
{
    struct strbuf vocab;
    strbuf_init(&vocab);
    strbuf_puts(&vocab, "{");
    small_bytes(&vocab);
    strbuf_printf(&vocab, "%s}", more);
    put("vocab.json", vocab.s);
    strbuf_release(&vocab);
}

static void a_folder_of_vocabulary_and_merges_is_read_and_saved(void **state)
{
    (void)state;
    struct tokenizer t, back;
    struct err err = ERR_INIT;
    drop("tokenizer.json");
    write_vocab(",\"Ġa\":256,\"Ġab\":257,\"<|endoftext|>\":258");
    put("merges.txt", "#version: 0.2\nĠ a\r\nĠa b\n\n");
    if (tokenizer_open(&t, folder, NULL, &err))
        fail_msg("%s", err.text);
    check_ids(&t, "a ab a<|endoftext|>", IDS('a', 257, 256, 258));
    assert_int_equal(tokenizer_save(&t, folder, NULL), STATUS_OK);
    assert_int_equal(tokenizer_open(&back, path, NULL, &err), STATUS_OK);
    assert_int_equal(back.n, t.n);
    check_ids(&back, "a ab a<|endoftext|>", IDS('a', 257, 256, 258));
    tokenizer_release(&back);
    tokenizer_release(&t);
    drop("tokenizer.json");
    put("added_tokens.json", "{}");
    assert_int_equal(tokenizer_open(&t, folder, NULL, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "added_tokens.json"));
    drop("added_tokens.json");
    static const char *const bad[] = {"Ġa", "Ġ a b", " a", "Ġ ", "Ġ x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("merges.txt", bad[i]);
        assert_int_equal(tokenizer_open(&t, folder, NULL, &err), STATUS_INPUT);
    }
    drop("vocab.json");
    drop("merges.txt");
}

static void gpt2_says_where_it_looked(void **state)
{
    (void)state;
    struct tokenizer t;
    struct err err = ERR_INIT;
    unsetenv("GAIT_DATA");
    assert_int_equal(tokenizer_open(&t, "gpt2", "", &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "set data_dir (or the environment's GAIT_DATA)"));
    assert_int_equal(tokenizer_open(&t, "gpt2", "/nonexistent", &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "/nonexistent/gpt2-vocab"));
    /* another vocabulary than GPT-2's is not taken for it */
    write_vocab("");
    put("merges.txt", "");
    setenv("GAIT_DATA", folder, 1);
    assert_int_equal(tokenizer_open(&t, "gpt2", NULL, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "a vocabulary of 256"));
    unsetenv("GAIT_DATA");
    drop("vocab.json");
    drop("merges.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_of_merges_are_read),
        cmocka_unit_test(llama3_takes_whole_words_and_its_own_pattern),
        cmocka_unit_test(what_would_change_ids_is_refused_by_name),
        cmocka_unit_test(files_that_are_no_tokenizers_are_refused),
        cmocka_unit_test(a_saved_tokenizer_reads_back),
        cmocka_unit_test(a_flipped_bit_of_a_saved_tokenizer_is_noticed),
        cmocka_unit_test(a_tokenizer_of_an_older_program_is_read_and_is_the_same),
        cmocka_unit_test(a_folder_of_vocabulary_and_merges_is_read_and_saved),
        cmocka_unit_test(gpt2_says_where_it_looked),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
