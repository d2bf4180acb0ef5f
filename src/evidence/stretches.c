#include "evidence/stretches.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

void stretches_release(struct stretches *s)
{
    mem_free(s->at);
    *s = (struct stretches){0};
}

void stretches_add(struct stretches *s, int64_t begin_ns, int64_t end_ns)
{
    if (begin_ns >= end_ns)
        return;
    vec_grow(s->at, s->cap, s->n + 1);
    s->at[s->n++] = (struct stretch){begin_ns, end_ns};
}

static int compare_stretch(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

void stretches_settle(struct stretches *s)
{
    size_t n = 0;
    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, compare_stretch);
    for (size_t i = 0; i < s->n; i++) {
        struct stretch *last = n ? &s->at[n - 1] : NULL;
        if (!last || s->at[i].begin_ns > last->end_ns)
            s->at[n++] = s->at[i];
        else if (s->at[i].end_ns > last->end_ns)
            last->end_ns = s->at[i].end_ns;
    }
    s->n = n;
}

struct stretches stretches_in(const struct stretches *a, const struct stretches *b)
{
    struct stretches out = {0};
    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        struct stretch x = a->at[i], y = b->at[k];
        stretches_add(&out, x.begin_ns > y.begin_ns ? x.begin_ns : y.begin_ns,
                      x.end_ns < y.end_ns ? x.end_ns : y.end_ns);
        if (x.end_ns < y.end_ns)
            i++;
        else
            k++;
    }
    return out;
}

struct stretches stretches_without(const struct stretches *a, const struct stretches *b)
{
    struct stretches out = {0};
    size_t k = 0;
    for (size_t i = 0; i < a->n; i++) {
        int64_t from_ns = a->at[i].begin_ns;
        while (k < b->n && b->at[k].end_ns <= from_ns)
            k++;
        for (size_t j = k; j < b->n && b->at[j].begin_ns < a->at[i].end_ns; j++) {
            stretches_add(&out, from_ns, b->at[j].begin_ns);
            from_ns = b->at[j].end_ns > from_ns ? b->at[j].end_ns : from_ns;
        }
        stretches_add(&out, from_ns, a->at[i].end_ns);
    }
    return out;
}

double stretches_ns(const struct stretches *s)
{
    double ns = 0;
    for (size_t i = 0; i < s->n; i++)
        ns += (double)s->at[i].end_ns - (double)s->at[i].begin_ns;
    return ns;
}

struct stretch_sums stretch_sums_new(const struct stretches *s)
{
    struct stretch_sums x = {s, mem_alloc((s->n + 1) * sizeof *x.before_ns)};
    x.before_ns[0] = 0;
    for (size_t i = 0; i < s->n; i++)
        x.before_ns[i + 1] =
            x.before_ns[i] + (double)s->at[i].end_ns - (double)s->at[i].begin_ns;
    return x;
}

void stretch_sums_release(struct stretch_sums *s)
{
    mem_free(s->before_ns);
    *s = (struct stretch_sums){0};
}

static double sum_until(const struct stretch_sums *s, int64_t at_ns)
{
    const struct stretch *at = s->of->at;
    size_t low = 0, high = s->of->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (at[mid].end_ns <= at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    bool inside = low < s->of->n && at[low].begin_ns < at_ns;
    return s->before_ns[low] + (inside ? (double)at_ns - (double)at[low].begin_ns : 0);
}

double stretch_sums_in(const struct stretch_sums *s, int64_t begin_ns, int64_t end_ns)
{
    return sum_until(s, end_ns) - sum_until(s, begin_ns);
}
