#include "data/bpe.h"

#include "base/clock.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "data/bpe_build.h"
#include "data/byte_chars.h"

#include <stdio.h>
#include <string.h>

static void add_bytes(struct bpe_build *b)
{
    struct strbuf s;
    strbuf_init(&s);
    for (int i = 0; i < 256; i++) {
        char byte = (char)i;
        strbuf_clear(&s);
        byte_chars_write(&s, &byte, 1);
        assert_int_equal(bpe_build_token(b, s.s, s.len, i, NULL), STATUS_OK);
    }
    strbuf_release(&s);
}

static struct bpe *finish(struct bpe_build *b)
{
    struct bpe *bpe = NULL;
    struct err err = ERR_INIT;
    if (bpe_build_finish(b, &bpe, NULL, 0, &err))
        fail_msg("%s", err.text);
    bpe_build_free(b);
    return bpe;
}

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

/* A vocabulary of strings of a … d, each new one the sum of two older ones; the ranks are
 * in random order too, so that a merge may come before those of its parts. */
static struct bpe *random_bpe(unsigned *seed, int tokens)
{
    enum { MAX = 64, LEN = 12 };
    struct bpe_build *b = bpe_build_new(WORD_PATTERN_GPT2, false);
    char string[MAX + 4][LEN + 1] = {"a", "b", "c", "d"};
    int left[MAX], right[MAX], n = 4, merges = 0;
    add_bytes(b);
    for (int tries = 0; n < 4 + tokens && tries < 1000; tries++) {
        int l = (int)(next_random(seed) % (unsigned)n);
        int r = (int)(next_random(seed) % (unsigned)n);
        int64_t known;
        if (strlen(string[l]) + strlen(string[r]) > LEN || merges == MAX)
            continue;
        char both[2 * LEN + 1];
        snprintf(both, sizeof both, "%s%s", string[l], string[r]);
        if (!bpe_build_has(b, both, strlen(both), &known)) {
            assert_int_equal(bpe_build_token(b, both, strlen(both), 252 + n, NULL), 0);
            memcpy(string[n++], both, strlen(both) + 1);
        }
        left[merges] = l;
        right[merges++] = r;
    }
    for (int i = merges - 1; i > 0; i--) { /* shuffle */
        int k = (int)(next_random(seed) % (unsigned)(i + 1));
        int l = left[i], r = right[i];
        left[i] = left[k], right[i] = right[k];
        left[k] = l, right[k] = r;
    }
    for (int i = 0; i < merges; i++) {
        const char *l = string[left[i]], *r = string[right[i]];
        assert_int_equal(bpe_build_merge(b, l, strlen(l), r, strlen(r), NULL), STATUS_OK);
    }
    return finish(b);
}

/* The definition: look at all pairs, merge the leftmost of the lowest rank, again. */
static size_t merge_plainly(const struct bpe *b, token_id *id, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < n; i++)
        id[i] = b->byte_token[(unsigned char)word[i]];
    for (;;) {
        const struct bpe_merge *best = NULL;
        size_t at = 0;
        for (size_t i = 0; i + 1 < n; i++) {
            const struct bpe_merge *m = bpe_find_merge(b, id[i], id[i + 1]);
            if (m && (!best || m->rank < best->rank)) {
                best = m;
                at = i;
            }
        }
        if (!best)
            return n;
        id[at] = best->result;
        memmove(id + at + 1, id + at + 2, (--n - at - 1) * sizeof *id);
    }
}

