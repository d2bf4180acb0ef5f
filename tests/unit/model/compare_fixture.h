/* Two models that must say the same: to the bit, or within rounding. */
#ifndef GAIT_TESTS_COMPARE_FIXTURE_H
#define GAIT_TESTS_COMPARE_FIXTURE_H

#include "model_fixture.h"

/* |x - y| / |y| in the Euclidean norm. */
static inline double error_between(const real *x, const real *y, int64_t n)
{
    double difference = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        difference += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
        size += (double)y[i] * (double)y[i];
    }
    return sqrt(difference) / (size > 0 ? sqrt(size) : 1);
}

static inline void assert_same_bits(const struct subject *a, const struct subject *b)
{
    size_t grads = (size_t)a->model.params.table.total * sizeof(real);
    assert_memory_equal(a->model.loss, b->model.loss, (size_t)a->model.M * sizeof(real));
    assert_memory_equal(a->model.grad, b->model.grad, grads);
}

/* Each tensor's gradient. */
static inline void assert_near_gradients(const struct subject *a, const struct subject *b,
                                         double tolerance)
{
    const struct param_table *t = &a->model.params.table;
    for (size_t i = 0; i < t->n; i++) {
        const struct param *p = &t->param[i];
        double error =
            error_between(a->model.grad + p->offset, b->model.grad + p->offset, p->n);
        if (!(error <= tolerance))
            fail_msg("%s %s: the gradient of %s differs by %g", a->engine.options.name,
                     a->engine.options.precision, p->name, error);
    }
}

static inline void assert_near(const struct subject *a, const struct subject *b,
                               double tolerance)
{
    double error = error_between(a->model.loss, b->model.loss, a->model.M);
    if (!(error <= tolerance))
        fail_msg("the losses differ by %g", error);
    assert_near_gradients(a, b, tolerance);
}

/* Open, run both passes once. */
static inline void subject_ready(struct subject *s, struct engine_options engine,
                                 const struct model_shape *shape,
                                 struct model_options options)
{
    subject_open(s, engine, shape, options);
    subject_run(s, s->model.M, false);
}

#endif
