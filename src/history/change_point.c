#include "history/change_point.h"

#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The bias of the remainder is n / 2^64. */
static void shuffle(double *v, size_t n, uint64_t *state)
{
    for (size_t i = n - 1; i > 0; i--) {
        size_t k = (size_t)(next_random(state) % (i + 1));
        double t = v[i];
        v[i] = v[k];
        v[k] = t;
    }
}

struct ranked {
    double value;
    size_t at;
};

static int compare_values(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Ranks less their mean; equal values share theirs. */
static void find_ranks(double *rank, const double *v, size_t n)
{
    struct ranked *r = mem_zalloc(n, sizeof *r);
    for (size_t i = 0; i < n; i++)
        r[i] = (struct ranked){v[i], i};
    qsort(r, n, sizeof *r, compare_values);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && r[end].value == r[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            rank[r[k].at] = (double)(i + end - 1) / 2 - (double)(n - 1) / 2;
    }
    mem_free(r);
}

/* The largest squared rank sum over its variance, of stretches that leave enough before
 * and nothing or enough after them. One from the beginning on is the rest of one that is
 * looked at. The ranks' own variance is left out: it is the same for every order. */
static double largest(const double *rank, size_t n, size_t *begin, size_t *end)
{
    const size_t side = CHANGE_POINT_MIN_SIDE;
    double best = 0;
    for (size_t i = side; i + side <= n; i++) {
        double sum = 0;
        for (size_t k = i; k < n; k++) {
            sum += rank[k];
            size_t len = k + 1 - i, left = n - (k + 1);
            if (len < side || (left && left < side))
                continue;
            double z2 = sum * sum / ((double)len * (double)(n - len));
            if (z2 > best) {
                best = z2;
                *begin = i;
                *end = k + 1;
            }
        }
    }
    return best;
}

double change_point_shift(const double *v, size_t begin, size_t cut, size_t end)
{
    size_t pairs = (cut - begin) * (end - cut), i = 0;
    double *difference = mem_zalloc(pairs, sizeof *difference);
    for (size_t a = begin; a < cut; a++)
        for (size_t b = cut; b < end; b++)
            difference[i++] = v[b] - v[a];
    double shift = stats_median(difference, pairs);
    mem_free(difference);
    return shift;
}

struct change_point change_point_find(const double *v, size_t n)
{
    struct change_point out = {.p = NAN};
    uint64_t state = 1;
    size_t begin, end, as_clear = 1; /* the series itself is one order of its values */
    if (n < CHANGE_POINT_MIN_POINTS)
        return out;
    double *rank = mem_zalloc(n, sizeof *rank);
    find_ranks(rank, v, n);
    double seen = largest(rank, n, &out.begin, &out.end);
    /* Sums in another order may be rounded otherwise: equals count as equal. */
    for (int i = 0; i < CHANGE_POINT_SHUFFLES; i++) {
        shuffle(rank, n, &state);
        as_clear += largest(rank, n, &begin, &end) >= seen * (1 - 1e-9);
    }
    out.p = (double)as_clear / (CHANGE_POINT_SHUFFLES + 1);
    mem_free(rank);
    return out;
}
