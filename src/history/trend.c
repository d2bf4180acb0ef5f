#include "history/trend.h"

#include "base/mem.h"
#include "history/change_point.h"

#include <math.h>
#include <string.h>

static bool is_same(const struct history_comparison *a,
                    const struct history_comparison *b)
{
    return !strcmp(a->kind, b->kind) && !strcmp(a->before, b->before) &&
           !strcmp(a->after, b->after) && !strcmp(a->before_hash, b->before_hash) &&
           !strcmp(a->machine, b->machine);
}

static struct trend_series *series_of(struct trend *t, const struct history_comparison *c)
{
    for (size_t i = t->n; i-- > 0;) /* the last one is the likeliest */
        if (is_same(t->series[i].of, c))
            return &t->series[i];
    vec_grow(t->series, t->cap, t->n + 1);
    t->series[t->n] = (struct trend_series){.of = c, .p = NAN};
    return &t->series[t->n++];
}

/* The step time; NULL where the comparison proved nothing or measured none. */
static const struct history_gate *step_of(const struct history_comparison *c)
{
    if (!strcmp(c->verdict, "N/A"))
        return NULL;
    for (size_t i = 0; i < c->n_gates; i++) {
        const struct history_gate *g = &c->gate[i];
        if (!strcmp(g->name, "step time") && !strcmp(g->change_unit, "frac") &&
            g->change > -1 && isfinite(g->change))
            return g;
    }
    return NULL;
}

static void add_point(struct trend *t, const struct history_comparison *c)
{
    const struct history_gate *g = step_of(c);
    if (!g)
        return;
    struct trend_series *s = series_of(t, c);
    vec_grow(s->point, s->cap, s->n + 1);
    s->point[s->n++] = (struct trend_point){.utc = c->utc,
                                            .verdict = c->verdict,
                                            .before_ms = g->before,
                                            .after_ms = g->after,
                                            .change = g->change,
                                            .low = g->low,
                                            .high = g->high};
}

static void add_change(struct trend_series *s, size_t at, double shift, double p)
{
    vec_grow(s->change, s->cap_changes, s->n_changes + 1);
    s->change[s->n_changes++] =
        (struct trend_change){.at = at, .change = expm1(shift), .p = p};
}

/* A change is told, then what follows it is looked at alone: the last change that is told
 * is the level of today. Where the first look tells nothing there is no second, so equal
 * series are told apart no more often for it. */
static void find_changes(struct trend_series *s, double alpha)
{
    double v[TREND_POINTS_MAX];
    size_t n = s->n < TREND_POINTS_MAX ? s->n : TREND_POINTS_MAX;
    size_t first = s->n - n, from = 0;
    for (size_t i = 0; i < n; i++)
        v[i] = log1p(s->point[first + i].change);
    for (;;) {
        struct change_point c = change_point_find(v + from, n - from);
        if (!from)
            s->p = c.p;
        if (!(c.p <= alpha))
            return;
        size_t begin = from + c.begin, end = from + c.end;
        add_change(s, first + begin, change_point_shift(v, from, begin, end), c.p);
        if (end < n)
            add_change(s, first + end, change_point_shift(v, begin, end, n), c.p);
        from = end < n ? end : begin;
    }
}

double trend_alpha(const struct trend *t)
{
    return CHANGE_POINT_ALPHA / (double)(t->tested ? t->tested : 1);
}

void trend_find(struct trend *t, const struct history *h)
{
    *t = (struct trend){0};
    for (size_t i = 0; i < h->n; i++)
        add_point(t, &h->comparison[i]);
    for (size_t i = 0; i < t->n; i++)
        t->tested += t->series[i].n >= CHANGE_POINT_MIN_POINTS;
    for (size_t i = 0; i < t->n; i++)
        find_changes(&t->series[i], trend_alpha(t));
}

void trend_release(struct trend *t)
{
    for (size_t i = 0; i < t->n; i++) {
        mem_free(t->series[i].point);
        mem_free(t->series[i].change);
    }
    mem_free(t->series);
}

bool trend_is_slower(const struct trend_series *s)
{
    return s->n_changes && s->change[s->n_changes - 1].change > 0;
}

enum status trend_status(const struct trend *t, struct err *err)
{
    size_t slower = 0;
    for (size_t i = 0; i < t->n; i++)
        slower += trend_is_slower(&t->series[i]);
    if (!slower)
        return STATUS_OK;
    return err_set(err, STATUS_FAILED, "%zu of %zu series became slower", slower, t->n);
}
