/* Chunks: whatever their size and the number of threads, the tokens are those of the
 * whole text. */
#include "data/text_reader.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "data/tokenizer_file.h"
#include "unit/data/small_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/gait-reader-XXXXXX";
static char first[64], second[64], json_path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(first, sizeof first, "%s/first", folder);
    snprintf(second, sizeof second, "%s/second", folder);
    snprintf(json_path, sizeof json_path, "%s/tokenizer.json", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(first);
    unlink(second);
    unlink(json_path);
    return rmdir(folder);
}

static void put(const char *path, const char *text, size_t len)
{
    assert_int_equal(file_write(path, text, len, NULL), STATUS_OK);
}

static void open_llama3(struct tokenizer *t)
{
    struct strbuf json;
    strbuf_init(&json);
    small_tokenizer_write(
        &json,
        &(struct small_tokenizer){
            .vocab = ",\"ab\":256,\"Ġab\":257,\"Ċ!\":258,\"aa\":259,\"!Ċ\":260",
            .merges = "[\"a b\",\"Ġ ab\",\"! Ċ\",\"a a\"]",
            .pre_tokenizer = LLAMA3_PRE,
            .added =
                "[{\"id\":261,\"content\":\"<a 1>\",\"normalized\":false,\"special\":"
                "true}]"});
    put(json_path, json.s, json.len);
    strbuf_release(&json);
    struct err err = ERR_INIT;
    if (tokenizer_open(t, json_path, NULL, &err))
        fail_msg("%s", err.text);
}

/* Pieces in which a cut at the wrong place would show. */
static void random_text(struct strbuf *out, size_t pieces, unsigned seed)
{
    static const char *const piece[] = {"ab",  "a",  " ",   "  ", "\n",    "!",  "!\n",
                                        "123", "12", "'s",  "é",  "<a 1>", "日", "\r\n",
                                        " ab", "aa", "<a ", "1>", "\t",    "😀"};
    for (size_t i = 0; i < pieces; i++) {
        seed = seed * 1664525 + 1013904223;
        strbuf_puts(out, piece[(seed >> 16) % (sizeof piece / sizeof *piece)]);
    }
}

struct gathered {
    struct text_reader reader;
    struct token_list tokens;
    size_t chunks, documents;
};

static enum status get(void *g, struct text_chunk *chunk, bool *end, struct err *err)
{
    return text_reader_get(&((struct gathered *)g)->reader, chunk, end, err);
}

static enum status gather(void *context, const struct text_chunk *chunk,
                          const struct token_list *tokens, struct err *err)
{
    (void)err;
    struct gathered *g = context;
    for (size_t i = 0; i < tokens->n; i++)
        token_list_add(&g->tokens, tokens->id[i]);
    g->chunks++;
    g->documents += chunk->last;
    return STATUS_OK;
}

static enum status run(struct gathered *g, const struct tokenizer *t, size_t chunk_bytes,
                       int threads, struct err *err)
{
    g->reader.chunk_bytes = chunk_bytes;
    struct encode_job job = {t, threads, get, gather, g};
    enum status st = encode_pool_run(&job, err);
    text_reader_release(&g->reader);
    return st;
}

static void check_same(const struct token_list *a, const struct token_list *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->id, b->id, a->n * sizeof *a->id);
}

static void check_every_size(const struct tokenizer *t, const struct strbuf *text)
{
    struct token_list whole = {0};
    assert_int_equal(tokenizer_encode(t, &whole, text->s, text->len, NULL), STATUS_OK);
    put(first, text->s, text->len);
    const char *path = first;
    static const size_t sizes[] = {1, 2, 3, 7, 64, 1000, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int threads = 1; threads <= 3; threads++) {
            struct gathered g = {0};
            text_reader_files(&g.reader, t, &path, 1, 0);
            assert_int_equal(run(&g, t, sizes[i], threads, NULL), STATUS_OK);
            check_same(&g.tokens, &whole);
            assert_int_equal(g.documents, 1);
            assert_true(sizes[i] > 64 || g.chunks > 10);
            token_list_release(&g.tokens);
            g = (struct gathered){0};
            text_reader_memory(&g.reader, t, text->s, text->len);
            assert_int_equal(run(&g, t, sizes[i], threads, NULL), STATUS_OK);
            check_same(&g.tokens, &whole);
            token_list_release(&g.tokens);
        }
    token_list_release(&whole);
}

static void chunks_give_the_tokens_of_the_whole(void **state)
{
    (void)state;
    struct tokenizer bpe, bytes, chars;
    open_llama3(&bpe);
    tokenizer_init_bytes(&bytes);
    for (unsigned seed = 0; seed < 6; seed++) {
        struct strbuf text;
        strbuf_init(&text);
        random_text(&text, 1000, seed);
        assert_int_equal(tokenizer_init_chars(&chars, text.s, text.len, NULL), STATUS_OK);
        check_every_size(&bpe, &text);
        check_every_size(&bytes, &text);
        check_every_size(&chars, &text);
        tokenizer_release(&chars);
        strbuf_release(&text);
    }
    tokenizer_release(&bpe);
    tokenizer_release(&bytes);
}

