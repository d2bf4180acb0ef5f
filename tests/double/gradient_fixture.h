/*
 * Every gradient against central differences, in double, to a relative error of 1e-6.
 *
 * Central differences at steps h and h/2 are combined to cancel the h^2 term
 * (Richardson): the error is then O(h^4) of truncation and about 1e-16 / h of rounding.
 * Dropout's masks are pure functions of seed and position, so it is no obstacle.
 */
#ifndef GAIT_TESTS_GRADIENT_FIXTURE_H
#define GAIT_TESTS_GRADIENT_FIXTURE_H

#include "unit/model/model_fixture.h"

#include <stdio.h>

static const double TOLERANCE = 1e-6;
static const double STEP = 1e-3;

static const struct engine_options PLAIN = {"reference", "f32", "plain"};
static const struct engine_options TILED = {"reference", "f32", "tiled"};

struct gradient {
    struct subject subject;
    real *direction, *saved; /* (table.total) */
};

static inline void gradient_open(struct gradient *g, struct engine_options engine,
                                 const struct model_shape *shape,
                                 struct model_options options)
{
    assert_int_equal(sizeof(real), 8);
    subject_open(&g->subject, engine, shape, options);
    struct model *m = &g->subject.model;
    size_t n = (size_t)m->params.table.total;
    g->direction = mem_zalloc(n, sizeof *g->direction);
    g->saved = mem_zalloc(n, sizeof *g->saved);
    memcpy(g->saved, m->store.full, n * sizeof *g->saved);
    subject_run(&g->subject, m->M, false);
}

static inline void gradient_close(struct gradient *g)
{
    mem_free(g->direction);
    mem_free(g->saved);
    subject_close(&g->subject);
}

static inline double mean_loss(struct gradient *g)
{
    double sum = 0;
    subject_forward(&g->subject);
    for (int64_t i = 0; i < g->subject.model.M; i++)
        sum += g->subject.model.loss[i];
    return sum / (double)g->subject.model.M;
}

static inline double loss_at(struct gradient *g, const struct param *p, double step)
{
    real *x = g->subject.model.store.full + p->offset;
    const real *d = g->direction + p->offset, *saved = g->saved + p->offset;
    for (int64_t k = 0; k < p->n; k++)
        x[k] = saved[k] + step * d[k];
    double l = mean_loss(g);
    memcpy(x, saved, (size_t)p->n * sizeof *x);
    return l;
}

/* The derivative of the loss along g->direction within one tensor. */
static inline double derivative(struct gradient *g, const struct param *p, double h)
{
    double wide = (loss_at(g, p, h) - loss_at(g, p, -h)) / (2 * h);
    double narrow = (loss_at(g, p, h / 2) - loss_at(g, p, -h / 2)) / h;
    return (4 * narrow - wide) / 3;
}

static inline double gradient_along(const struct gradient *g, const struct param *p)
{
    double sum = 0;
    for (int64_t k = p->offset; k < p->offset + p->n; k++)
        sum += g->subject.model.grad[k] * g->direction[k];
    return sum;
}

/* Errors are relative to the tensor's gradient as such a direction sees it on average
 * (the norm for ±1 in all places, the root mean square for one element), so that a
 * direction that happens to be flat is not asked for more digits than differences have.
 */
static inline void check(const struct gradient *g, const struct param *p, double found,
                         double typical, const char *what)
{
    double expected = gradient_along(g, p);
    double size = fmax(fabs(expected), typical);
    if (!(fabs(found - expected) <= TOLERANCE * size))
        fail_msg("%s %s: the gradient says %.12g, differences say %.12g (%.2g)", p->name,
                 what, expected, found, fabs(found - expected) / size);
}

static inline double norm_of(const struct gradient *g, const struct param *p)
{
    double squares = 0;
    for (int64_t k = p->offset; k < p->offset + p->n; k++)
        squares += g->subject.model.grad[k] * g->subject.model.grad[k];
    return sqrt(squares);
}

static inline void check_direction(struct gradient *g, size_t row)
{
    const struct param *p = &g->subject.model.params.table.param[row];
    double size = sqrt((double)p->n); /* of a ±1 direction */
    for (int64_t k = 0; k < p->n; k++)
        g->direction[p->offset + k] =
            weight_normal(9, (uint32_t)row, (uint64_t)k) < 0 ? -1 : 1;
    check(g, p, derivative(g, p, STEP / fmax(1, size / 8)), norm_of(g, p),
          "in a random direction");
}

static inline void check_elements(struct gradient *g, size_t row, int64_t stride)
{
    const struct param *p = &g->subject.model.params.table.param[row];
    double typical = norm_of(g, p) / sqrt((double)p->n);
    memset(g->direction + p->offset, 0, (size_t)p->n * sizeof *g->direction);
    for (int64_t k = 0; k < p->n; k += stride) {
        char what[32];
        snprintf(what, sizeof what, "at %lld", (long long)k);
        g->direction[p->offset + k] = 1;
        check(g, p, derivative(g, p, STEP), typical, what);
        g->direction[p->offset + k] = 0;
    }
}

/* A sanitizer's build takes every 11th number. */
#ifdef __SANITIZE_ADDRESS__
enum { EVERY = 11 };
#else
enum { EVERY = 1 };
#endif

/* Every number of every parameter. */
static inline void every_element(struct engine_options engine, struct model_shape shape,
                                 struct model_options options)
{
    struct gradient g;
    gradient_open(&g, engine, &shape, options);
    for (size_t i = 0; i < g.subject.model.params.table.n; i++)
        check_elements(&g, i, EVERY);
    gradient_close(&g);
}

/* A random direction and a few numbers of every parameter, for models too large for all.
 */
static inline void every_tensor(struct engine_options engine, struct model_shape shape,
                                struct model_options options)
{
    struct gradient g;
    gradient_open(&g, engine, &shape, options);
    for (size_t i = 0; i < g.subject.model.params.table.n; i++) {
        check_direction(&g, i);
        check_elements(&g, i, g.subject.model.params.table.param[i].n / 2 + 1);
    }
    gradient_close(&g);
}

#endif
