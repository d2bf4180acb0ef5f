/* Rows of a table found by what identifies them, to compare them with another run's.
 * Legal order: row_index_add of all, row_index_sort, row_index_find. */
#ifndef GAIT_VERIFY_ROW_INDEX_H
#define GAIT_VERIFY_ROW_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct row_key {
    int64_t rank; /* its number, not its row */
    int64_t what, step, name;
};

struct row_index {
    struct row_entry {
        struct row_key key;
        size_t row;
    } * entry; /* (n) */
    size_t n, cap;
};

void row_index_add(struct row_index *x, struct row_key key, size_t row);
void row_index_sort(struct row_index *x);
/* The first row of that key, or -1. */
int64_t row_index_find(const struct row_index *x, struct row_key key);
void row_index_release(struct row_index *x);

#endif
