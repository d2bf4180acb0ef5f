/* "Did you mean …?": the candidate nearest to what was typed. */
#ifndef GAIT_BASE_NEAREST_H
#define GAIT_BASE_NEAREST_H

#include <stddef.h>

/* Edits (insert, delete, replace, swap of neighbours) from a to b. */
int edit_distance(const char *a, const char *b);

/* The nearest of n candidates, or NULL where none is near enough to be what was meant. */
const char *nearest_name(const char *typed, const char *const *candidates, size_t n);

#endif