static void merging_is_as_its_definition_says(void **state)
{
    (void)state;
    unsigned seed = 1;
    size_t merged = 0;
    for (int round = 0; round < 300; round++) {
        struct bpe *b = random_bpe(&seed, 5 + round % 40);
        struct bpe_work *w = bpe_work_new(b);
        for (int i = 0; i < 100; i++) {
            char word[41];
            size_t len = 1 + next_random(&seed) % 40;
            for (size_t k = 0; k < len; k++)
                word[k] = (char)('a' + next_random(&seed) % 4);
            word[len] = '\0';
            token_id want[40];
            size_t n = merge_plainly(b, want, word);
            struct token_list got = {0};
            bpe_word(w, &got, word, len);
            bpe_word(w, &got, word, len); /* from the cache, where it is short */
            assert_int_equal(got.n, 2 * n);
            assert_memory_equal(got.id, want, n * sizeof *want);
            assert_memory_equal(got.id + n, want, n * sizeof *want);
            merged += len - n;
            token_list_release(&got);
        }
        bpe_work_free(w);
        bpe_free(b);
    }
    assert_true(merged > 100000);
}

/* a a -> aa, aa aa -> aaaa, …: each level of a long word merges at many places. */
static struct bpe *doubling_bpe(void)
{
    struct bpe_build *b = bpe_build_new(WORD_PATTERN_GPT2, false);
    char string[64];
    int64_t id = 256;
    memset(string, 'a', sizeof string);
    add_bytes(b);
    for (size_t n = 1; n < sizeof string; n *= 2) {
        assert_int_equal(bpe_build_token(b, string, 2 * n, id++, NULL), STATUS_OK);
        assert_int_equal(bpe_build_merge(b, string, n, string, n, NULL), STATUS_OK);
    }
    return finish(b);
}

static double seconds_of_word(struct bpe_work *w, size_t len)
{
    char *word = mem_alloc(len);
    struct token_list out = {0};
    memset(word, 'a', len);
    int64_t begin_ns = clock_cpu_ns();
    bpe_word(w, &out, word, len);
    double s = (double)(clock_cpu_ns() - begin_ns) / 1e9;
    assert_int_equal(out.n, len / 64);
    token_list_release(&out);
    mem_free(word);
    return s;
}

/* 16 times the bytes: quadratic time would be 256 times as long. */
static void a_long_word_does_not_take_quadratic_time(void **state)
{
    (void)state;
    struct bpe *b = doubling_bpe();
    struct bpe_work *w = bpe_work_new(b);
    double few = seconds_of_word(w, 1 << 16), many = seconds_of_word(w, 1 << 20);
    print_message("64 KiB %.4f s, 1 MiB %.4f s\n", few, many);
    assert_true(many < 100 * few);
    bpe_work_free(w);
    bpe_free(b);
}

static void check_text(struct bpe_work *w, const char *text, const token_id *want,
                       size_t n)
{
    struct token_list got = {0};
    bpe_text(w, &got, text, strlen(text));
    assert_int_equal(got.n, n);
    assert_memory_equal(got.id, want, n * sizeof *want);
    token_list_release(&got);
}

static void added_tokens_are_found_leftmost_then_longest_in_two_passes(void **state)
{
    (void)state;
    struct bpe_build *b = bpe_build_new(WORD_PATTERN_GPT2, false);
    add_bytes(b);
    assert_int_equal(bpe_build_added(b, "<x>", 3, 256, false, NULL), STATUS_OK);
    assert_int_equal(bpe_build_added(b, "<x>y", 4, 257, false, NULL), STATUS_OK);
    assert_int_equal(bpe_build_added(b, "x><", 3, 258, false, NULL), STATUS_OK);
    assert_int_equal(bpe_build_added(b, "z<x>", 4, 259, true, NULL), STATUS_OK);
    assert_int_equal(bpe_build_added(b, "zz", 2, 260, true, NULL), STATUS_OK);
    assert_int_equal(bpe_build_added(b, "", 0, 261, true, NULL), STATUS_OK);
    struct bpe *bpe = finish(b);
    struct bpe_work *w = bpe_work_new(bpe);
    check_text(w, "<x>", (token_id[]){256}, 1);
    check_text(w, "<x>y<x>", (token_id[]){257, 256}, 2);
    check_text(w, "<x><x>", (token_id[]){256, 256}, 2);
    check_text(w, "x><x>", (token_id[]){258, 'x', '>'}, 3);
    check_text(w, "z<x>", (token_id[]){'z', 256}, 2);
    check_text(w, "zzz<x", (token_id[]){260, 'z', '<', 'x'}, 4);
    assert_true(added_tokens_cover(&bpe->added, "a <x>", 5, 3));
    assert_true(added_tokens_cover(&bpe->added, "a <x", 4, 3)); /* may go on */
    assert_false(added_tokens_cover(&bpe->added, "a <x>", 5, 2));
    assert_false(added_tokens_cover(&bpe->added, "a<y>", 4, 2));
    size_t len;
    assert_memory_equal(bpe_bytes(bpe, 257, &len), "<x>y", 4);
    assert_int_equal(len, 4);
    bpe_work_free(w);
    bpe_free(bpe);
}

