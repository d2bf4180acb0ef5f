/*
 * The tokens of a pass stand sorted, so that those which share a beginning are
 * neighbours: a search reads the text byte by byte and narrows the range, as a trie
 * would.
 */
#include "data/added_tokens.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void added_tokens_add(struct added_tokens *a, const char *text, size_t len, uint32_t id,
                      bool second)
{
    vec_grow(a->item, a->cap, a->n + 1);
    a->item[a->n++] = (struct added_token){mem_strndup(text, len), len, id, second};
    a->begins[second][(unsigned char)text[0]] = true;
}

static int compare(const void *x, const void *y)
{
    const struct added_token *a = x, *b = y;
    if (a->second != b->second)
        return a->second ? 1 : -1;
    size_t n = a->len < b->len ? a->len : b->len;
    int order = memcmp(a->text, b->text, n);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

void added_tokens_sort(struct added_tokens *a)
{
    if (a->n)
        qsort(a->item, a->n, sizeof *a->item, compare);
    a->firsts = 0;
    while (a->firsts < a->n && !a->item[a->firsts].second)
        a->firsts++;
}

void added_tokens_release(struct added_tokens *a)
{
    for (size_t i = 0; i < a->n; i++)
        mem_free(a->item[i].text);
    mem_free(a->item);
    *a = (struct added_tokens){0};
}

/* The first of item[lo..hi) whose byte at `depth` is `byte` or more; all of the range are
 * longer than depth and share what stands before. */
static size_t lower(const struct added_token *item, size_t lo, size_t hi, size_t depth,
                    int byte)
{
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if ((unsigned char)item[middle].text[depth] < byte)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The longest token of item[lo..hi) that text[0..len) begins with, or NULL. */
static const struct added_token *longest(const struct added_token *item, size_t lo,
                                         size_t hi, const char *text, size_t len)
{
    const struct added_token *found = NULL;
    for (size_t depth = 0; lo < hi && depth < len; depth++) {
        int byte = (unsigned char)text[depth];
        lo = lower(item, lo, hi, depth, byte);
        hi = lower(item, lo, hi, depth, byte + 1);
        /* one that ends here stands before those that it begins */
        if (lo < hi && item[lo].len == depth + 1)
            found = &item[lo++];
    }
    return found;
}

const struct added_token *added_tokens_next(const struct added_tokens *a, int pass,
                                            const char *text, size_t len, size_t *at)
{
    size_t lo = pass ? a->firsts : 0, hi = pass ? a->n : a->firsts;
    if (lo == hi)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        if (!a->begins[pass][(unsigned char)text[i]])
            continue;
        const struct added_token *found = longest(a->item, lo, hi, text + i, len - i);
        if (found) {
            *at = i;
            return found;
        }
    }
    return NULL;
}

bool added_tokens_cover(const struct added_tokens *a, const char *text, size_t len,
                        size_t at)
{
    for (size_t k = 0; k < a->n; k++) {
        const struct added_token *t = &a->item[k];
        size_t first = at >= t->len ? at - t->len + 1 : 0;
        for (size_t begin = first; begin < at; begin++) {
            size_t seen = len - begin < t->len ? len - begin : t->len;
            if (!memcmp(text + begin, t->text, seen))
                return true;
        }
    }
    return false;
}

const struct added_token *added_tokens_find(const struct added_tokens *a,
                                            const char *text, size_t len)
{
    for (size_t k = 0; k < a->n; k++)
        if (a->item[k].len == len && !memcmp(a->item[k].text, text, len))
            return &a->item[k];
    return NULL;
}
