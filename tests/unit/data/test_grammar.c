/* The built-in text: is its stated entropy true, and is every sentence's derivation the
 * only one? The parser here knows nothing of the writer: it only reads the rules. */
#include "data/grammar.h"

#include "base/strbuf.h"
#include "cmocka_setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 128 };

static struct grammar *builtin(void)
{
    return grammar_new(grammar_rules, grammar_rules_n);
}

/* ways[end] is how many derivations of a string's prefix end there, p[end] the sum of
 * their probabilities. */
struct ends {
    double ways[TEXT_MAX + 1], p[TEXT_MAX + 1];
};

static struct ends symbol_parse(const struct grammar *g, int symbol, const char *text,
                                size_t len, size_t begin);

static struct ends part_parse(const struct grammar *g, const struct grammar_part *part,
                              const char *text, size_t len, const struct ends *from)
{
    struct ends to = {{0}, {0}};
    for (size_t i = 0; i <= len; i++) {
        if (from->ways[i] == 0)
            continue;
        if (part->symbol < 0) {
            if (len - i >= part->len && !memcmp(text + i, part->literal, part->len)) {
                to.ways[i + part->len] += from->ways[i];
                to.p[i + part->len] += from->p[i];
            }
            continue;
        }
        struct ends inner = symbol_parse(g, part->symbol, text, len, i);
        for (size_t j = i; j <= len; j++) {
            to.ways[j] += from->ways[i] * inner.ways[j];
            to.p[j] += from->p[i] * inner.p[j];
        }
    }
    return to;
}

static struct ends symbol_parse(const struct grammar *g, int symbol, const char *text,
                                size_t len, size_t begin)
{
    struct ends all = {{0}, {0}};
    const struct grammar_symbol *s = &g->symbol[symbol];
    for (size_t c = 0; c < s->choices; c++) {
        struct ends at = {{0}, {0}};
        at.ways[begin] = 1;
        at.p[begin] = s->choice[c].probability;
        for (size_t k = 0; k < s->choice[c].parts; k++)
            at = part_parse(g, &s->choice[c].part[k], text, len, &at);
        for (size_t i = begin; i <= len; i++) {
            all.ways[i] += at.ways[i];
            all.p[i] += at.p[i];
        }
    }
    return all;
}

static const struct grammar_rule coin[] = {{"s", 1, "<x><x>\n"}, {"x", 1, "a|b"}};
static const struct grammar_rule twofold[] = {
    {"s", 1, "<x>b\n|a<y>\n"}, {"x", 1, "a"}, {"y", 1, "b"}};
static const struct grammar_rule unequal[] = {
    {"s", 3, "a\n"}, {"s", 1, "bcd<x>\n"}, {"x", 1, "|ee"}};

static void entropy_of_small_grammars_is_as_by_hand(void **state)
{
    (void)state;
    struct grammar *g = grammar_new(coin, 2);
    assert_float_equal(g->nats_per_char, 2 * log(2) / 3, 1e-15);
    grammar_free(g);

    g = grammar_new(unequal, 3);
    double nats = -0.75 * log(0.75) - 0.25 * log(0.25) + 0.25 * log(2);
    double chars = 0.75 * 2 + 0.25 * (4 + 1);
    assert_float_equal(g->symbol[0].entropy_nats, nats, 1e-15);
    assert_float_equal(g->symbol[0].mean_chars, chars, 1e-15);
    assert_int_equal(g->symbol[0].max_chars, 6);
    grammar_free(g);
}

/* The check of the check: an ambiguous grammar is seen as one. */
static void the_counting_parser_sees_two_derivations(void **state)
{
    (void)state;
    struct grammar *g = grammar_new(twofold, 3);
    assert_float_equal(symbol_parse(g, 0, "ab\n", 3, 0).ways[3], 2, 0);
    assert_float_equal(symbol_parse(g, 0, "ab", 2, 0).ways[2], 0, 0);
    grammar_free(g);
}

static void every_sentence_has_one_derivation(void **state)
{
    (void)state;
    struct grammar *g = builtin();
    assert_true(g->symbol[0].max_chars <= TEXT_MAX);
    struct strbuf s;
    strbuf_init(&s);
    for (uint64_t i = 0; i < 5000; i++) {
        strbuf_clear(&s);
        double nats = grammar_sentence(g, &s, 11, i);
        struct ends e = symbol_parse(g, 0, s.s, s.len, 0);
        assert_float_equal(e.ways[s.len], 1, 0);
        assert_float_equal(-log(e.p[s.len]), nats, 1e-9);
        for (size_t k = 0; k < s.len; k++) /* no sentence begins another one */
            assert_float_equal(e.ways[k], 0, 0);
    }
    strbuf_release(&s);
    grammar_free(g);
}

/* Words that share a place are distinct, or two choices would give one string. */
static void no_symbol_offers_the_same_words_twice(void **state)
{
    (void)state;
    struct grammar *g = builtin();
    for (size_t i = 0; i < g->symbols; i++) {
        const struct grammar_symbol *s = &g->symbol[i];
        for (size_t c = 0; c < s->choices; c++) {
            const struct grammar_part *p = s->choice[c].part;
            if (s->choice[c].parts != 1 || p->symbol >= 0)
                continue;
            char word[TEXT_MAX];
            snprintf(word, sizeof word, "%.*s", (int)p->len, p->literal);
            assert_float_equal(symbol_parse(g, (int)i, word, p->len, 0).ways[p->len], 1,
                               0);
        }
    }
    grammar_free(g);
}