static void each_file_is_a_document(void **state)
{
    (void)state;
    struct tokenizer bpe;
    struct token_list want = {0};
    open_llama3(&bpe);
    put(first, "a", 1);
    put(second, "b ab", 4);
    const char *paths[] = {first, second, first};
    static const char *const texts[] = {"a", "b ab", "a"};
    for (int i = 0; i < 3; i++) /* "a" and "b" must not become "ab" */
        assert_int_equal(tokenizer_encode(&bpe, &want, texts[i], strlen(texts[i]), NULL),
                         STATUS_OK);
    struct gathered g = {0};
    text_reader_files(&g.reader, &bpe, paths, 3, 0);
    assert_int_equal(run(&g, &bpe, 1 << 10, 2, NULL), STATUS_OK);
    check_same(&g.tokens, &want);
    assert_int_equal(g.documents, 3);
    token_list_release(&g.tokens);
    token_list_release(&want);
    tokenizer_release(&bpe);
}

static void characters_are_counted_over_all_files(void **state)
{
    (void)state;
    struct tokenizer bytes;
    tokenizer_init_bytes(&bytes);
    put(first, "éa😀", 7);
    put(second, "日b", 4);
    const char *paths[] = {first, second};
    static const size_t bytes_of[] = {11, 2, 3, 7, 10, 11, 11};
    for (uint64_t max = 0; max < 7; max++)
        for (size_t chunk = 1; chunk < 12; chunk += 2) {
            struct gathered g = {0};
            text_reader_files(&g.reader, &bytes, paths, 2, max);
            assert_int_equal(run(&g, &bytes, chunk, 1, NULL), STATUS_OK);
            assert_int_equal(g.tokens.n, bytes_of[max]);
            token_list_release(&g.tokens);
        }
    tokenizer_release(&bytes);
}

static void characters_are_learned_from_all_files(void **state)
{
    (void)state;
    struct tokenizer t;
    put(first, "ba", 2);
    put(second, "日a", 4);
    const char *paths[] = {first, second};
    assert_int_equal(text_reader_learn_chars(&t, paths, 2, 0, NULL), STATUS_OK);
    assert_int_equal(t.n, 3);
    tokenizer_release(&t);
    put(second, "a\xff", 2);
    struct err err = ERR_INIT;
    assert_int_equal(text_reader_learn_chars(&t, paths, 2, 0, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "second: byte 1 does not begin"));
    tokenizer_release(&t);
}

/* Of several bad places the first in the text is told, whichever thread comes first. */
static void the_first_error_wins_and_has_its_place(void **state)
{
    (void)state;
    struct tokenizer bpe;
    struct strbuf text;
    open_llama3(&bpe);
    strbuf_init(&text);
    for (int i = 0; i < 3000; i++)
        strbuf_puts(&text, i == 1500 || i > 2000 ? "ab \xff" : "ab a");
    put(first, text.s, text.len);
    const char *path = first;
    for (int threads = 1; threads <= 3; threads++) {
        struct gathered g = {0};
        struct err err = ERR_INIT;
        text_reader_files(&g.reader, &bpe, &path, 1, 0);
        assert_int_equal(run(&g, &bpe, 100, threads, &err), STATUS_INPUT);
        assert_int_equal(err.offset, 1500 * 4 + 3);
        assert_non_null(strstr(err.text, "first: byte 6003 does not begin"));
        token_list_release(&g.tokens);
    }
    strbuf_release(&text);
    tokenizer_release(&bpe);
}

/* Memory stays bounded: a "text" of one endless word is refused. */
static void a_text_without_an_end_of_a_word_is_refused(void **state)
{
    (void)state;
    struct tokenizer bpe;
    struct err err = ERR_INIT;
    struct gathered g = {0};
    size_t len = 300000;
    char *text = mem_alloc(len);
    memset(text, 'a', len);
    open_llama3(&bpe);
    text_reader_memory(&g.reader, &bpe, text, len);
    g.reader.max_bytes = 100000;
    assert_int_equal(run(&g, &bpe, 1000, 2, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "no word ends in"));
    put(first, text, len);
    const char *path = first;
    text_reader_files(&g.reader, &bpe, &path, 1, 0);
    g.reader.max_bytes = 100000;
    assert_int_equal(run(&g, &bpe, 1000, 2, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "first: no word ends in"));
    assert_int_equal(g.tokens.n, 0);
    mem_free(text);
    tokenizer_release(&bpe);
}

static void a_missing_file_is_an_error(void **state)
{
    (void)state;
    struct tokenizer bytes;
    tokenizer_init_bytes(&bytes);
    const char *path = "/nonexistent/file";
    for (int threads = 1; threads <= 2; threads++) {
        struct gathered g = {0};
        text_reader_files(&g.reader, &bytes, &path, 1, 0);
        assert_int_equal(run(&g, &bytes, 100, threads, NULL), STATUS_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_give_the_tokens_of_the_whole),
        cmocka_unit_test(each_file_is_a_document),
        cmocka_unit_test(characters_are_counted_over_all_files),
        cmocka_unit_test(characters_are_learned_from_all_files),
        cmocka_unit_test(the_first_error_wins_and_has_its_place),
        cmocka_unit_test(a_text_without_an_end_of_a_word_is_refused),
        cmocka_unit_test(a_missing_file_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
