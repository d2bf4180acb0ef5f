/*
 * The built-in data set: English-like sentences, one a line, from a small probabilistic
 * grammar whose entropy is known exactly. A trainer that works reaches that entropy, and
 * none can go below it.
 *
 * Invariants (tests/unit/data/test_grammar.c holds them): no symbol derives itself; each
 * sentence has exactly one derivation and ends at its only newline. Hence the entropy of
 * the derivations is the entropy of the text, and
 *     nats a character = H(sentence) / E[characters of a sentence].
 *
 * Sentence i depends on (seed, i) alone. The grammar itself is grammar_rules.c: data.
 */
#ifndef GAIT_DATA_GRAMMAR_H
#define GAIT_DATA_GRAMMAR_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* Ways to write a symbol, separated by |, each of this weight; a way's share of all the
 * symbol's weights is its probability. <name> stands for a symbol, all else for itself.
 */
struct grammar_rule {
    const char *symbol;
    uint32_t weight; /* > 0 */
    const char *ways;
};

/* A piece of a rule's text: literal characters, or a symbol. */
struct grammar_part {
    int symbol;          /* -1: literal */
    const char *literal; /* not NUL-terminated */
    size_t len;
};

struct grammar_choice {
    double probability;
    uint32_t weight;
    struct grammar_part *part; /* (parts) */
    size_t parts;
};

struct grammar_symbol {
    const char *name;
    uint32_t weight;               /* of all choices together */
    struct grammar_choice *choice; /* (choices) */
    size_t choices;
    double entropy_nats; /* exact, of all that it derives */
    double mean_chars;   /* exact */
    size_t max_chars;
};

struct grammar {
    struct arena memory;
    struct grammar_symbol *symbol; /* (symbols); 0 is the sentence */
    size_t symbols;
    double nats_per_char; /* exact entropy rate of the text */
};

/* The rules of the built-in data set; those of one symbol stand together, the sentence
 * first. */
extern const struct grammar_rule grammar_rules[];
extern const size_t grammar_rules_n;

/* Compile rules; unknown symbols and recursion are bugs. The rules must outlive it. */
struct grammar *grammar_new(const struct grammar_rule *rule, size_t n);
void grammar_free(struct grammar *g); /* NULL is fine */

/* Append sentence `index` of the text of this seed to out (not cleared). Returns its
 * exact information, -log p, in nats. */
double grammar_sentence(const struct grammar *g, struct strbuf *out, uint64_t seed,
                        uint64_t index);

/* A text of whole sentences. */
struct grammar_text {
    uint64_t seed;
    uint64_t sentences;
    size_t chars;
    double information_nats; /* exact -log p of the whole text */
};

/* Append sentences 0, 1, … while they fit into max_chars. Fewer than the longest
 * sentence's characters are missing at the end. */
struct grammar_text grammar_write(const struct grammar *g, struct strbuf *out,
                                  uint64_t seed, size_t max_chars);

#endif
