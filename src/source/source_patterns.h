/*
 * All patterns of a query, compiled; private to this folder.
 *
 * A pattern of a call whose name it asks for, as in (#eq? @name "item"), is looked up by
 * that name, call by call: of a hundred such patterns one or two are tried. All others
 * are one query that searches the whole tree.
 */
#ifndef GAIT_SOURCE_SOURCE_PATTERNS_H
#define GAIT_SOURCE_SOURCE_PATTERNS_H

#include "source/source_match.h"

#include <pthread.h>

struct source_pattern {
    int32_t query;
    struct predicate *predicates;
    int32_t n;
    struct slice text;
    TSQuery *own; /* source_pattern_alone(); NULL: not needed yet, or general */
    uint32_t hit; /* capture @hit, in own or the general query */
};

struct source_trigger {
    struct slice name;
    int32_t pattern, next; /* next: of the same hash, -1: none */
};

enum { TRIGGER_HASH_SIZE = 512, WORD_HASH_SIZE = 1024 };

struct source_query {
    struct arena *memory;            /* of predicates */
    pthread_mutex_t *lock;           /* of what is compiled when needed */
    struct source_pattern *patterns; /* (n_patterns) in the order of the queries */
    size_t n_patterns, cap_patterns;
    TSQuery *general;
    int32_t *of_general; /* (its patterns) rows of patterns */
    size_t n_general, cap_general;
    struct source_trigger *triggers;
    size_t n_triggers, cap_triggers;
    int32_t trigger_of_hash[TRIGGER_HASH_SIZE];
    struct slice words[SOURCE_WORDS_MAX];
    int32_t next_word[SOURCE_WORDS_MAX]; /* of the same hash, -1: none */
    int32_t parts[SOURCE_WORDS_MAX];     /* (n_parts) those that are "*part*" */
    int32_t n_words, n_parts;
    int32_t word_of_hash[WORD_HASH_SIZE];
};

void source_word_add(struct source_query *q, struct slice word);

/* Rows of triggers with this name, one after the other; -1: no more. */
int32_t source_trigger_first(const struct source_query *q, struct slice name);
int32_t source_trigger_next(const struct source_query *q, int32_t row);

/* The pattern compiled by itself, when it is first needed: by any thread. */
const TSQuery *source_pattern_alone(const struct source_query *q, int32_t row);

#endif
