/* Order statistics of samples. All of them take n > 0 and leave the input as it is,
 * unless they say otherwise. */
#ifndef GAIT_BASE_STATS_H
#define GAIT_BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

/* The q-quantile (0..1), linear between neighbours; stats_median is q = 0.5. */
double stats_quantile(const double *v, size_t n, double q);
double stats_median(const double *v, size_t n);
double stats_mean(const double *v, size_t n);
double stats_stddev(const double *v,
                    size_t n); /* sample standard deviation; 0 for n = 1 */

/* Half the distance between the quartiles over the median: a spread that one outlier
 * cannot move. */
double stats_spread_frac(const double *v, size_t n);

/* The median, and the order statistics between which the true one lies with about 95 %:
 * n/2 ± sqrt(n), whatever the distribution (a binomial with p = 1/2, two standard
 * deviations). */
struct median_interval {
    double median, low, high;
    size_t n;
};
struct median_interval stats_median_interval(const double *v, size_t n);

/* The centre of a symmetric distribution (Hodges and Lehmann: the median of the means of
 * all pairs), and the interval of it by Wilcoxon's signed ranks, z standard deviations
 * wide on each side. As sharp as the mean's on quiet samples, and outliers cannot move it.
 * n of at most 2000. */
struct centre_interval {
    double centre, low, high;
};
struct centre_interval stats_centre_interval(const double *v, size_t n, double z);

int compare_int64(const void *a, const void *b); /* for qsort */

/* The k-th smallest (k < n), in linear time; v is left in another order. */
int64_t stats_select_int64(int64_t *v, size_t n, size_t k);
/* In linear time too; between two in the middle, rounded down. */
int64_t stats_median_int64(int64_t *v, size_t n);

#endif
