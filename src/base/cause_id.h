/*
 * Short names of causes, the same in another recording or another check of the same job:
 * the rule, where it speaks of the whole job: "launch-bound"; else the rule, a dash, and
 * eight hexadecimal digits of the hash of the place: "python-time-5b0c11ae". A place is
 * made of names alone, never of times, ranks or an order.
 */
#ifndef GAIT_BASE_CAUSE_ID_H
#define GAIT_BASE_CAUSE_ID_H

#include "base/content_hash.h"

#include <stdbool.h>
#include <stddef.h>

enum { CAUSE_ID_DIGITS = 8, CAUSE_RULE_MAX = 40 };

struct cause_id {
    char s[CAUSE_RULE_MAX + CAUSE_ID_DIGITS + 2];
};

struct cause {
    const char *rule;
    struct content_hash_text place; /* "": the whole job */
    const char
        *tie; /* tells equal places apart: the whole path of a file; NULL: the order
                        of the causes does */
    struct cause_id id;
};

/* Of words that are names: cause_place(2, file, function). */
struct content_hash_text cause_place(size_t n, ...);

/* Set the ids of cause[0..n), each another one. Equal places are numbered. */
void cause_ids_set(struct cause *cause, size_t n);

/* The length of the rule's name that a word begins with where it is written as an id is;
 * 0: it is none. */
size_t cause_id_rule(const char *word);

#endif
