#include "base/stats.h"

#include "base/mem.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

double stats_quantile(const double *v, size_t n, double q)
{
    if (!n)
        BUG("quantile of nothing");
    double *sorted = mem_alloc(n * sizeof *sorted);
    memcpy(sorted, v, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_double);
    double at = q * (double)(n - 1);
    size_t low = (size_t)at;
    size_t high = low + 1 < n ? low + 1 : low;
    double value = sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
    mem_free(sorted);
    return value;
}

double stats_median(const double *v, size_t n)
{
    return stats_quantile(v, n, 0.5);
}

double stats_mean(const double *v, size_t n)
{
    if (!n)
        BUG("mean of nothing");
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

double stats_stddev(const double *v, size_t n)
{
    if (n < 2)
        return 0;
    double mean = stats_mean(v, n), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (v[i] - mean) * (v[i] - mean);
    return sqrt(sum / (double)(n - 1));
}

double stats_spread_frac(const double *v, size_t n)
{
    double median = stats_median(v, n);
    if (median == 0)
        return 0;
    return (stats_quantile(v, n, 0.75) - stats_quantile(v, n, 0.25)) / 2 / fabs(median);
}

struct median_interval stats_median_interval(const double *v, size_t n)
{
    double half = sqrt((double)n) / (double)n;
    return (struct median_interval){.median = stats_median(v, n),
                                    .low = stats_quantile(v, n, fmax(0, 0.5 - half)),
                                    .high = stats_quantile(v, n, fmin(1, 0.5 + half)),
                                    .n = n};
}

static void swap_int64(int64_t *a, int64_t *b)
{
    int64_t t = *a;
    *a = *b;
    *b = t;
}

/* Hoare's selection with the middle of three as pivot, one of which is no one's to guess,
 * so that no samples make it slow. What it has split stays split: each turn looks at one
 * side alone. */
int64_t stats_select_int64(int64_t *v, size_t n, size_t k)
{
    if (k >= n)
        BUG("sample %zu of %zu", k, n);
    size_t low = 0, high = n - 1;
    uint64_t dice = (uint64_t)(uintptr_t)v | 1;
    while (low < high) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        size_t middle = low + (size_t)((dice >> 33) % (high - low));
        if (v[middle] < v[low])
            swap_int64(&v[middle], &v[low]);
        if (v[high] < v[low])
            swap_int64(&v[high], &v[low]);
        if (v[high] < v[middle])
            swap_int64(&v[high], &v[middle]);
        int64_t pivot = v[middle];
        size_t i = low, j = high;
        for (;;) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap_int64(&v[i++], &v[j--]);
        }
        /* v[low..j] <= pivot <= v[j + 1..high] */
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return v[k];
}

int64_t stats_median_int64(int64_t *v, size_t n)
{
    if (!n)
        BUG("the median of nothing");
    int64_t low = stats_select_int64(v, n, (n - 1) / 2);
    if (n % 2)
        return low;
    int64_t high = v[n / 2]; /* what lies behind the selected one is not smaller */
    for (size_t i = n / 2; i < n; i++)
        high = v[i] < high ? v[i] : high;
    return low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
}

struct centre_interval stats_centre_interval(const double *v, size_t n, double z)
{
    size_t pairs = n * (n + 1) / 2, k = 0;
    double *mean = mem_alloc(pairs * sizeof *mean);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            mean[k++] = (v[i] + v[j]) / 2;
    qsort(mean, pairs, sizeof *mean, compare_double);
    double half = (double)pairs / 2;
    double spread = z * sqrt((double)n * (double)(n + 1) * (double)(2 * n + 1) / 24);
    size_t cut = half > spread ? (size_t)(half - spread) : 0;
    struct centre_interval c = {(mean[(pairs - 1) / 2] + mean[pairs / 2]) / 2, mean[cut],
                                mean[pairs - 1 - cut]};
    mem_free(mean);
    return c;
}
