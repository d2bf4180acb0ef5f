/*
 * Names of settings that other trainers use, private to this folder; the tables are data.
 *
 *   alias       means one of our keys and is taken as that key;
 *   unneeded    is taken and changes nothing, with a note why;
 *   elsewhere   is refused, with "did you mean": the value may need another unit.
 *
 * To add one: a line in key_alias.c; an alias or unneeded key also needs
 * scripts/draw-docs.
 */
#ifndef GAIT_CONFIG_KEY_ALIAS_H
#define GAIT_CONFIG_KEY_ALIAS_H

#include <stdbool.h>
#include <stddef.h>

struct key_alias {
    const char *name, *key;
};

struct key_unneeded {
    const char *name, *why;
};

extern const struct key_alias key_aliases[];
extern const size_t n_key_aliases;
extern const struct key_unneeded keys_unneeded[];
extern const size_t n_keys_unneeded;

/* The key that an alias means; NULL where name is none. - and _ are alike. */
const char *key_of_alias(const char *name);
/* NULL where the key is not of that kind. */
const struct key_unneeded *key_find_unneeded(const char *name);
/* The key that a name from elsewhere probably means, or NULL. */
const char *key_of_elsewhere(const char *typed);

/* Equal, with - and _ alike? */
bool key_same(const char *a, const char *b);

#endif
