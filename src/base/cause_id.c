/* Causes are sorted to number those that are equal, so that many equal ones cost
 * n log n; a table of ids given then keeps cut hashes apart. */
#include "base/cause_id.h"

#include "base/mem.h"
#include "base/status.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct content_hash_text cause_place(size_t n, ...)
{
    struct content_hash *h = content_hash_new();
    va_list words;
    va_start(words, n);
    for (size_t i = 0; i < n; i++) {
        const char *word = va_arg(words, const char *);
        content_hash_add(h, word, strlen(word) + 1); /* its end parts it from the next */
    }
    va_end(words);
    struct content_hash_text place = content_hash_text(h);
    content_hash_free(h);
    return place;
}

/* --- equal places --- */

static int compare_places(const struct cause *x, const struct cause *y)
{
    int order = strcmp(x->rule, y->rule);
    return order ? order : strcmp(x->place.s, y->place.s);
}

static int compare_causes(const void *a, const void *b)
{
    const struct cause *x = *(const struct cause *const *)a;
    const struct cause *y = *(const struct cause *const *)b;
    int order = compare_places(x, y);
    if (!order && x->tie && y->tie)
        order = strcmp(x->tie, y->tie);
    return order ? order : (x > y) - (x < y);
}

/* (n) How many come before each that are equal to it. */
static size_t *number_equals(const struct cause *cause, size_t n)
{
    const struct cause **sorted = mem_alloc((n + 1) * sizeof(void *));
    size_t *number = mem_zalloc(n + 1, sizeof *number);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &cause[i];
    if (n)
        qsort(sorted, n, sizeof(void *), compare_causes);
    for (size_t i = 1; i < n; i++)
        if (!compare_places(sorted[i - 1], sorted[i]))
            number[sorted[i] - cause] = number[sorted[i - 1] - cause] + 1;
    mem_free(sorted);
    return number;
}

/* --- ids --- */

static struct cause_id id_of(const struct cause *c, size_t number)
{
    struct content_hash_text hash = c->place;
    struct cause_id id;
    char digits[24];
    if (number) {
        snprintf(digits, sizeof digits, "%zu", number);
        hash = cause_place(2, c->place.s, digits);
    }
    if (strlen(c->rule) > CAUSE_RULE_MAX)
        BUG("the name of rule %s has more than %d letters", c->rule, CAUSE_RULE_MAX);
    snprintf(id.s, sizeof id.s, "%s%s%.*s", c->rule, *hash.s ? "-" : "", CAUSE_ID_DIGITS,
             hash.s);
    return id;
}

/* Ids given, at the place of their hash or behind it. */
struct given {
    const struct cause_id **slot; /* (mask + 1), twice as many as ids at least */
    size_t mask;
};

/* False: it is given already. */
static bool give(struct given *g, const struct cause_id *id)
{
    size_t i =
        (size_t)strtoull(cause_place(1, id->s).s + CONTENT_HASH_DIGITS / 2, NULL, 16);
    for (i &= g->mask; g->slot[i]; i = (i + 1) & g->mask)
        if (!strcmp(g->slot[i]->s, id->s))
            return false;
    g->slot[i] = id;
    return true;
}

void cause_ids_set(struct cause *cause, size_t n)
{
    struct given given = {.mask = 1};
    while (given.mask < 2 * n)
        given.mask = 2 * given.mask + 1;
    given.slot = mem_zalloc(given.mask + 1, sizeof(void *));
    size_t *number = number_equals(cause, n);
    for (size_t i = 0; i < n; i++) {
        do {
            cause[i].id = id_of(&cause[i], number[i]);
            number[i] += n; /* a number that no equal one has */
        } while (!give(&given, &cause[i].id));
    }
    mem_free(number);
    mem_free(given.slot);
}

size_t cause_id_rule(const char *word)
{
    size_t len = strlen(word);
    if (len < CAUSE_ID_DIGITS + 2 || len >= sizeof(struct cause_id))
        return 0;
    const char *digits = word + len - CAUSE_ID_DIGITS;
    if (digits[-1] != '-' || strspn(digits, "0123456789abcdef") != CAUSE_ID_DIGITS)
        return 0;
    return (size_t)(digits - 1 - word);
}
