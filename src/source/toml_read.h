/*
 * TOML text as a flat list: one entry for each table header and for each key with a value,
 * in the order of the text. Inline tables and dotted keys give entries like those of a
 * header: a = {b = 1}, a.b = 1, and b = 1 under [a], are all the entry a, b.
 *
 * What is not TOML is refused with its line. That a key is given twice is for the caller
 * to see; lists of tables ([[a]]) give the same keys again and again.
 *
 * Without tree-sitter in the build: STATUS_ENVIRONMENT.
 */
#ifndef GAIT_SOURCE_TOML_READ_H
#define GAIT_SOURCE_TOML_READ_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TOML_BYTES_MAX = 1 << 20,
    TOML_KEYS_MAX = 32, /* from the root to a value */
};

enum toml_kind {
    TOML_TABLE, /* its keys are entries of their own, behind it */
    TOML_STRING,
    TOML_BOOL,
    TOML_INTEGER,
    TOML_LIST,
    TOML_OTHER, /* a float, a date; within a list also a table or a list */
};

struct toml_item { /* of a list */
    enum toml_kind kind;
    const char *text; /* of a string, else "" */
    int32_t line;
};

struct toml_entry {
    const char *const *key; /* (n_keys) from the root: tool, gait, lint, select */
    size_t n_keys;
    int32_t line;
    enum toml_kind kind;
    const char *text; /* of a string, decoded; else "" */
    int64_t integer;
    bool truth;
    bool of_table_list; /* under a [[header]] */
    const struct toml_item *item;
    size_t n_items;
};

struct toml {
    struct arena memory;
    struct toml_entry *entry;
    size_t n, cap;
};

/* name is for messages, which begin "name:line: ". On OK the caller calls
 * toml_release(). */
enum status toml_read(struct toml *t, const char *text, size_t len, const char *name,
                      struct err *err);
void toml_release(struct toml *t);

/* Is the entry at or under these keys (n)? */
bool toml_is_under(const struct toml_entry *e, const char *const *keys, size_t n);
const char *toml_kind_name(enum toml_kind kind); /* "a string", for messages */

#endif
