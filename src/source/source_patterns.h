/*
 * All patterns of a query; private to this folder.
 *
 * No pattern is searched in the whole tree. One of a call whose name it asks for, as in
 * (#eq? @name "item"), is tried where that name is called: of a hundred such patterns one
 * or two. Any other one is tried at nodes of the kind that it begins with.
 */
#ifndef GAIT_SOURCE_SOURCE_PATTERNS_H
#define GAIT_SOURCE_SOURCE_PATTERNS_H

#include "source/pattern.h"
#include "source/source_match.h"

struct source_pattern {
    int32_t query;
    struct pattern parts;
    struct predicate *predicates;
    int32_t n;
    int32_t hit; /* capture @hit */
};

struct source_trigger {
    struct slice name;
    int32_t pattern, next; /* next: of the same hash, -1: none */
};

/* A pattern that begins with a kind of node. */
struct source_begin {
    int32_t pattern, next; /* next: of the same kind, -1: none */
};

enum { TRIGGER_HASH_SIZE = 512, WORD_HASH_SIZE = 1024 };

struct source_query {
    struct arena *memory;            /* of predicates */
    struct source_pattern *patterns; /* (n_patterns) in the order of the queries */
    size_t n_patterns, cap_patterns;
    struct source_trigger *triggers;
    size_t n_triggers, cap_triggers;
    int32_t trigger_of_hash[TRIGGER_HASH_SIZE];
    struct source_begin *begins;
    size_t n_begins, cap_begins;
    int32_t begin_of_symbol[PYTHON_SYMBOLS_MAX]; /* -1: no pattern begins with it */
    struct slice words[SOURCE_WORDS_MAX];
    int32_t next_word[SOURCE_WORDS_MAX];      /* of the same hash, -1: none */
    int32_t parts[SOURCE_WORDS_MAX];          /* (n_parts) those that are "*part*" */
    struct slice part_text[SOURCE_WORDS_MAX]; /* of each, in lower case, without stars */
    uint32_t part_letters[SOURCE_WORDS_MAX]; /* of each, a bit for a letter that it has */
    int32_t n_words, n_parts;
    int32_t word_of_hash[WORD_HASH_SIZE];
};

void source_word_add(struct source_query *q, struct slice word);

/* Rows of triggers with this name, one after the other; -1: no more. */
int32_t source_trigger_first(const struct source_query *q, struct slice name);
int32_t source_trigger_next(const struct source_query *q, int32_t row);

/* The first row of begins of this kind of node, -1: none. */
int32_t source_begin_first(const struct source_query *q, TSSymbol symbol);

#endif
