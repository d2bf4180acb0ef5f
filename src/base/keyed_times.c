#include "base/keyed_times.h"

#include <stdlib.h>

static int compare_times(const void *a, const void *b)
{
    const struct keyed_time *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

void keyed_sort(struct keyed_time *time, size_t n)
{
    if (n)
        qsort(time, n, sizeof *time, compare_times);
}

bool keyed_next(struct keyed_group *group, const struct keyed_time *time, size_t n,
                size_t *at)
{
    size_t end = *at;
    if (*at >= n)
        return false;
    while (end < n && time[end].key == time[*at].key)
        end++;
    *group = (struct keyed_group){time[*at].key, time + *at, end - *at};
    *at = end;
    return true;
}

int64_t keyed_median_ns(const struct keyed_group *group)
{
    int64_t low = group->time[(group->n - 1) / 2].ns, high = group->time[group->n / 2].ns;
    return low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
}