static void a_sentence_ends_at_its_only_newline(void **state)
{
    (void)state;
    struct grammar *g = builtin();
    struct strbuf s;
    strbuf_init(&s);
    for (uint64_t i = 0; i < 20000; i++) {
        strbuf_clear(&s);
        grammar_sentence(g, &s, 3, i);
        assert_ptr_equal(strchr(s.s, '\n'), s.s + s.len - 1);
        assert_true(s.len <= g->symbol[0].max_chars);
        assert_int_equal(strspn(s.s, "abcdefghijklmnopqrstuvwxyz ,.\n"), s.len);
    }
    strbuf_release(&s);
    grammar_free(g);
}

/* Ratio estimate over n sentences: mean of (nats - rate * chars) has expectation 0. */
static void entropy_is_what_sampling_finds(void **state)
{
    (void)state;
    struct grammar *g = builtin();
    struct strbuf s;
    strbuf_init(&s);
    enum { N = 200000 };
    double sum = 0, squares = 0, chars = 0, nats = 0;
    for (uint64_t i = 0; i < N; i++) {
        strbuf_clear(&s);
        double info = grammar_sentence(g, &s, 20, i);
        double excess = info - g->nats_per_char * (double)s.len;
        sum += excess;
        squares += excess * excess;
        nats += info;
        chars += (double)s.len;
    }
    double standard_error = sqrt(squares) / chars;
    print_message("entropy %.6f, sampled %.6f +- %.6f nats a character, "
                  "%.2f characters a sentence\n",
                  g->nats_per_char, nats / chars, standard_error, chars / N);
    assert_true(standard_error < 0.001);
    assert_true(fabs(sum / chars) < 4 * standard_error);
    assert_true(fabs(chars / N - g->symbol[0].mean_chars) < 0.1);
    strbuf_release(&s);
    grammar_free(g);
}

/* Chi-square of the first symbol's choices and of a word list, by their prefixes. */
static void choices_follow_their_weights(void **state)
{
    (void)state;
    static const struct grammar_rule r[] = {
        {"s", 5, "a\n"}, {"s", 3, "b\n|c\n"}, {"s", 1, "d\n"}};
    static const double p[] = {5 / 12.0, 3 / 12.0, 3 / 12.0, 1 / 12.0};
    struct grammar *g = grammar_new(r, 3);
    struct strbuf s;
    strbuf_init(&s);
    enum { N = 120000 };
    double seen[4] = {0}, chi2 = 0;
    for (uint64_t i = 0; i < N; i++) {
        strbuf_clear(&s);
        grammar_sentence(g, &s, 99, i);
        seen[s.s[0] - 'a']++;
    }
    for (int k = 0; k < 4; k++)
        chi2 += (seen[k] - N * p[k]) * (seen[k] - N * p[k]) / (N * p[k]);
    assert_true(chi2 < 16.3); /* 3 degrees of freedom, 0.1 % */
    strbuf_release(&s);
    grammar_free(g);
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    struct grammar *g = builtin();
    struct strbuf a, b, c;
    strbuf_init(&a);
    strbuf_init(&b);
    strbuf_init(&c);
    struct grammar_text ta = grammar_write(g, &a, 5, 10000);
    grammar_write(g, &b, 5, 10000);
    grammar_write(g, &c, 6, 10000);
    assert_string_equal(a.s, b.s);
    assert_string_not_equal(a.s, c.s);
    strbuf_clear(&b);
    for (uint64_t i = 0; i < ta.sentences; i++) /* sentence by sentence: the same */
        grammar_sentence(g, &b, 5, i);
    assert_string_equal(a.s, b.s);
    strbuf_release(&a);
    strbuf_release(&b);
    strbuf_release(&c);
    grammar_free(g);
}

static void a_text_fits_and_knows_its_information(void **state)
{
    (void)state;
    struct grammar *g = builtin();
    struct strbuf s;
    strbuf_init(&s);
    struct grammar_text t = grammar_write(g, &s, 1, 100000);
    assert_int_equal(t.chars, s.len);
    assert_true(s.len <= 100000 && s.len > 100000 - g->symbol[0].max_chars);
    assert_int_equal(s.s[s.len - 1], '\n');
    double nats = 0;
    for (size_t begin = 0; begin < s.len;) {
        size_t len = (size_t)(strchr(s.s + begin, '\n') - (s.s + begin)) + 1;
        nats -= log(symbol_parse(g, 0, s.s + begin, len, 0).p[len]);
        begin += len;
    }
    assert_float_equal(nats, t.information_nats, 1e-6);
    assert_int_equal(grammar_write(g, &s, 1, 0).chars, 0);
    strbuf_release(&s);
    grammar_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entropy_of_small_grammars_is_as_by_hand),
        cmocka_unit_test(the_counting_parser_sees_two_derivations),
        cmocka_unit_test(every_sentence_has_one_derivation),
        cmocka_unit_test(no_symbol_offers_the_same_words_twice),
        cmocka_unit_test(a_sentence_ends_at_its_only_newline),
        cmocka_unit_test(entropy_is_what_sampling_finds),
        cmocka_unit_test(choices_follow_their_weights),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(a_text_fits_and_knows_its_information),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
