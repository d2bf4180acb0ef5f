#include "base/nearest.h"

#include <string.h>

enum { NEAREST_LEN_MAX = 63 };

static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

int edit_distance(const char *a, const char *b)
{
    size_t la = strnlen(a, NEAREST_LEN_MAX), lb = strnlen(b, NEAREST_LEN_MAX);
    int d[NEAREST_LEN_MAX + 1][NEAREST_LEN_MAX + 1];
    for (size_t i = 0; i <= la; i++)
        d[i][0] = (int)i;
    for (size_t j = 0; j <= lb; j++)
        d[0][j] = (int)j;
    for (size_t i = 1; i <= la; i++)
        for (size_t j = 1; j <= lb; j++) {
            int replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, replace);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[la][lb];
}

const char *nearest_name(const char *typed, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    /* More than half of the letters wrong is another word. */
    int limit = (int)strlen(typed) / 2 + 1, best_distance = limit;
    for (size_t i = 0; i < n; i++) {
        int distance = edit_distance(typed, candidates[i]);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidates[i];
        }
    }
    return best;
}