static void a_broken_vocabulary_is_refused(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct bpe *bpe;
    struct bpe_build *b = bpe_build_new(WORD_PATTERN_GPT2, false);
    add_bytes(b);
    assert_int_equal(bpe_build_token(b, "ab", 2, -1, &err), STATUS_INPUT);
    assert_int_equal(bpe_build_token(b, "", 0, 256, &err), STATUS_INPUT);
    assert_int_equal(bpe_build_token(b, "a\0b", 3, 256, &err), STATUS_INPUT);
    assert_int_equal(bpe_build_merge(b, "a", 1, "b", 1, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "the vocabulary lacks"));
    assert_int_equal(bpe_build_added(b, "<x>", 3, 300, false, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "300 where 256 was expected"));
    assert_int_equal(bpe_build_added(b, "a", 1, 'a', false, &err), STATUS_OK);
    assert_int_equal(bpe_build_added(b, "a", 1, 'a', true, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "comes twice"));
    assert_int_equal(bpe_build_added(b, "é", 2, 233, false, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "other bytes"));
    assert_int_equal(bpe_build_token(b, "ab", 2, 1000, &err), STATUS_OK);
    assert_int_equal(bpe_build_finish(b, &bpe, NULL, 0, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "ids with gaps"));
    bpe_build_free(b);

    b = bpe_build_new(WORD_PATTERN_GPT2, false);
    add_bytes(b);
    assert_int_equal(bpe_build_token(b, "ab", 2, 7, &err), STATUS_OK);
    assert_int_equal(bpe_build_finish(b, &bpe, NULL, 0, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "the same id 7"));
    bpe_build_free(b);

    b = bpe_build_new(WORD_PATTERN_GPT2, false);
    assert_int_equal(bpe_build_token(b, "a", 1, 0, &err), STATUS_OK);
    assert_int_equal(bpe_build_finish(b, &bpe, NULL, 0, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "no token for the byte 0x00"));
    bpe_build_free(b);
}

static void bytes_and_their_characters_are_inverses(void **state)
{
    (void)state;
    assert_int_equal(byte_char(' '), 0x120);
    assert_int_equal(byte_char('\n'), 0x10a);
    assert_int_equal(byte_char('a'), 'a');
    assert_int_equal(byte_char(0xad), 0x143);
    char all[256], back[512];
    size_t n;
    struct strbuf s;
    strbuf_init(&s);
    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    byte_chars_write(&s, all, sizeof all);
    assert_true(byte_chars_read(back, &n, s.s, s.len));
    assert_int_equal(n, 256);
    assert_memory_equal(back, all, sizeof all);
    assert_false(byte_chars_read(back, &n, "a b", 3));
    assert_false(byte_chars_read(back, &n, "\u0144", 2));
    assert_false(byte_chars_read(back, &n, "\xff", 1));
    strbuf_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_is_as_its_definition_says),
        cmocka_unit_test(a_long_word_does_not_take_quadratic_time),
        cmocka_unit_test(added_tokens_are_found_leftmost_then_longest_in_two_passes),
        cmocka_unit_test(a_broken_vocabulary_is_refused),
        cmocka_unit_test(bytes_and_their_characters_are_inverses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
