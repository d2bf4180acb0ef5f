#include "verify/row_index.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

static int compare_keys(const struct row_key *a, const struct row_key *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->what != b->what)
        return a->what < b->what ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static int compare_entries(const void *a, const void *b)
{
    const struct row_entry *x = a, *y = b;
    int order = compare_keys(&x->key, &y->key);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

void row_index_add(struct row_index *x, struct row_key key, size_t row)
{
    vec_grow(x->entry, x->cap, x->n + 1);
    x->entry[x->n++] = (struct row_entry){.key = key, .row = row};
}

void row_index_sort(struct row_index *x)
{
    if (x->n)
        qsort(x->entry, x->n, sizeof *x->entry, compare_entries);
}

int64_t row_index_find(const struct row_index *x, struct row_key key)
{
    size_t low = 0, high = x->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_keys(&x->entry[middle].key, &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < x->n && !compare_keys(&x->entry[low].key, &key);
    return found ? (int64_t)x->entry[low].row : -1;
}

void row_index_release(struct row_index *x)
{
    mem_free(x->entry);
}
